"""Tests of torch and JAX themselves, collected only where these are installed.

They are in no list of requirements: `pip install --group real` (pyproject.toml) brings them, into
an environment of one's own. Without them there is nothing here to run, so nothing is skipped.
"""

from importlib.util import find_spec

collect_ignore = [f"test_{name}.py" for name in ("torch", "jax") if find_spec(name) is None]
