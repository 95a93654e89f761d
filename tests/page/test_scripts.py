"""The page's scripts under node, against golden vectors that are Python's."""

import pytest
from support import node


@pytest.mark.parametrize("name", ["emulator", "device", "film", "model"])
def test_scripts_compute_the_golden_vectors(vectors, name):
    node.run("--test", f"tests/page/{name}.test.js", GOLDEN=str(vectors))
