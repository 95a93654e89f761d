"""Heads of one's own: what is said of them, what they cannot show, and which files are refused."""

import numpy as np
import pytest
from fusedfacts.documents.files import sha256
from fusedfacts.errors import FactsError
from fusedfacts.experiments import control, heads
from fusedfacts.experiments import facts as assemble
from fusedfacts.pipeline import config as settings
from safetensors.numpy import save
from support import own_heads
from support.common import tensors
from support.formulas import closed, evaluate
from support.hostile_files import HOSTILE, entry, raw
from support.own_heads import D, N

TILES = {"control_key_rows": 8, "model_key_rows": [4, 8]}


def one_head(q, k, v, causal=True):
    given = {"widths": [4, 8], "control_key_rows": 8, "causal": causal}
    return heads.head_results(q, k, v, **given, name="head")


def three(n=N, d=D):
    return dict(zip("qkv", (np.stack([x] * 3) for x in tensors(n, d)), strict=True))


def computed(path, content, hashed=None, causal=True):
    path.write_bytes(content)
    given = {"heads_sha256": hashed or sha256(content), "heads_causal": causal, **TILES}
    return heads.compute(heads=str(path), **given)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "own.safetensors"


def test_the_control_on_a_head_is_that_of_the_shipped_model():
    q, k, v = tensors(N, D)
    found, shipped = one_head(q, k, v)["control"], control.head_results(q, k, v, 8, "head")
    assert not control.cannot_show(shipped)
    assert found == {key: shipped[key] for key in found if key != "cannot_show"} | {
        "cannot_show": False
    }


@pytest.mark.parametrize("causal", [True, False])
def test_rises_are_counted_row_by_row(causal):
    q, k, v = tensors(N, D)
    expected = 0
    for i in range(N):
        row = (q[i] * np.float32(0.25)) @ k[: i + 1 if causal else N].T
        expected += sum(row[j] > row[:j].max() for j in range(1, len(row)))
    assert one_head(q, k, v, causal)["online"]["rises"] == expected


def test_a_head_whose_maxima_lie_in_the_first_tile_says_so_and_stops_nothing():
    q, k, v = tensors(N, D)
    found = one_head(q * 0, k, v)
    assert found["certified"]
    assert found["online"]["rises"] == 0
    assert (found["control"]["cannot_show"], found["control"]["caught"]) == (True, False)
    assert found["control"]["rows_wrong"] == 0


def test_a_head_that_is_not_certified_says_so_and_stops_nothing():
    q, k, v = tensors(N, D)
    found = one_head(q * np.float32(1e6), k, v)
    assert (found["certified"], found["attention"], found["control"]) == (False, None, None)
    assert found["online"]["within_bound"]


def test_a_score_that_overflows_float32_leaves_no_rise_to_count():
    q, k, v = tensors(N, D)
    found = one_head(q * np.float32(1e25), k * np.float32(1e25), v)
    assert found["overflow"]["overflowing_float32"] > 0
    assert (found["certified"], found["online"]) == (False, None)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("n", "d"), [(1, 16), (8, 32), (13, 128), (65, 64)])
def test_any_length_is_judged_whatever_the_tiles(path, n, d, causal):
    """One word, one tile, and lengths that no tile divides; where formulas are closed, by them."""
    section = computed(path, save(three(n, d)), causal=causal)
    shown = [head["control"]["cannot_show"] for head in section["heads"]]
    assert shown == [n <= TILES["control_key_rows"]] * 3
    sure = [claim for claim in heads.claims(section) if closed(claim)]
    assert len(sure) == 2 * 3
    for claim in sure:
        assert evaluate(claim.formula, n=n, d=d) == claim.record["value"], claim.id


@pytest.mark.parametrize("dtype", ["F16", "BF16"])
def test_smaller_types_are_widened_exactly(path, dtype):
    """Of numbers that all three types hold, all is the same but the file."""
    whole, small = (computed(path, own_heads.stored(own_heads.heads(), x)) for x in ("F32", dtype))
    assert whole.pop("file") != small.pop("file")
    assert whole == small


