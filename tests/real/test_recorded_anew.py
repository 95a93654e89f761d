"""onnxruntime, called again where it is installed: the same inputs, and answers that hold.

No list of requirements has it, so elsewhere there is no test. In an environment like .venv:

    pip install onnxruntime onnx && python -m pytest tests/real/test_recorded_anew.py
"""

import importlib.util

import numpy as np
import pytest
from fusedfacts.experiments.recorded import FOLDER, recorded

if all(importlib.util.find_spec(name) for name in ("onnxruntime", "onnx")):
    SPEC = importlib.util.spec_from_file_location("record", FOLDER / "record.py")
    record = importlib.util.module_from_spec(SPEC)
    SPEC.loader.exec_module(record)
    BEFORE = {(c.kernel, c.precision): c for c in recorded() if c.library == "onnxruntime"}

    @pytest.mark.slow
    def test_onnxruntime_answers_as_it_was_recorded():
        """To the bound: another processor may sum in another order."""
        from dataclasses import replace

        anew = list(record.onnxruntime())
        assert {(one.kernel, one.precision) for one in anew} == set(BEFORE)
        for one in anew:
            call = BEFORE[one.kernel, one.precision]
            for name in "qkv":
                assert np.array_equal(call.tensors[name], one.tensors[name])
            again = replace(call, tensors=one.tensors)
            for recipe in call.sought:
                before, after = ({h.verdict for h in c.judged(recipe)} for c in (call, again))
                assert before == after, (one.kernel, recipe.name)
