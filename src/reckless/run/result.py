"""Results, in SciPy's words."""

import csv
from collections.abc import Mapping
from io import StringIO
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult

from reckless.core.arrays import Array
from reckless.core.outcome import Failure
from reckless.core.sense import Sense
from reckless.core.task import Agreement, Case, Recommendation, TraceRow
from reckless.domains.labels import Legend, Legends, shown
from reckless.domains.named import names_of, with_names
from reckless.errors import MissingPackage
from reckless.run.origin import Origin

if TYPE_CHECKING:
    from reckless.run.plots import Figure


MOST_CASES = 12  # lines of a report


class History(tuple[Recommendation, ...]):
    """How the recommendation changed during a run, oldest first."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "<no recommendation>"
        return f"<{len(self)} recommendations, from evaluation {self[0].nfev} to {self[-1].nfev}>"

    def to_frame(self) -> Any:
        """Return the recommendations as a pandas DataFrame: columns nfev, x[0], ..., y[0], ..., fun."""
        X, Y = ([row.x for row in self], [row.y for row in self]) if self else (np.empty((0, 0)), np.empty((0, 0)))
        X, Y = (with_names(np.array(rows), names_of(rows[0]) if self else ()) for rows in (X, Y))
        nfev, fun = [row.nfev for row in self], [row.fun for row in self]
        return frame({"nfev": nfev, **columns("x", X), **columns("y", Y), "fun": fun})


class Trace(tuple[TraceRow, ...]):
    """The events that a method noted during a run, oldest first; empty if it notes none."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "<no events>"
        return f"<{len(self)} events, from evaluation {self[0].nfev} to {self[-1].nfev}>"

    def to_frame(self) -> Any:
        """Return the events as a pandas DataFrame; NaN where a number does not apply."""
        return frame({name: [row[k] for row in self] for k, name in enumerate(TraceRow._fields)})

    def to_csv(self) -> str:
        """Return the rows as CSV text with a header; a cell is empty where a number does not apply."""
        text = StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(TraceRow._fields)
        for row in self:
            writer.writerow("" if isinstance(cell, float) and isnan(cell) else cell for cell in row)  # floats by repr
        return text.getvalue()


class Pairs(NamedTuple):
    """What was evaluated: rows X (n, n_x) and Y (n, n_y), and values (n,) as f gave them, NaN where it failed."""

    X: Array
    Y: Array
    values: Array

    def __repr__(self) -> str:
        n, n_failed = len(self.values), int(np.isnan(self.values).sum())
        return f"<{n:,} pair{'' if n == 1 else 's'}, {n_failed:,} failed>"

    def to_frame(self) -> Any:
        """Return the pairs as a pandas DataFrame: columns x[0], ..., y[0], ..., value."""
        return frame({**columns("x", self.X), **columns("y", self.Y), "value": self.values})


class Slice(NamedTuple):
    """f(x, y) along a line through the worst y: positions and values (k,), and the position of the worst y.

    kind: "linear" or "log" for a line, any other word for single points, "list" for rows of a list of scenarios.
    coordinate: whose values the positions are, or None.
    """

    label: str
    at: Array
    values: Array
    here: float
    kind: str = "linear"
    coordinate: int | None = None