def test_claims_stand_in_a_document_that_fits_the_schema(path, facts):
    q, k, v = (np.stack([x] * 3) for x in tensors(N, D))
    q[1], q[2] = 0, q[2] * np.float32(1e6)
    sections = {name: facts[name] for name in ("model", *assemble.WITH_A_JOB)}
    sections["heads"] = computed(path, save({"q": q, "k": k, "v": v}))
    document = assemble.facts(facts["inputs"], facts["settings"], sections, facts["traffic"])
    made = {claim["id"]: claim for claim in document["claims"]}
    for key, value in {"heads": 3, "certified": 2, "caught": 1, "cannot_show": 1}.items():
        assert made[f"heads.{key}"]["value"] == value
    assert not [name for name in made if name.startswith(("heads.head2.plain", "heads.head2.con"))]
    own = [claim for name, claim in made.items() if name.startswith("heads.")]
    assert all(claim["display"] in claim["statement"] for claim in own)
    rest = [claim for claim in document["claims"] if claim not in own]
    assert rest == facts["claims"]


def all_of(value, *shape):
    return np.full(shape or (3, N, D), value, np.float32)


def one_of(value):
    found = three()["k"]
    found[1, 3, 4] = value
    return found


REFUSED = [
    ({"k": None, "v": None}, "found 'q', expected 'q', 'k' and 'v' and nothing else"),
    ({"mask": all_of(0, 3, N, N)}, "found 'k', 'mask', 'q', 'v', expected"),
    ({"o": all_of(0)}, "found 'k', 'o', 'q', 'v', expected"),
    ({"q": all_of(0, 3, N, 20)}, "d found 20, expected one of 16, 32, 64, 128"),
    ({"q": all_of(0, 0, N, D)}, "heads found 0, expected 1 to 64"),
    ({"q": all_of(0, 65, N, D)}, "heads found 65, expected 1 to 64"),
    ({"q": all_of(0, 3, 0, D)}, "n found 0, expected 1 to 4096"),
    ({"q": all_of(0, 1, 4097, D)}, "n found 4097, expected 1 to 4096"),
    ({"q": all_of(0, 1, 3, N, D)}, r"q found of shape \(1, 3, 24, 16\), expected \(n, d\) or"),
    ({"k": all_of(0, 1, N, D)}, r"k found of shape \(1, 24, 16\), expected \(3, 24, 16\) like q"),
    ({"k": all_of(0, 3, 9, D)}, r"k found of shape \(3, 9, 16\), expected \(3, 24, 16\) like q"),
    ({"v": np.zeros((3, N, D))}, "v found as F64, expected F32, F16, BF16"),
    ({"q": np.zeros((3, N, D), bool)}, "q found as BOOL, expected F32, F16, BF16"),
    ({"k": one_of(np.nan)}, r"k: found NaN at \[1, 3, 4\], counted from zero, expected"),
    ({"k": one_of(-np.inf)}, r"k: found infinity at \[1, 3, 4\], counted from zero"),
    ({"v": all_of(3e38)}, r"v found as large as 3e\+38 at head 0, expected less than"),
]


@pytest.mark.parametrize(("changes", "sentence"), REFUSED)
def test_a_file_that_is_not_judged_is_refused(path, changes, sentence):
    made = {key: x for key, x in (three() | changes).items() if x is not None}
    with pytest.raises(FactsError, match=sentence) as told:
        computed(path, save(made))
    assert "--scale" not in str(told.value)  # what no config has


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_as_nobody_should_write_it_is_refused(path, name):
    with pytest.raises(FactsError, match=f"^{path}: found") as told:
        computed(path, HOSTILE[name][0])
    assert str(told.value).isprintable()


def test_a_type_that_numpy_lacks_another_hash_and_no_file_are_refused(path):
    eights = {
        x: entry("F8_E4M3", (3, N, D), (i * 3 * N * D, (i + 1) * 3 * N * D))
        for i, x in enumerate("qkv")
    }
    with pytest.raises(FactsError, match="q found as F8_E4M3, expected F32, F16, BF16"):
        computed(path, raw(eights, bytes(9 * N * D)))
    with pytest.raises(FactsError, match=r"sha256 found .*, expected 00.* \(heads_sha256"):
        computed(path, save(three()), "00")
    path.unlink()
    with pytest.raises(FactsError, match=f"{path}: cannot be read"):
        heads.minutes(str(path), {"heads_sha256": "00", **TILES})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"heads_sha256": ""}, "heads_sha256 found empty"),
        ({"publish_to": "media/school/fused/"}, "the folder of the shipped facts"),
    ],
)
def test_heads_need_a_hash_and_a_folder_of_their_own(config, changes, sentence):
    own = {**config, "heads": "x", "heads_sha256": "0" * 64, "publish_to": "mine"}
    assert settings.checked(own)["heads"] == "x"
    with pytest.raises(FactsError, match=sentence):
        settings.checked({**own, **changes})
