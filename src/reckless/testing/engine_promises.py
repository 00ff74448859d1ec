"""What every engine promises, wherever it evaluates."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf, isnan, nan

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Cause, Reason
from reckless.evaluation.executors import Engine
from reckless.evaluation.objective import Evaluator, Objective
from reckless.testing.requiring import blaming, require

MakeEngine = Callable[[Evaluator], Engine]

SIZES = (1, 2, 7, 40)  # of batches
USUAL_SECONDS = 1e-3  # of an evaluation: too long for an engine to keep it in this process as too cheap to send
SLOW_SECONDS = 0.05  # of a slow evaluation
GRACE = 3.0  # seconds in which an engine must end when told to
MANY = 4 * int(2 * GRACE / SLOW_SECONDS)  # slow pairs; more than 4 workers may be done early, which is no breach


def _objective(*, seconds: float = USUAL_SECONDS, is_troubled: bool = False) -> Objective:
    """Return an f of vectors or rows. It travels by value, as a lambda, so that workers need not import this module."""

    def f(x: Array, y: Array) -> float | Array:
        time.sleep(seconds * x[..., 0].size)
        if is_troubled and x[0] % 3 == 1:
            raise ValueError(f"no value at {x[0]:g}")
        return nan if is_troubled and x[0] % 3 == 2 else 10.0 * x[..., 0] + y[..., 0]

    return f


def _pairs(m: int) -> tuple[Array, Array]:
    return np.arange(m, dtype=np.float64)[:, None], np.linspace(-4.0, -2.0, m)[:, None]


@contextmanager
def _engine(make: MakeEngine, f: Objective, *, vectorized: bool = False) -> Iterator[Engine]:
    with blaming("engine", f"with vectorized={vectorized}"):
        engine = make(Evaluator(f, vectorized=vectorized))
        try:
            yield engine
        finally:
            engine.close(at_once=True)


def _evaluated(engine: Engine, m: int, deadline: float = inf) -> tuple[list[int], Array, dict[int, Reason]]:
    """Return the rows of a batch of m pairs in the order of arrival, their values (m,), and their reasons."""
    rows, values, reasons = list[int](), np.full(m, nan), dict[int, Reason]()
    for done in engine.outcomes(*_pairs(m), deadline):
        places = np.arange(m)[done.rows]
        require(len(places) == len(done.values), f"engine: gave {len(done.values)} values for {len(places)} rows.")
        values[places] = done.values
        rows += places.tolist()
        reasons |= done.reasons
    return rows, values, reasons


def _evaluates_every_row_once(make: MakeEngine) -> None:
    with _engine(make, _objective()) as engine:
        for m in SIZES:
            rows, _, _ = _evaluated(engine, m)
            require(sorted(rows) == list(range(m)), f"engine: of a batch of {m} evaluated the rows {sorted(rows)}.")


def _gives_the_values_of_f(make: MakeEngine) -> None:
    for vectorized in (False, True):
        with _engine(make, _objective(), vectorized=vectorized) as engine:
            for m in SIZES:
                _, values, _ = _evaluated(engine, m)
                wrong = np.flatnonzero(values != _objective(seconds=0.0)(*_pairs(m)))
                told = f"engine: with vectorized={vectorized} gave wrong values for rows {wrong} of a batch of {m}."
                require(wrong.size == 0, told)


def _turns_exceptions_into_reasons(make: MakeEngine) -> None:
    with _engine(make, _objective(is_troubled=True)) as engine:
        for m in SIZES:
            _, values, reasons = _evaluated(engine, m)
            for row in range(m):
                told, reason = f"engine: row {row} of a batch of {m}", reasons.get(row)
                has_error = reason is not None and reason.cause is not Cause.NAN
                require(isnan(values[row]) == (row % 3 > 0), f"{told} has the value {values[row]}; NaN is a failure.")
                require(has_error == (row % 3 == 1), f"{told} has the reason {reason}, but should have f's exception.")
                is_told = row % 3 != 1 or (reason is not None and f"no value at {row}" in reason.text)
                require(is_told, f"{told} has a reason without the words of f's exception: {reason}.")


def _ends_at_the_deadline(make: MakeEngine) -> None:
    with _engine(make, _objective(seconds=SLOW_SECONDS)) as engine:
        _evaluated(engine, 1)  # the workers are there
        started = time.monotonic()
        rows, _, _ = _evaluated(engine, MANY, started + 0.3)
        seconds = time.monotonic() - started
        require(seconds < 0.3 + GRACE, f"engine: took {seconds:.1f} seconds, although the deadline came after 0.3.")
        require(len(rows) == MANY or seconds >= 0.3, f"engine: ended after {seconds:.2f} seconds, before the deadline.")


def _closes_at_any_time(make: MakeEngine) -> None:
    with _engine(make, _objective()) as engine:
        _evaluated(engine, 2)
        engine.close(at_once=False)
        engine.close(at_once=False)
    with _engine(make, _objective(seconds=SLOW_SECONDS)) as engine:
        outcomes = engine.outcomes(*_pairs(MANY), inf)
        next(outcomes)
        started = time.monotonic()
        engine.close(at_once=True)
        seconds = time.monotonic() - started
        require(seconds < GRACE, f"engine: close(at_once=True) took {seconds:.1f} seconds while workers were busy.")


ENGINE_PROMISES: dict[str, Callable[[MakeEngine], None]] = {
    "evaluates every row once": _evaluates_every_row_once,
    "gives the values of f": _gives_the_values_of_f,
    "turns exceptions into reasons": _turns_exceptions_into_reasons,
    "ends at the deadline": _ends_at_the_deadline,
    "closes at any time": _closes_at_any_time,
}
