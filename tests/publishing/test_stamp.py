import pytest
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing import stamp
from support.common import PUBLISHED, change_digit


@pytest.mark.parametrize(
    "spoil", [change_digit, lambda path: path.unlink(), lambda path: path.write_text("{}")]
)
def test_the_stamp_goes_with_an_edit_and_not_before(tmp_path, spoil):
    folder = tmp_path / "out"
    publish.publish(PUBLISHED / "manifest.json", folder)
    left = tmp_path / "published.ok"
    stamp.drop_stale_stamp(folder, left)
    left.write_text(publish.publish(PUBLISHED / "manifest.json", folder) + "\n")
    stamp.drop_stale_stamp(folder, left)
    assert left.exists()
    spoil(folder / "facts.json")
    stamp.drop_stale_stamp(folder, left)
    assert not left.exists()
