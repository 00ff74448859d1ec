"""Run a case: the ways of evaluating f, and the drivers that follow them.

The keywords of `minimax` are spelled here and nowhere else in the tier.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import reckless
from golden.settings import Setting, build_setting, fraction

VERIFY, IGNORE = "verify", "ignore"
IGNORED: dict[str, Any] = {"on_error": IGNORE, "nan_policy": IGNORE}


class Unlucky(ArithmeticError):
    """Stand for whatever a simulator raises."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """Say how f is evaluated, and what else happens to a run.

    driver: "minimax", "ask" (by `Solver`) or "attack" (by `worst_case`).
    failing: share of the pairs that fail. by: "error", "nan", or "both" in equal parts.
    flaky: whether a failure depends on the attempt too, so that a retry may succeed.
    rows: whether f is vectorized.
    journal: whether the run has a checkpoint. n_runs: how often the same call is made with it.
    interrupted: Ctrl-C is pressed once, after this share of `maxfev`. torn: lines that the journal then loses, of the
    first a half.
    margin: the target lies this far above the optimum. n_shown: the callback ends the run after this many
    recommendations.
    options: further keywords of `minimax`.
    """

    driver: str = "minimax"
    failing: float = 0.0
    by: str = "both"
    flaky: bool = False
    rows: bool = False
    journal: bool = False
    n_runs: int = 1
    interrupted: float | None = None
    torn: int = 0
    margin: float | None = None
    n_shown: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


_SAFE_JOURNAL = {**IGNORED, "retries": 1}
WAYS: dict[str, Way] = {
    "scalar": Way(),
    "rows": Way(rows=True),
    "batch": Way(options={"batch_size": 4}),
    "ask": Way(driver="ask"),
    "ask-nan": Way(driver="ask", failing=0.1, by="nan"),
    "ignore": Way(failing=0.1, options=IGNORED),
    "ignore-rows": Way(failing=0.02, rows=True, options=IGNORED),
    "nan": Way(failing=0.2, by="nan", rows=True),
    "retry": Way(failing=0.1, options={**IGNORED, "retries": 2}),
    "retry-flaky": Way(failing=0.2, flaky=True, options={**IGNORED, "retries": 2}),
    "raise-error": Way(failing=0.01),
    "raise-nan": Way(failing=0.02, options={"on_error": IGNORE, "nan_policy": "raise"}),
    "raise-retry": Way(failing=0.05, flaky=True, options={"nan_policy": "raise", "retries": 1}),
    "all-error": Way(failing=1.0, by="error", options=IGNORED),
    "all-nan": Way(failing=1.0, by="nan"),
    "interrupt": Way(interrupted=0.4),
    "interrupt-rows": Way(interrupted=0.4, rows=True),
    "interrupt-retry": Way(interrupted=0.4, failing=0.1, options=_SAFE_JOURNAL),
    "journal": Way(journal=True),
    "journal-rows": Way(journal=True, rows=True, failing=0.1, by="nan", options=IGNORED),
    "replay": Way(journal=True, n_runs=2, failing=0.05, options=_SAFE_JOURNAL),
    "resume": Way(journal=True, n_runs=2, interrupted=0.4),
    "resume-retry": Way(journal=True, n_runs=2, interrupted=0.3, failing=0.1, options=_SAFE_JOURNAL),
    "resume-rows": Way(journal=True, n_runs=2, interrupted=0.6, rows=True, failing=0.1, by="nan", options=IGNORED),
    "resume-torn": Way(journal=True, n_runs=2, interrupted=0.5, torn=2),
    "target": Way(margin=0.05),
    "target-retry": Way(margin=0.1, failing=0.1, flaky=True, options={**IGNORED, "retries": 1}),
    "target-resume": Way(margin=0.05, journal=True, n_runs=2, interrupted=0.1),
    "verify": Way(options={VERIFY: 400}),
    "verify-ignore": Way(failing=0.1, options={VERIFY: 300, **IGNORED}),
    "verify-retry": Way(failing=0.1, flaky=True, options={VERIFY: 300, **IGNORED, "retries": 2}),
    "verify-target": Way(margin=0.05, options={VERIFY: 300}),
    "verify-interrupt": Way(interrupted=1.2, options={VERIFY: True}),
    "verify-resume": Way(journal=True, n_runs=2, interrupted=1.1, options={VERIFY: True}),
    "verify-stop": Way(n_shown=2, options={VERIFY: 100}),
    "stop": Way(n_shown=3),
    "stop-at-once": Way(n_shown=1),
    "attack": Way(driver="attack"),
    "attack-retry": Way(driver="attack", failing=0.1, flaky=True, options={**IGNORED, "retries": 1}),
    "attack-slices": Way(driver="attack", options={"slices": True}),
}


class Asked:
    """Wrap f: keep every pair it is asked for, and fail where the way says so.

    Rows are evaluated one by one from fresh copies: values do not depend on batches or on the layout of the memory.
    """

    def __init__(self, setting: Setting, way: Way, maxfev: int) -> None:
        self._f, self._way = setting.f, way
        self._interrupt_at = None if way.interrupted is None else max(1, int(way.interrupted * maxfev))
        self._attempts: dict[bytes, int] = {}
        self.pairs: list[str] = []

    def __call__(self, x: np.ndarray, y: np.ndarray) -> float:
        return self.rows(x[None], y[None]).item()

    def rows(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Return the values (m,) of the pairs in rows; one exception is that of all."""
        for x, y in zip(X, Y, strict=True):
            self.pairs.append(f"{x.tolist()} {y.tolist()}")
            if len(self.pairs) == self._interrupt_at:
                raise KeyboardInterrupt
        return np.array([self._value(np.array(x), np.array(y)) for x, y in zip(X, Y, strict=True)])

    def _value(self, x: np.ndarray, y: np.ndarray) -> float:
        way, luck = self._way, self._luck(x, y)
        if luck >= way.failing:
            return float(self._f(x, y))
        if way.by == "error" or (way.by == "both" and luck < 0.5 * way.failing):
            raise Unlucky(f"no value at {luck:.6f}")
        return float("nan")

    def _luck(self, x: np.ndarray, y: np.ndarray) -> float:
        """Return a number in [0, 1): the pair's own, or that of this attempt."""
        pair = x.tobytes() + y.tobytes()
        attempt = self._attempts[pair] = self._attempts.get(pair, 0) + 1
        return fraction(x, y, f"attempt {attempt}" if self._way.flaky else "")


