"""Plant every lie, or those that are named, and write what was seen into the document."""

import shutil
import sys
import tempfile
from pathlib import Path

from support import audits
from support.lies import planted
from support.lies.catalogue import LIES
from support.workflow_runs import copy_of_repository, finished, small_copy


def main(names):
    rows = []
    with tempfile.TemporaryDirectory() as name:
        small = small_copy(Path(name) / "small")
        finished(small)
        shipped = copy_of_repository(Path(name) / "shipped")
        headed = planted.copy_with_heads(Path(name) / "headed")
        for key in names or LIES:
            right = headed if LIES[key].of_heads else shipped
            copy = shutil.copytree(right, Path(name) / key)
            found = planted.seen(LIES[key], copy, small, right / audits.WHERE)
            rows.append(planted.row(LIES[key], found.cells()))
            print(key, *found.cells(), *(found.full or found.careless)[:1], flush=True)
    if not names:
        text = planted.DOCUMENT.read_text(encoding="utf-8")
        table = planted.HEAD + "".join(rows)
        planted.DOCUMENT.write_text(planted.TABLE.sub(lambda _: table, text), encoding="utf-8")


main(sys.argv[1:])
