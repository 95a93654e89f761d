"""A stranger's file: refused in a sentence, or read exactly, without believing its header."""

import os
import re

import pytest
from fusedfacts.errors import FactsError, printable
from fusedfacts.tensor_check import safetensors_file, tensors
from safetensors.numpy import save
from support.common import tensors as tensors_of
from support.hostile_files import HOSTILE, raw, three


def refusal(path):
    with pytest.raises(FactsError) as error, tensors.opened(path):
        pass
    sentence = str(error.value)
    assert error.value.exit_code == 2
    assert sentence.startswith(f"{printable(str(path))}: ")
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


def test_what_is_no_plain_file_is_refused(tmp_path):
    fifo, loop = tmp_path / "fifo", tmp_path / "loop"
    os.mkfifo(fifo)
    loop.symlink_to(loop)
    assert "found something that is no plain file" in refusal(fifo)
    assert "cannot be read (Too many levels of symbolic links)" in refusal(loop)


def test_a_header_of_the_largest_size_is_read(tmp_path):
    text = raw(three())[8 : -6 * 64]
    path = tmp_path / "x.safetensors"
    path.write_bytes(raw(text + b" " * (safetensors_file.HEADER_MOST - len(text))))
    with tensors.opened(path) as found:
        assert found.named["q"].shape == (2, 16)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "x.safetensors"
    q, k, v = tensors_of(500, 16)
    path.write_bytes(save({"q": q, "k": k, "v": v}))
    with tensors.opened(path) as found:
        os.truncate(path, path.stat().st_size - 1)
        assert found.named["q"][()].shape == (500, 16)
        with pytest.raises(FactsError, match=r"found 31999 bytes where 32000 were a moment ago"):
            found.named["v"][()]
