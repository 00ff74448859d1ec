"""Where values are noisy: descents on means, an answer that is attacked, and its mean at the end."""

from math import sqrt

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.errors import error_beside
from reckless.methods.danskin.incumbent import Answer, Incumbent
from reckless.methods.danskin.oracle import Asking, Oracle, Spent
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.screening import Kind, Screens, screen
from reckless.methods.noisy.quadratic import first_radius
from reckless.methods.noisy.region import Region
from reckless.methods.noisy.tuning import effort, fits


def deviation_of(oracle: Oracle, x: Array, y: Array) -> Asking[float]:
    """Return the standard deviation of the values of a pair."""
    values = yield from oracle.ask(np.repeat(x[None], min(effort.n_repeats, oracle.n_left), 0), y)
    values = values[np.isfinite(values)]
    return float(np.std(values, ddof=1)) if values.size > 1 else 0.0


def descend_on_means(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[None]:
    """Descend from a place, then from others with a share of the evaluations, and refine the best to the end."""
    regions: list[Region] = []
    try:
        yield from _descend_all(oracle, place, regions, incumbent)
    except Spent:
        if regions and np.isfinite((best := best_of(regions)).top.value):
            best.finish()
            report(incumbent, regions)
        raise


def _descend_all(oracle: Oracle, place: Place, regions: list[Region], incumbent: Incumbent) -> Asking[None]:
    task, first = oracle.task, oracle.n_used
    oracle.sd = sd = task.noise or (yield from deviation_of(oracle, place.x, place.top.y))
    regions[:], n_elsewhere = [begin(oracle, place, sd)], 0
    screens, oracle.memory = Screens(), None  # a pair has many values
    for _ in task.rounds():
        if regions[-1].is_settled and n_elsewhere < effort.restart_share * (oracle.n_used - first):
            found = yield from screen(oracle, screens, None, Kind.ANYWHERE)
            screens.note(Kind.ANYWHERE, 0, has_won=False)
            if found is not None:
                regions.append(begin(oracle, found, sd))
        region = best_of(regions) if regions[-1].is_settled else regions[-1]
        before = oracle.n_used
        yield from region.play()
        n_elsewhere += oracle.n_used - before if region is not regions[0] else 0
        if region.is_settled and region.n_searches == 0:
            yield from attack(region)
        report(incumbent, regions)


def polish(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place]:
    """Return a place near the end of a descent that is better by fits to many values, whose errors stop differences."""
    sd = yield from error_beside(oracle, place)
    sd = max(sd, oracle.error) or oracle.resolution / sqrt(12.0)  # a line may lie on one step of a staircase
    region, found = begin(oracle, place, sd, first_radius(sd / max(oracle.spread, sd))), place
    for peak in place.holding():
        region.add(peak.y)
    last = (1.0 + effort.polish_share) * oracle.n_used
    while sd > 0.0 and not region.is_settled and oracle.n_used < last:
        yield from region.play()
        values = yield from oracle.ask(region.x, np.array([hill.y for hill in region.hills]))
        peaks = [Peak(hill.y, value) for hill, value in zip(region.hills, values.tolist(), strict=True)]
        tried = Place(region.x, peaks, place.radius)
        if place.F + effort.sigmas * sd >= tried.F:
            found = tried
            incumbent.report(found)
    return found


def begin(oracle: Oracle, place: Place, sd: float, radius: float = fits.first_radius) -> Region:
    """Return a region around a place, with its top alone: the others may owe their values to noise."""
    region = Region(oracle, sd, place.x, radius)
    region.add(place.top.y)
    return region


def attack(region: Region) -> Asking[None]:
    """Search for a worse y; follow what is found."""
    for _ in range(effort.n_searches):
        y, value = yield from region.climb()
        region.n_searches += 1
        region.n_agreed += value > region.top.value - region.sd
        yield from region.add_snapped(y)


def best_of(regions: list[Region]) -> Region:
    """Return the region that is surely lowest, of those that were attacked if there are any."""
    attacked = [region for region in regions if region.n_searches > 0]
    return min(attacked or regions, key=lambda region: region.top.value + effort.sigmas * region.top.error)


def report(incumbent: Incumbent, regions: list[Region]) -> None:
    """Recommend the best of the regions, with the mean of its model."""
    region = best_of(regions)
    place = Place(region.x, [Peak(hill.y, hill.value) for hill in region.hills])
    answer = Answer(place, place.F, place.top.y, region.n_searches, region.n_agreed, region.is_settled)
    incumbent.ends, incumbent.current = [answer], None
    incumbent.task.standard_error = region.top.error
    incumbent.recommend()


def conclude_on_means(oracle: Oracle, incumbent: Incumbent) -> Asking[None]:
    """Spend the rest on the mean of the answer, which no choice has biased, and say how far it may be off."""
    task, answer, sd = oracle.task, incumbent.leader, oracle.sd
    task.remark = f"The noise of f has a standard deviation of about {sd:.2g}."
    if answer is None or task.n_left < 2:
        return
    values = yield from oracle.ask(np.repeat(answer.place.x[None], task.n_left, 0), answer.y)
    values = values[np.isfinite(values)]
    if values.size:
        answer.value, task.standard_error = float(values.mean()), None
        task.recommend(answer.place.x, answer.y, answer.value)
        task.remark = f"{task.remark[:-1]}, the estimate a standard error of {sd / sqrt(values.size):.1g}."
