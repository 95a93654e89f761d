"""Heads of one's own: what is said of them, what they cannot show, and which files are refused."""

import numpy as np
import pytest
from fusedfacts.documents.files import sha256
from fusedfacts.errors import FactsError
from fusedfacts.experiments import control, heads
from fusedfacts.experiments import facts as assemble
from fusedfacts.pipeline import config as settings
from safetensors.numpy import save
from support.common import tensors

TILES = {"control_key_rows": 8, "model_key_rows": [4, 8]}
N, D = 24, 16


def one_head(q, k, v, causal=True):
    given = {"widths": [4, 8], "control_key_rows": 8, "causal": causal}
    return heads.head_results(q, k, v, **given, name="head")


def written(path, **changes):
    """A file of three heads, some of its tensors changed; None leaves one out."""
    shape = (3, N, D)
    made = dict(zip("qkv", (np.stack([x] * 3) for x in tensors(N, D)), strict=True))
    made |= changes
    assert made["q"] is None or changes or made["q"].shape == shape
    path.write_bytes(
        save({key: np.ascontiguousarray(x) for key, x in made.items() if x is not None})
    )
    return path


def computed(path, hashed=None, **changes):
    given = {"heads_sha256": hashed or sha256(path.read_bytes()), "heads_causal": True}
    return heads.compute(heads=str(path), **{**given, **TILES, **changes})


def test_the_control_on_a_head_is_that_of_the_shipped_model():
    q, k, v = tensors(N, D)
    found, shipped = one_head(q, k, v)["control"], control.head_results(q, k, v, 8, "head")
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


def test_claims_stand_in_a_document_that_fits_the_schema(tmp_path, facts):
    q, k, v = (np.stack([x] * 3) for x in tensors(N, D))
    q[1], q[2] = 0, q[2] * np.float32(1e6)
    path = written(tmp_path / "own.safetensors", q=q, k=k, v=v)
    sections = {name: facts[name] for name in ("model", *assemble.WITH_A_JOB)}
    sections["heads"] = computed(path)
    document = assemble.facts(facts["inputs"], facts["settings"], sections, facts["traffic"])
    made = {claim["id"]: claim for claim in document["claims"]}
    for key, value in {"heads": 3, "certified": 2, "caught": 1, "cannot_show": 1}.items():
        assert made[f"heads.{key}"]["value"] == value
    assert not [name for name in made if name.startswith(("heads.head2.plain", "heads.head2.con"))]
    own = [claim for name, claim in made.items() if name.startswith("heads.")]
    assert all(claim["display"] in claim["statement"] for claim in own)
    rest = [claim for claim in document["claims"] if claim not in own]
    assert rest == facts["claims"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"k": None, "v": None}, "found no k, v, expected q, k, v"),
        ({"q": np.zeros((3, N, 20), np.float32)}, "d found 20, expected one of 16, 32, 64, 128"),
        ({"k": np.zeros((3, 9, D), np.float32)}, r"k found of shape \(3, 9, 16\), expected"),
        ({"v": np.zeros((3, N, D))}, "v found as F64, expected F32, F16 or BF16"),
        ({"v": np.full((3, N, D), np.nan, np.float32)}, "v holds NaN at head 0, row 0"),
        ({"v": np.full((3, N, D), 3e38, np.float32)}, "v found as large as 3e"),
        ({"o": np.zeros((3, N, D), np.float32)}, "found an answer o, expected q, k and v alone"),
        ({key: np.zeros((3, 7, D), np.float32) for key in "qkv"}, "n found 7, expected at least 8"),
        ({key: np.zeros((65, 8, D), np.float32) for key in "qkv"}, "heads found 65, expected at"),
    ],
)
def test_a_file_that_is_not_judged_is_refused(tmp_path, changes, sentence):
    path = written(tmp_path / "own.safetensors", **changes)
    with pytest.raises(FactsError, match=sentence):
        computed(path)


def test_another_hash_and_no_safetensors_are_refused(tmp_path):
    path = written(tmp_path / "own.safetensors")
    with pytest.raises(FactsError, match=r"sha256 found .*, expected 00.* \(heads_sha256"):
        computed(path, "00")
    path.write_bytes(b"no")
    with pytest.raises(FactsError, match="found no safetensors file"):
        computed(path)


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
