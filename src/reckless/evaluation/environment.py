"""What the last digits of a run depend on besides its arguments: the processor, and the libraries that compute."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_LIBRARIES = ("numpy", "scipy", "numba", "daqp")


@cache
def environment() -> dict[str, str]:
    """Return the type of the processor and the versions of the libraries that compute."""
    return {"processor": _processor(), **{name: _version(name) for name in _LIBRARIES}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _processor() -> str:
    """Return the model of the processor, which decides on the kernels that BLAS takes."""
    path, model = Path("/proc/cpuinfo"), ""
    if path.exists():
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{platform.machine()} {model}".strip()