@dataclass(frozen=True)
class Case:
    """Name one traced run by everything that decides it."""

    method: str
    problem: str
    way: str
    maxfev: int
    seed: int

    def __str__(self) -> str:
        return f"{self.method} on {self.problem}, {self.way}, {self.maxfev} evaluations, seed {self.seed}"


def run(case: Case, folder: Path) -> tuple[Asked, list[Any]]:
    """Run a case; return what f was asked for and all results, or the exceptions in their place.

    folder: an empty one, for the journal.
    """
    setting, way = build_setting(case.problem), WAYS[case.way]
    asked = Asked(setting, way, case.maxfev)
    drive = {"minimax": _minimize, "ask": _ask_and_tell, "attack": _attack}[way.driver]
    results: list[Any] = []
    for k in range(way.n_runs):
        if k and way.torn:
            _tear(folder / JOURNAL, way.torn)
        try:
            results += drive(case, setting, way, asked, folder)
        except (Unlucky, reckless.ObjectiveFailed) as error:
            results.append(error)
    return asked, results


JOURNAL = "run.journal"


def _tear(path: Path, n_lines: int) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-n_lines]) + lines[-n_lines][: len(lines[-n_lines]) // 2])


def _minimize(case: Case, setting: Setting, way: Way, asked: Asked, folder: Path) -> list[Any]:
    options, seen = {**setting.options, **way.options}, []
    if way.journal:
        options["checkpoint"] = folder / JOURNAL
    if way.margin is not None:
        assert setting.optimum is not None, f"{case}: a target needs a known optimum"
        options["target"] = setting.optimum + way.margin * (1.0 + abs(setting.optimum))

    def stop(*, intermediate_result: Any) -> None:
        if len(intermediate_result.history) > len(seen):  # other calls may come by the clock
            seen.append(intermediate_result)
        if len(seen) == way.n_shown:
            raise StopIteration

    result = reckless.minimax(
        asked.rows if way.rows else asked,
        setting.x_bounds,
        setting.y_bounds,
        maxfev=case.maxfev,
        method=case.method,
        rng=case.seed,
        vectorized=way.rows,
        callback=None if way.n_shown is None else stop,
        **options,
    )
    return [*seen, result]


def _ask_and_tell(case: Case, setting: Setting, way: Way, asked: Asked, folder: Path) -> list[Any]:
    x_bounds, y_bounds = setting.x_bounds, setting.y_bounds
    solver = reckless.Solver(case.method, x_bounds, y_bounds, maxfev=case.maxfev, rng=case.seed, **setting.options)
    while not solver.done:
        solver.tell(asked.rows(*solver.ask()))
    return [solver.result()]


def _attack(case: Case, setting: Setting, way: Way, asked: Asked, folder: Path) -> list[Any]:
    """Attack a point of the box of x; the case names no method."""
    x = [0.4 * low + 0.6 * high for low, high in setting.x_bounds]
    options = {**setting.options, **way.options}
    return [reckless.worst_case(asked, x, setting.y_bounds, maxfev=case.maxfev, rng=case.seed, **options)]
