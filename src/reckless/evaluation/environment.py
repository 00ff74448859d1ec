"""What the last digits of a run depend on besides its arguments: the processor, and the libraries that compute."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_LIBRARIES = ("numpy", "scipy", "numba", "daqp")  # those that compute


@cache
def environment() -> dict[str, str]:
    """Return the type of the processor and the versions of the libraries that compute."""
    return {"processor": processor(), **{name: version_of(name) for name in _LIBRARIES}}


def version_of(name: str) -> str:
    """Return the version of an installed distribution."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


@cache
def processor() -> str:
    """Return the model of the processor, by which BLAS and the compiler choose their instructions."""
    path = Path("/proc/cpuinfo")  # of Linux, whose `platform.processor` says next to nothing
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return " ".join(part for part in (platform.machine(), *(models[:1] or [platform.processor()])) if part)
