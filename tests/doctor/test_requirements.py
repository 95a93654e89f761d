"""The lock as the doctor reads it, and the age of what it pins."""

import copy
import re
from datetime import date

import pytest
from fusedfacts.doctor import line_endings, pins, requirements
from fusedfacts.doctor.requirements import Pin, applies, parsed
from fusedfacts.documents import canonical_json
from fusedfacts.errors import FactsError
from support.common import ROOT
from support.doctor_clones import HASH

LOCK = (ROOT / "requirements.txt").read_text(encoding="utf-8")
LINUX = {"sys_platform": "linux", "python_version": "3.11", "os_name": "posix"}


def test_every_requirement_is_one_version_with_hashes():
    found = parsed(LOCK)
    assert len(found) > 50
    assert all(pin.hashes for pin in found)
    assert len({pin.name for pin in found}) == len(found)
    assert {"numpy", "snakemake"} <= {pin.name for pin in found}


def test_every_marker_of_the_lock_is_understood():
    assert sum(applies(pin.marker, requirements.here()) for pin in parsed(LOCK)) > 50


@pytest.mark.parametrize(
    "line",
    [
        "numpy",
        "numpy==2.4.6",
        f"numpy>=2.4.6 --hash=sha256:{HASH}",
        f"numpy==2.* --hash=sha256:{HASH}",
        "numpy==2.4.6 --hash=md5:0123",
        f"numpy==2.4.6 --hash=sha256:{HASH[1:]}",
        f"numpy @ https://example.org/numpy.whl --hash=sha256:{HASH}",
        "--find-links https://example.org/simple",
        "-r other.txt",
        "-e .",
    ],
)
def test_a_looser_line_is_refused(line):
    with pytest.raises(FactsError, match=r"requirements\.txt: found .* expected NAME==VERSION"):
        parsed(f"{line}\n")


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ("", True),
        ("sys_platform == 'win32'", False),
        ("sys_platform != 'win32'", True),
        ("python_version < '3.9'", False),  # as text 3.11 would be less
        ("python_version >= '3.11' and os_name == 'posix'", True),
        ("(sys_platform == 'win32' or os_name == 'nt') and python_version > '3.0'", False),
    ],
)
def test_a_marker_is_read_as_a_comparison(marker, expected):
    assert applies(marker, LINUX) is expected


@pytest.mark.parametrize(
    "marker",
    ["__import__('os')", "os_name", "unknown == '1'", "os_name ==", "python_version < 'x'",
     "os_name in 'posix'", "'3' < python_version", "0 < python_version < 9"],
)  # fmt: skip
def test_another_marker_is_refused_and_not_run(marker):
    with pytest.raises(FactsError, match="found the marker"):
        applies(marker, LINUX)


def test_the_dates_are_of_exactly_the_pins():
    path = ROOT / pins.DATES
    dates = canonical_json.read(path)
    assert {n: e["version"] for n, e in dates.items()} == {p.name: p.version for p in parsed(LOCK)}
    assert path.read_text(encoding="utf-8") == canonical_json.dumps(dates)
    for entry in dates.values():
        assert set(entry) == {"version", "released"}
        assert entry["released"] is None or date.fromisoformat(entry["released"])


# In parts, so that this file is not one of those that name them.
REGISTRIES = "|".join(("py" + "pi", "python" + "hosted"))


def test_no_requirement_and_no_date_names_an_index():
    for name in ("requirements.in", "requirements.txt", pins.DATES, ".ci/pins.py"):
        text = (ROOT / name).read_text(encoding="utf-8").lower()
        assert not re.search(rf"https?:|index.url|find-links|{REGISTRIES}", text), name


def test_no_text_of_the_repository_names_a_package_registry():
    for name in line_endings.walked(ROOT):
        content = (ROOT / name).read_bytes()
        found = re.search(REGISTRIES.encode(), content, re.IGNORECASE)
        assert b"\0" in content or not found, name


LOCKED = {
    "package": [
        {"name": "pins", "version": "0"},
        {
            "name": "numpy",
            "version": "2.4.6",
            "sdist": {"hash": f"sha256:{HASH}", "upload-time": "2026-03-02T10:00:00Z"},
            "wheels": [
                {"hash": f"sha256:{'b' * 64}", "upload-time": "2026-03-01T23:59:59Z"},
                {"hash": f"sha256:{'c' * 64}", "upload-time": "2020-01-01T00:00:00Z"},
                {"hash": f"sha256:{'d' * 64}"},
            ],
        },
    ]
}


def pin(*letters):
    return Pin("numpy", "2.4.6", "", frozenset(f"sha256:{letter * 64}" for letter in letters))


def test_a_date_is_that_of_the_first_pinned_file_and_of_no_other():
    expected = {"numpy": {"version": "2.4.6", "released": "2026-03-01"}}
    assert pins.released([pin("a", "b", "d")], LOCKED) == expected


def test_a_pinned_file_without_a_time_has_no_date():
    assert pins.released([pin("d")], LOCKED)["numpy"]["released"] is None
    assert pins.released([pin("e")], LOCKED)["numpy"]["released"] is None


DATES = {
    "a": {"version": "1", "released": "2025-01-01"},
    "b": {"version": "1", "released": "2026-01-01"},
    "c": {"version": "1", "released": None},
}
PINS = [Pin(name, "1", "", frozenset()) for name in "abc"]


def test_ages_name_the_oldest_and_count_the_rest():
    ages = pins.ages(PINS, DATES, date(2026, 1, 2))
    assert ages.oldest == (("a", "1", "2025-01-01"), ("b", "1", "2026-01-01"))
    assert (ages.old, ages.unknown) == (1, 1)
    assert pins.ages(PINS, DATES, date(2026, 1, 1)).old == 0  # 365 days are no more than a year


@pytest.mark.parametrize(
    "entry", [None, [], {"version": "2", "released": "2025-01-01"}, {"version": "1"},
              {"version": "1", "released": "soon"}, {"version": "1", "released": 2025}]
)  # fmt: skip
def test_a_date_that_is_none_is_said_to_be_unknown(entry):
    dates = copy.deepcopy(DATES) | {"a": entry}
    assert pins.ages(PINS, dates, date(2026, 1, 2)).unknown == 2


def test_without_dates_all_ages_are_unknown():
    assert pins.ages(PINS, {}, date(2026, 1, 2)).line.startswith("oldest unknown; 0 older")
