"""A plugin for pytest that makes the tests use the core built with sanitizers (`make sanitize`)."""

import importlib.util
import sys

import blockfall
from tests import ROOT

_BUILT = ROOT / "build" / "sanitize-python"
_NAME = "blockfall._core"

assert _NAME not in sys.modules, "the usual core was loaded first"
[_path] = _BUILT.glob("_core.*.so")
_spec = importlib.util.spec_from_file_location(_NAME, _path)
assert _spec
assert _spec.loader
_core = importlib.util.module_from_spec(_spec)
sys.modules[_NAME] = _core
_spec.loader.exec_module(_core)
blockfall._core = _core