class Slices(tuple[Slice, ...]):
    """f(x, y) along some lines through the worst y."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} slices>" if self else "<no slices>"


class Nominal(NamedTuple):
    """The x with the lowest value seen at the nominal y, and that value; with maximin, the highest."""

    x: Array
    fun: float


class MinimaxResult(OptimizeResult):
    """The outcome of `minimax` and `Solver`.

    x: the design found. y: the worst case known for it. fun: f(x, y), the highest value known at x, by the run or its
    verification. It is a lower bound of the worst case of x. If f is noisy (one pair had two values), it is a mean.
    maximin: whether large values are good. Then fun is the lowest value known, an upper bound of the worst case.
    nfev, nit: evaluations and rounds. n_failed: evaluations that failed (NaN, exception, timeout, dead worker), those
    made good by a retry included. first_failure: x, y and traceback of the first of them, or None. method: its name.
    status, message: why the run ended, and what to know about the answer.
    agreement: completed independent searches at x, and how many arrived at fun, as in "4 of 5"; None without one.
    settled: whether the descent that led to x came to its end; None if the method cannot tell.
    upper: the worst case of x is likely below this, as the method's model has it; None if it does not say, or if what
    is known contradicts it. It is never below fun, and it is no guarantee. lower: the same for maximin, where the worst
    case is likely above this; one of the two is None.
    active: the worst cases of x, a tuple of `Case`, the one at y first: all y whose value is next to fun, one for each
    hill of f(x, .). A case has y, fun, weight (its multiplier: its part in holding x where it is; None where the method
    has none) and row (its place in a list of scenarios, else None). Empty if no x has a
    value, and in what a callback sees.
    nominal: x and fun, the lowest value seen at `y_nominal`; None if that was not given, or never evaluated.
    success: whether the answer can be relied on, as far as the run knows. It is False if fun is not finite, if f fails
    at x under the policy "worst", if the verification refuted the answer, or if a method that verifies by itself
    completed fewer than two searches that agree, or most disagree. A method that never verifies has SciPy's success: it
    came to a regular end.
    history: when the method's recommendation changed (nfev, x, y, fun).
    trace: the events that the method noted, a `Trace`; None unless asked for.
    pairs: all that was evaluated, a `Pairs`, in the order of the requests, those of the verification and what `data`
    brought included; None unless asked for by `keep`; a callback is not given it.
    origin: sets, method, seed, maxfev, version and seconds, an `Origin`, so that a saved result says what it is.
    legends: names, units and words of choices of x and y, a `Legend` each. x and y answer to their names: ``x.R``.

    verification: a `WorstCase`, gap: its value minus what the run knew, verdict: a sentence on both; None unless
    verified. refuted: whether the verification found a worse case than the run.
    """

    x: Array
    y: Array
    fun: float
    nfev: int
    nit: int
    n_failed: int
    first_failure: Failure | None
    success: bool
    status: int
    message: str
    agreement: Agreement | None
    settled: bool | None
    upper: float | None
    lower: float | None
    active: tuple[Case, ...]
    nominal: Nominal | None
    maximin: bool
    refuted: bool
    method: str
    history: History
    trace: Trace | None
    pairs: Pairs | None
    origin: Origin
    verification: "WorstCase | None"
    gap: float | None
    verdict: str | None
    legends: Legends

    def report(self) -> str:
        """Say what a person should know about this result, as text to print."""
        lines = [
            f"Sets: {_coordinates('x', self.x)}, {_coordinates('y', self.y)}.",  # a table of cases may be read as a box
            f"x = {self._shown(self.x, 'x')}",
            f"worst case known: {self.fun:.9g}, at y = {self._shown(self.y, 'y')}",
            *([] if self.upper is None else [f"likely below: {self.upper:.9g}"]),
            *([] if self.lower is None else [f"likely above: {self.lower:.9g}"]),
            *self._cases(),
            *([] if self.nominal is None else [self._price(self.nominal)]),
            self.message,
            f"{self.nfev:,} evaluations in {self.nit:,} rounds of {self.method}.",
        ]
        if (failure := self.first_failure) is not None:
            lines.append(
                f"{self.n_failed:,} of the evaluations failed, the first at x = "
                f"{self._shown(failure.x, 'x')}, y = {self._shown(failure.y, 'y')}: {failure.summary}"
            )
        if self.verification is not None:
            lines += ["", self.verification.report(), f"{self.verdict}"]
        return "\n".join(lines)

    def _shown(self, point: Array, player: str) -> str:
        """Return a point as people read it."""
        legends = self.get("legends") or Legends()
        return shown(getattr(legends, player), point, player)

    def _cases(self) -> list[str]:
        """Say which worst cases x has, if there are several; one line each."""
        active = self.active
        if len(active) < 2:
            return []
        lines = [f"{len(active):,} worst cases:"]
        for case in active[:MOST_CASES]:
            row = "" if case.row is None else f" (row {case.row:,})"
            weight = "" if case.weight is None else f", weight {case.weight:.3g}"
            lines.append(f"  {case.fun:.9g} at y = {self._shown(case.y, 'y')}{row}{weight}")
        n_more = len(active) - MOST_CASES
        return lines if n_more <= 0 else [*lines, f"  and {n_more:,} more in result.active"]

    def _price(self, nominal: Nominal) -> str:
        """Say what being prepared for the worst case costs, compared with the best that was seen in the nominal one."""
        seen = f"nominal best seen {nominal.fun:.6g} at x = {self._shown(nominal.x, 'x')}"
        if not isfinite(self.fun):
            return f"price of robustness: unknown ({seen})"
        price = (self.fun - nominal.fun) * (-1.0 if self.maximin else 1.0)
        return f"price of robustness: {price:.6g} (worst case {self.fun:.6g}, {seen})"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain lists, numbers and texts, as `save` writes it.

        JSON has no infinity and no NaN: they are the texts "inf", "-inf" and "nan". What does not apply is None.
        """
        from reckless.run.saving import pack_result

        return pack_result(self)

    def save(self, path: Any) -> None:
        """Write the result to a JSON file, which `reckless.load` reads; it appears when it is complete.

        A file of this name is replaced. Nothing in it is ever executed when it is read.
        """
        from reckless.run.saving import save

        save(self, path)

    def plot(self, axes: Any = None, names: Any = None) -> "Figure":
        """Draw f(x, y) around the worst y, as far as the verification measured it, and how the estimate changed.

        Needs no evaluations. A notebook shows the figure; ``result.plot().savefig("run.png")`` writes it to a file. It
        is white, whatever the page or the style. axes: matplotlib Axes to draw on, as many as there are panels: one per
        slice (at most 5) and one for the run. names: what to call the coordinates of y, in place of their own names.
        """
        from reckless.run.plots import draw_result

        return draw_result(self, axes, names)

    def _repr_html_(self) -> str:
        """Return the result as a notebook shows it: tables and the picture."""
        from reckless.run.html import result_html

        return result_html(self)


