"""Errors of f: whether one pair has two values, and how large errors are that repeat, such as an integrator's."""

from math import factorial, sqrt

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.oracle import Asking, Oracle, resolution_of
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.step import TINY
from reckless.methods.danskin.tuning import effort, guards, trust

N_SHORT = 5  # points for a fourth difference


class Noisy(Exception):
    """One pair has two values: only means tell where to go."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place


def doubt_values(oracle: Oracle, place: Place, predicted: float) -> Asking[bool]:
    """Test where a step fails without a reason whether errors of f are to blame; tell whether differences got longer.

    The top is evaluated once more, which tells random errors (1 evaluation, once). Then lines show how large others are
    (8, and 18 to 36 more if there are any). Those of most integrators are jumps between smooth pieces, and short
    differences are right; where errors are rough at their length too, these must be longer, and all slopes are void.
    """
    if not oracle.is_continuous.any():
        return False
    is_small = predicted <= guards.seen_error * oracle.spread and not place.is_level  # rounding may be the reason
    if is_small or oracle.task.noise is not None or oracle.resolution > 0.0 or not oracle.is_due(place.x):
        return False
    if oracle.doubted_at is None:
        again = yield from oracle.ask_again(place.x, place.top.y)
        if guards.rounding * (abs(again) + oracle.scale) < abs(again - place.F) < np.inf:
            raise Noisy(place)
    oracle.doubted_at = place.x
    oracle.error = yield from _error_around(oracle, place)
    if oracle.error == 0.0 or not (yield from _is_rough(oracle, place)):
        return False
    oracle.note_error(oracle.error, oracle.spread)
    place.peaks = [Peak(peak.y, peak.value) for peak in place.peaks]
    place.radius = max(place.radius, trust.resumed)
    return True


def _error_around(oracle: Oracle, place: Place) -> Asking[float]:
    """Return the size of the errors of f around a place, 0 if there are none to be seen (8, 16 or 24 evaluations).

    One line may cross a kink, or lie between two jumps: if two lines disagree, a third one decides. These two are
    closer: there the differences of a smooth f are smaller by far, those of errors are not.
    """
    seen, errors = guards.seen_error * oracle.spread, [(yield from error_beside(oracle, place, guards.spacing))]
    if errors[0] > seen:
        errors.append((yield from error_beside(oracle, place, guards.closer_spacing)))
        if max(errors) > guards.one_error * min(errors):
            errors.append((yield from error_beside(oracle, place, guards.closer_spacing)))
    middle = float(np.exp(np.median(np.log(np.maximum(errors, TINY)))))
    return middle if middle > seen else 0.0


def _is_rough(oracle: Oracle, place: Place) -> Asking[bool]:
    """Tell whether differences of the present length see the errors, on lines of that spacing (10 to 20 evaluations).

    They lie beside the top: descents end at jumps, and one jump there would look like errors at every length. A line
    may meet a jump elsewhere, or lie between two, so that several decide.
    """
    n_rough = 0
    for k in range(effort.n_rough_lines):
        values = yield from _line(oracle, place, guards.line_off, oracle.forward, N_SHORT)
        seen = max(_level(values, 3), _level(values, 4)) if np.isfinite(values).all() else 0.0
        n_rough += seen / oracle.forward >= (oracle.error * oracle.spread) ** 0.5
        if n_rough == 2 or k - n_rough == effort.n_rough_lines - 2:
            break
    return n_rough == 2


def remark_on_errors(oracle: Oracle) -> str:
    """Say that errors of f, not the budget, limit an answer; nothing if there are none."""
    if oracle.error > 0.0:
        cure = "tighten the tolerance of the simulator for more digits."
        return f"Errors of f of about {oracle.error:.1g}, not the budget, limit this answer: {cure}"
    if oracle.resolution > 0.0:
        size = f"{oracle.resolution:.1g}"
        return (
            f"Values of f are rounded, by up to {size}; that, not the budget, limits this answer: return more digits."
        )
    return ""


def error_beside(oracle: Oracle, place: Place, spacing: float = guards.spacing) -> Asking[float]:
    """Return the size of the errors of f on a line beside a place; 0 if f fails there."""
    values = yield from _line(oracle, place, guards.line_off, spacing, effort.n_error_line)
    return error_in(values) if np.isfinite(values).all() else 0.0


def _line(oracle: Oracle, place: Place, first: float, spacing: float, n: int) -> Asking[Array]:
    """Evaluate evenly spaced pairs on a random line that begins beside the top."""
    z, rng = np.append(place.x, place.top.y), oracle.rng.spawn(1)[0]  # the run draws as it would without
    along = rng.uniform(0.5, 1.0, z.size) * rng.choice([-1.0, 1.0], z.size) * oracle.is_continuous
    end = z + along * (first + n * spacing)
    Z = z + np.outer(first + spacing * np.arange(n), np.where((end > 1.0) | (end < 0.0), -along, along))
    return (yield from oracle.ask(Z[:, : place.x.size], Z[:, place.x.size :]))


def error_in(values: Array) -> float:
    """Return the standard deviation of errors in evenly spaced values (More and Wild 2011).

    From order to order differences of the smooth part fall, those of errors do not: the highest order is the tightest
    bound. Rounded values err by their unit at least.
    """
    levels = [_level(values, order) for order in (4, 5, 6)]
    return max(min(max(levels[1:]), levels[0]), resolution_of(values) / sqrt(12.0))


def _level(values: Array, order: int) -> float:
    return sqrt(factorial(order) ** 2 / factorial(2 * order) * float(np.mean(np.diff(values, order) ** 2)))
