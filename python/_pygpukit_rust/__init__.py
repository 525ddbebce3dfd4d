"""The compiled module under its top-level name: the same object as `pygpukit._pygpukit_rust`."""

import sys

from pygpukit import _pygpukit_rust as _module

sys.modules[__name__] = _module
sys.modules[f"{__name__}._pygpukit_rust"] = _module
_module._pygpukit_rust = _module  # type: ignore[attr-defined]
