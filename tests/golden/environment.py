"""Tell whether traces recorded elsewhere can be expected here: floating point differs between machines."""

import os
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import numba
import numpy as np


def environment() -> dict[str, str]:
    """Return all that decides the last bits of a run."""
    libraries = {name: version(name) for name in ("numpy", "scipy", "numba", "daqp")}
    return {
        "system": f"{platform.system()}, {' '.join(platform.libc_ver())}",
        "processor": _processor(),
        "SIMD": " ".join(np.show_config(mode="dicts")["SIMD Extensions"]["found"]),
        "python": ".".join(platform.python_version_tuple()[:2]),
        **libraries,
        "compiled kernels": "no" if numba.config.DISABLE_JIT else "yes",
        "BLAS threads": os.environ.get("OPENBLAS_NUM_THREADS", "any"),
    }


def reason_to_skip(recorded: Mapping[str, str], here: Mapping[str, str]) -> str | None:
    """Say in one sentence why recorded traces do not hold here; return None if they do."""
    for key in here:
        if recorded.get(key) != here[key]:
            was = f"recorded with {key} {recorded[key]!r}" if key in recorded else "not recorded"
            return (
                f"The traces were {was}, and here {key} is {here[key]!r}: start the tier by `make golden`, or record "
                "your own by `make golden-record` before you change anything."
            )
    return None


def _processor() -> str:
    """Return the model of the processor, which decides on the kernels that BLAS takes."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    facts = dict(map(str.strip, line.split(":", 1)) for line in reversed(lines) if ":" in line)
    parts = [facts.get(key, "") for key in ("model name", "cpu family", "model")]
    return " ".join([platform.machine(), *parts]).strip() if facts else f"{platform.machine()} {platform.processor()}"
