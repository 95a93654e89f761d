"""A stranger's file: refused in a sentence, or read exactly, without believing its header."""

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check import safetensors_file, tensors
from safetensors.numpy import save
from support.common import tensors as tensors_of
from support.hostile_files import HOSTILE, raw, three

ADDRESS_SPACE = 2**30  # enough for Python and NumPy, not for what a lying header speaks of


def refusal(path):
    with pytest.raises(FactsError) as error, tensors.opened(path):
        pass
    sentence = str(error.value)
    assert error.value.exit_code == 2
    assert sentence.startswith(f"{safetensors_file.shown(path)}: ")
    return sentence


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_one_sentence(tmp_path, name):
    content, says = HOSTILE[name]
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    sentence = refusal(path)
    assert re.search(says, sentence)
    assert sentence.isprintable()
    assert len(sentence) < 700


def test_what_a_header_speaks_of_is_not_allocated(tmp_path):
    """All hostile files, one after another, in a process that cannot have much memory."""
    for i, (content, _) in enumerate(HOSTILE.values()):
        (tmp_path / f"{i}.safetensors").write_bytes(content)
    code = (
        "import sys; from pathlib import Path; from fusedfacts import errors\n"
        "from fusedfacts.tensor_check import tensors\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n"
        "        with tensors.opened(Path(name)): print('opened', name)\n"
        "    except errors.FactsError: pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE,) * 2),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_is_no_plain_file_is_refused(tmp_path):
    fifo, loop = tmp_path / "fifo", tmp_path / "loop"
    os.mkfifo(fifo)
    loop.symlink_to(loop)
    assert "found something that is no plain file" in refusal(fifo)
    assert "cannot be read (Too many levels of symbolic links)" in refusal(loop)
    assert "found a folder" in refusal(tmp_path)
    assert "cannot be read (No such file or directory)" in refusal(tmp_path / "none")
    assert "cannot be read (Not a directory)" in refusal(fifo / "x")
    assert "cannot be read (File name too long)" in refusal(tmp_path / ("x" * 300))


def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    """The system's refusal is put in its mouth: whoever runs tests may read everything."""
    path = tmp_path / "x.safetensors"
    path.write_bytes(raw(three()))

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "cannot be read (Permission denied)" in refusal(path)


def test_a_file_beyond_the_limit_is_refused_by_its_size(tmp_path):
    path = tmp_path / "x.safetensors"
    with path.open("wb") as file:
        file.truncate(safetensors_file.FILE_MOST + 1)
    assert f"expected at most {safetensors_file.FILE_MOST}" in refusal(path)


def test_a_name_of_a_file_is_shown_on_one_line(tmp_path):
    assert "a\\nb: " in refusal(tmp_path / "a\nb")
    assert "\\udcff: " in refusal(tmp_path / os.fsdecode(b"\xff"))


def test_a_header_of_the_largest_size_is_read(tmp_path):
    text = raw(three())[8 : -6 * 64]
    path = tmp_path / "x.safetensors"
    path.write_bytes(raw(text + b" " * (safetensors_file.HEADER_MOST - len(text))))
    with tensors.opened(path) as found:
        assert found.shape == (2, 16)


def test_parts_of_a_tensor_are_the_file_s_own_bytes(tmp_path):
    path = tmp_path / "x.safetensors"
    values = {name: np.arange(6, dtype=np.float32) + 10 * i for i, name in enumerate("ba")}
    path.write_bytes(save(values))
    with safetensors_file.opened(path) as source:
        for name, wanted in values.items():
            found = source.part(source.entries[name], 8, 12)
            assert np.array_equal(np.frombuffer(found, "<f4"), wanted[2:5])


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "x.safetensors"
    q, k, v = tensors_of(500, 16)
    path.write_bytes(save({"q": q, "k": k, "v": v}))
    with tensors.opened(path) as found:
        os.truncate(path, path.stat().st_size - 1)
        assert found.head("q", 0).shape == (500, 16)
        with pytest.raises(FactsError, match=r"found 31999 bytes where 32000 were a moment ago"):
            found.head("v", 0)


def test_every_file_is_closed_again(tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(raw(three(), bytes(1)))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        refusal(path)
        refusal(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before