class WorstCase(OptimizeResult):
    """The outcome of `worst_case`: a verification, that is, a worst case measured apart from the run that proposed x.

    y, fun: the worst y found and f(x, y) there. n_starts: how many independent searches were made. n_agreed: how many
    of them arrived at that value. is_exact: whether every y there is was tried. lowest, highest: the smallest and the
    largest value met, which tell how much y matters; one of them is fun. slices: f(x, y) along lines through y, if they
    were asked for. scenarios: with them, f(x, y) for all rows of a list that were tried, as one slice; else none. nfev,
    n_failed, success, message: as for `MinimaxResult`. legend: names, units and words of y.
    """

    y: Array
    fun: float
    nfev: int
    n_starts: int
    n_agreed: int
    n_failed: int
    is_exact: bool
    lowest: float
    highest: float
    slices: Slices
    scenarios: Slices
    success: bool
    message: str
    legend: Legend

    def to_dict(self) -> dict[str, Any]:
        """Return the verification as plain lists, numbers and texts; see `MinimaxResult.to_dict`."""
        from reckless.run.saving import pack_worst_case

        return pack_worst_case(self)

    def report(self) -> str:
        """Say what a person should know about this verification, as text to print."""
        failed = f", of which {self.n_failed:,} failed" if self.n_failed else ""
        return (
            f"worst case found: {self.fun:.9g}, at y = {shown(self.get('legend') or Legend(), self.y, 'y')}\n"
            f"{self.nfev:,} evaluations{failed}. {self.message}"
        )

    def _repr_html_(self) -> str:
        """Return the verification as a notebook shows it."""
        from reckless.run.html import worst_case_html

        return worst_case_html(self)


def named_result(result: MinimaxResult) -> MinimaxResult:
    """Return a result whose points answer to their names."""
    (x_names, _, _), (y_names, _, _) = result.legends
    result.x, result.y = with_names(result.x, x_names), with_names(result.y, y_names)
    result.active = tuple(case._replace(y=with_names(case.y, y_names)) for case in result.active)
    if result.nominal is not None:
        result.nominal = result.nominal._replace(x=with_names(result.nominal.x, x_names))
    return result


def turned(result: MinimaxResult, sense: Sense) -> MinimaxResult:
    """Return a result of the search with the user's signs."""
    if not sense.is_turned:
        return result
    rows = [row._replace(fun=sense.turn(row.fun)) for row in result.history]
    result.history = History(rows)
    result.fun, result.upper, result.lower = sense.turn(result.fun), None, _turned(result.upper, sense)
    result.active = tuple(case._replace(fun=sense.turn(case.fun)) for case in result.active)
    result.nominal = result.nominal and result.nominal._replace(fun=sense.turn(result.nominal.fun))
    result.gap = _turned(result.gap, sense)
    if result.trace is not None:
        result.trace = Trace(row._replace(fun=sense.turn(row.fun)) for row in result.trace)
    if result.verification is not None:
        result.verification = turned_worst_case(result.verification, sense)
    return result


def turned_worst_case(found: WorstCase, sense: Sense) -> WorstCase:
    """Return a verification of the search with the user's signs."""
    if not sense.is_turned:
        return found
    seen = WorstCase(found)
    seen.fun, seen.lowest, seen.highest = (sense.turn(v) for v in (found.fun, found.highest, found.lowest))
    for key in ("slices", "scenarios"):
        seen[key] = Slices(part._replace(values=sense.turn(part.values)) for part in found[key])
    return seen


def _turned(value: float | None, sense: Sense) -> float | None:
    return None if value is None else sense.turn(value)


def columns(player: str, rows: Array) -> dict[str, Array]:
    """Return the coordinates of rows (m, n) by their names."""
    names = names_of(rows) or [f"{player}[{i}]" for i in range(rows.shape[1])]
    return dict(zip(names, np.asarray(rows).T, strict=True))


def frame(table: Mapping[str, Any]) -> Any:
    """Return columns as a pandas DataFrame."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingPackage("to_frame: pandas is not installed. Try pip install pandas.") from None
    return DataFrame(table)


def vector(values: Array) -> str:
    """Return a point as people read it."""
    return f"({', '.join(f'{value:.6g}' for value in values)})"


def attacks_failed(n_failed: int, n_attacks: int, y: Array, y_domain: Any) -> str:
    """Say how many evaluations at an x failed; `y` is where the first of them did."""
    return f"{n_failed:,} of {n_attacks:,} attacks on this x failed, the first at y = {shown(y_domain, y, 'y')}."


def _coordinates(player: str, point: Array) -> str:
    """Say how many coordinates a player has."""
    return f"{player} has {point.size} coordinate{'s' if point.size > 1 else ''}"
