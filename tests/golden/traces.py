"""Trace a run in four kinds of facts, and keep their digests in a file."""

import json
import warnings
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from golden.ways import Case, run

KINDS = ("pairs", "counters", "answer", "words")
FILE = Path(__file__).with_name("traces.json")
Facts = dict[str, list[str]]  # kind -> lines
Trace = dict[str, str]  # kind -> digest


def facts(case: Case) -> Facts:
    """Run a case and write down all that a user can tell of it, as exact text."""
    with TemporaryDirectory() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        asked, results = run(case, Path(folder))
    found: Facts = {"pairs": asked.pairs, "counters": [f"reached f: {len(asked.pairs)}"], "answer": [], "words": []}
    for result in results:
        for kind, line in _lines(result):
            found[kind].append(line)
    return found


def trace(case: Case) -> Trace:
    """Run a case and return a digest per kind."""
    found = facts(case)
    return {kind: blake2b("\n".join(found[kind]).encode(), digest_size=8).hexdigest() for kind in KINDS}


def differing(recorded: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return the kinds in which two traces differ."""
    return [kind for kind in KINDS if recorded[kind] != found[kind]]


def complaint(case: object, recorded: Mapping[str, str] | None, found: Mapping[str, str]) -> str | None:
    """Say in which kinds a run differs from its recorded trace; return None if it does not."""
    if recorded is None:
        return f"{case}: not recorded yet; `make golden-record` records it"
    kinds = differing(recorded, found)
    return f"{case}: {', '.join(kinds)} {'differs' if kinds == ['answer'] else 'differ'}" if kinds else None


def read(path: Path = FILE) -> tuple[dict[str, str], dict[str, Trace]]:
    """Return the recorded environment and the traces by case; both are empty if there is no file."""
    if not path.exists():
        return {}, {}
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["environment"], content["traces"]


def write(environment: Mapping[str, str], traces: Mapping[str, Trace], path: Path = FILE) -> None:
    """Write one trace per line, sorted, so that a diff shows which runs changed."""
    lines = [f"  {json.dumps(name)}: {json.dumps(traces[name])}" for name in sorted(traces)]
    head = json.dumps({"environment": environment}, indent=1).removesuffix("\n}")
    path.write_text(head + ',\n "traces": {\n' + ",\n".join(lines) + "\n }\n}\n", encoding="utf-8")


def _lines(result: Any) -> Iterator[tuple[str, str]]:
    """Yield the facts of one result, each with its kind."""
    if isinstance(result, Exception):
        yield "words", f"{type(result).__name__}: {result}"
        return
    if "history" not in result:
        yield from _lines_of_worst_case(result)
        return
    yield "counters", f"{result.nfev} {result.n_failed} {result.nit}"
    yield "answer", f"{_exact(result.x)} {_exact(result.y)} {_exact(result.fun)}"
    for nfev, x, y, fun in result.history:
        yield "answer", f"{nfev} {_exact(x)} {_exact(y)} {_exact(fun)}"
    yield "words", f"{result.status} {result.success} {result.agreement} {result.settled} {result.message}"
    if result.first_failure is not None:
        yield "answer", f"{_exact(result.first_failure.x)} {_exact(result.first_failure.y)}"
        yield "words", result.first_failure.summary
    if result.verification is not None:
        yield "answer", _exact(result.gap)
        yield "words", result.verdict
        yield from _lines_of_worst_case(result.verification)


def _lines_of_worst_case(found: Any) -> Iterator[tuple[str, str]]:
    yield "counters", f"{found.nfev} {found.n_failed}"
    yield "answer", f"{_exact(found.y)} {_exact(found.fun)} {_exact(found.lowest)}"
    yield "answer", f"{found.n_agreed} of {found.n_starts} {found.is_exact}"
    for part in found.slices:
        yield "answer", f"{_exact(part.at)} {_exact(part.values)} {_exact(part.here)}"
        yield "words", part.label
    yield "words", f"{found.success} {found.message}"


def _exact(values: Any) -> str:
    """Return numbers as text that is the same for the same bits, whatever the type they come in."""
    return str(np.asarray(values, dtype=np.float64).tolist())
