"""Results as data for programs and as tables for people."""

from math import isfinite
from typing import TYPE_CHECKING, Any

from reckless.cli.console import show, table, vector

if TYPE_CHECKING:
    from rich.table import Table

    from reckless.core.arrays import Array
    from reckless.run.result import MinimaxResult, WorstCase


def result_data(result: "MinimaxResult") -> dict[str, Any]:
    """The result of a run, as JSON has it."""
    failure, certificate = result.first_failure, result.certificate
    return {
        "x": result.x.tolist(),
        "y": result.y.tolist(),
        "estimate": _finite(result.fun),
        **{key: result[key] for key in ("nfev", "nit", "n_failed", "success", "status", "message", "method")},
        "first_failure": failure and {"x": failure.x.tolist(), "y": failure.y.tolist(), "traceback": failure.traceback},
        "certificate": None if certificate is None else certificate_data(certificate),
        "gap": _finite(result.gap),
        "verdict": result.verdict,
        "history": [
            {"nfev": nfev, "x": x.tolist(), "y": y.tolist(), "estimate": _finite(fun)}
            for nfev, x, y, fun in result.history
        ],
    }


def certificate_data(found: "WorstCase") -> dict[str, Any]:
    """A measured worst case, as JSON has it."""
    return {
        "y": found.y.tolist(),
        "worst_case": _finite(found.fun),
        **{key: found[key] for key in ("nfev", "n_failed", "n_starts", "n_agreed", "is_exact", "success", "message")},
    }


def show_result(name: str, result: "MinimaxResult", optimum: float | None) -> None:
    """Print what a run found; the last sentence says how far to trust it."""
    rows = _rows(f"{name} by {result.method}")
    rows.add_row("x", vector(result.x))
    rows.add_row("worst y found for it", vector(result.y))
    rows.add_row("estimate f(x, y)", f"{result.fun:.9g}")
    if optimum is not None:
        rows.add_row("optimal worst case", f"{optimum:.9g}")
    rows.add_row("evaluations", f"{result.nfev:,} in {result.nit:,} rounds")
    if result.n_failed:
        rows.add_row("failed evaluations", f"{result.n_failed:,}")
    if (failure := result.first_failure) is not None:
        rows.add_row("the first of them", failure.summary)
        rows.add_row("", f"at x = {vector(failure.x)}, y = {vector(failure.y)}")
    trust = "The estimate is a lower bound of the worst case of x; --certify or `reckless worst-case` measures that."
    if (certificate := result.certificate) is not None:
        rows.add_row("worst case measured", f"{certificate.fun:.9g}")
        rows.add_row("at y", vector(certificate.y))
        rows.add_row("gap to the estimate", f"{result.gap:.3g}")
        rows.add_row("certificate", f"{_evaluations(certificate)} evaluations. {certificate.message}")
        trust = f"{result.verdict}"
    show(rows, result.message, trust)


def show_certificate(title: str, x: "Array", found: "WorstCase") -> None:
    """Print how bad one x can get."""
    rows = _rows(f"{title}: how bad one x can get")
    rows.add_row("x", vector(x))
    rows.add_row("worst y found", vector(found.y))
    rows.add_row("worst case f(x, y)", f"{found.fun:.9g}")
    rows.add_row("evaluations", _evaluations(found))
    show(rows, found.message)


def _rows(title: str) -> "Table":
    rows = table(title, "", "")
    rows.show_header = False
    return rows


def _evaluations(found: "WorstCase") -> str:
    return f"{found.nfev:,}{f' ({found.n_failed:,} failed)' if found.n_failed else ''}"


def _finite(value: float | None) -> float | None:
    """JSON has no other numbers."""
    return value if value is not None and isfinite(value) else None
