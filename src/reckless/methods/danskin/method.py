"""The method: race, descend, verify; again from elsewhere while there is budget; attack the answer at the end."""

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reckless.core.arguments import keep, read_between
from reckless.core.task import BEGINNING, Agreement, Handover, Starts, Task
from reckless.methods.convergence import Converged
from reckless.methods.danskin.descent import descend
from reckless.methods.danskin.errors import Noisy, remark_on_errors
from reckless.methods.danskin.incumbent import Answer, Incumbent, answer_at
from reckless.methods.danskin.jumps import fear, go_back, is_plateau
from reckless.methods.danskin.maximizers import sample_y, verify
from reckless.methods.danskin.oracle import Asking, Oracle, Spent
from reckless.methods.danskin.peak import Peak, is_among
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.screening import Screens, hop_up, screen
from reckless.methods.danskin.starting import latin_hypercube, race, start
from reckless.methods.danskin.tuning import effort, guards, trust
from reckless.methods.danskin.walking import walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Danskin:
    """Trust-region SQP on the worst case, with one learned quadratic for each maximizer.

    reserve_share: part of the budget kept to attack the answer at the end.
    """

    handles: ClassVar[frozenset[str]] = frozenset({"extension", "noise", "tol", *BEGINNING})
    reserve_share: float = effort.reserve_share

    def __post_init__(self) -> None:
        keep(self, reserve_share=read_between(self.reserve_share, "reserve_share", 0.0, 1.0, "[)"))

    def search(self, task: Task) -> Handover:
        task.agreement = Agreement(0, 0)
        reserve = min(int(self.reserve_share * task.maxfev), effort.most_reserve * task.n_y)
        oracle, incumbent = Oracle(task, task.maxfev - reserve), Incumbent(task)
        try:
            yield from descend_all(oracle, incumbent)
        except Spent:
            oracle.limit = task.maxfev
        if task.converged:
            oracle.limit = task.n_used
        if oracle.sd > 0.0:
            from reckless.methods.noisy.means import conclude_on_means

            yield from conclude_on_means(oracle, incumbent)
        else:
            yield from conclude(oracle, incumbent)
        return handover(incumbent)


def descend_all(oracle: Oracle, incumbent: Incumbent) -> Asking[None]:
    """Descend from one start after the other; on means if values are noisy."""
    screens, rest = Screens(), incumbent.rest
    try:
        place = yield from start(oracle)
        rest.range = oracle.spread
        yield from improve(oracle, incumbent, place)
        rest.follow(incumbent.value)
        for _ in oracle.task.rounds():
            if is_ready(incumbent) and (yield from close(oracle, incumbent)):
                return
            first, before, kind = oracle.n_used, incumbent.value, screens.choose()
            place = yield from screen(oracle, screens, incumbent.end_in_lead, kind)
            end = yield from improve_elsewhere(oracle, incumbent, place)
            screens.note(kind, oracle.n_used - first, has_won=incumbent.value < before)
            rest.note(incumbent.value, end)
            if not is_ready(incumbent):
                yield from doubt(oracle, incumbent, screens)
                rest.follow(incumbent.value)
    except Noisy as found:
        from reckless.methods.noisy.means import descend_on_means

        yield from descend_on_means(oracle, incumbent, found.place)


def improve(oracle: Oracle, incumbent: Incumbent, place: Place | None) -> Asking[float | None]:
    """Descend and verify; where a worse y is found, descend again with it. Return the value at the end, if any."""
    if place is None:
        return None
    oracle.task.note("start", "a new x", fun=place.F, radius=place.radius)
    if oracle.task.noise:
        raise Noisy(place)
    for _ in range(effort.n_refuted):
        incumbent.report(place)
        place = yield from walk(oracle, incumbent, place)
        place = yield from descend(oracle, incumbent, place)
        for peak in place.peaks:
            oracle.remember(peak.y)
        fear(oracle, place.x, place.top)
        refuted = yield from judge(oracle, incumbent, place)
        if refuted is None:
            return place.F
        place = refuted
    incumbent.end(answer_at(place))
    return place.F


def improve_elsewhere(oracle: Oracle, incumbent: Incumbent, place: Place | None) -> Asking[float | None]:
    """Improve a place away from the leader; stop where it arrives there, if it is the last search that is needed."""
    incumbent.rest.is_away = True
    try:
        return (yield from improve(oracle, incumbent, place))
    except Converged:
        incumbent.leave()
        return incumbent.value
    finally:
        incumbent.rest.is_away = False


def doubt(oracle: Oracle, incumbent: Incumbent, screens: Screens) -> Asking[None]:
    """Look for a higher peak at the leader by hops; descend with it."""
    leader = incumbent.end_in_lead
    violator = yield from hop_up(oracle, screens, leader)
    if leader is not None and violator is not None:
        yield from repair(oracle, incumbent, leader, violator)


def repair(oracle: Oracle, incumbent: Incumbent, leader: Answer, violator: Peak) -> Asking[None]:
    """Descend again from a leader that was refuted, with the worse y."""
    incumbent.withdraw(leader)
    oracle.task.note("verify", "leader refuted", fun=violator.value)
    yield from improve(oracle, incumbent, Place(leader.place.x, [*leader.place.peaks, violator], trust.resumed))


def is_ready(incumbent: Incumbent) -> bool:
    """Tell whether the run is done but for a last attack. Where attacks disagree, it goes on as it would."""
    leader = incumbent.end_in_lead
    return leader is not None and leader.is_verified and incumbent.rest.is_done


def close(oracle: Oracle, incumbent: Incumbent) -> Asking[bool]:
    """Attack the leader once more; tell whether it stands, and say so to the task, or descend again from there."""
    leader, first, rest = incumbent.end_in_lead, oracle.n_used, incumbent.rest
    assert leader is not None
    violator = yield from attack_again(oracle, leader, is_new=False)
    if violator is not None:
        yield from repair(oracle, incumbent, leader, violator)
        rest.follow(incumbent.value)
        return False
    incumbent.recommend()
    if leader.is_verified:
        rest.conclude(oracle.n_used - first)
    return leader.is_verified


def attack_again(oracle: Oracle, answer: Answer, *, is_new: bool = True) -> Asking[Peak | None]:
    """Search for a worse y at an answer, and count the search; return it, or None. is_new: see `verify`."""
    place = Place(answer.place.x, [Peak(answer.y, answer.value), *answer.place.peaks])
    found = yield from verify(oracle, place, 1, 0.0, is_new=is_new)
    if found.violator is not None:
        answer.refute(found.violator.y, found.violator.value)
    else:
        answer.y, answer.value = oracle.highest_at(place.x) or (answer.y, answer.value)
    answer.n_searches += found.n_searches
    answer.n_agreed += found.n_agreed
    return found.violator


def judge(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place | None]:
    """Judge the end of a descent; return the place to go on from, or None if there is none."""
    earlier = yield from go_back(oracle, incumbent, place)
    if earlier is not None:
        return earlier
    if np.isposinf(place.F) or place.is_lost or is_plateau(place):
        incumbent.end(answer_at(place))
        return None
    if incumbent.is_ahead_of(place, oracle.violation(place.F)):
        return (yield from challenge_leader(oracle, incumbent, place))
    return (yield from attack(oracle, incumbent, place))


def attack(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place | None]:
    """Verify a place that would lead; return it with the violator, or None if it withstands and the descent ends."""
    if oracle.resolution > 0.0:
        from reckless.methods.noisy.means import polish

        place = yield from polish(oracle, incumbent, place)
    first = oracle.n_used
    found = yield from verify(oracle, place, 2, effort.verify_share * first - incumbent.n_verified)
    incumbent.n_verified += oracle.n_used - first
    if found.violator is None:
        oracle.task.note("verify", "withstood", fun=place.F)
        y, value = oracle.highest_at(place.x) or (place.top.y, place.F)
        incumbent.end(Answer(place, value, y, found.n_searches, found.n_agreed))
        return None
    oracle.task.note("verify", "refuted", fun=found.violator.value)
    return Place(place.x, [*place.peaks, found.violator], trust.resumed)


def challenge_leader(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place | None]:
    """End a descent that does not lead, and try its maximizers at the x that does.

    Return the leader with the worst of them if that refutes it, or None.
    """
    leader = incumbent.ends[0]
    incumbent.leave()
    violator = yield from _worst_of(oracle, leader, place)
    if violator is not None or leader.value < place.F:  # else it is the same answer, but was not attacked
        incumbent.end(answer_at(place))
    if violator is None:
        return None
    incumbent.withdraw(leader)
    oracle.task.note("verify", "leader refuted", fun=violator.value)
    return Place(leader.place.x, [*leader.place.peaks, violator], trust.resumed)


def _worst_of(oracle: Oracle, leader: Answer, place: Place) -> Asking[Peak | None]:
    """Return the maximizer of another place that is worst for the leader, or None if none refutes it."""
    known = [peak.y for peak in leader.place.peaks]
    fresh = [peak.y for peak in place.peaks if not is_among(peak.y, known)]
    if not fresh:
        return None
    values = yield from oracle.ask(leader.place.x, np.array(fresh))
    k = int(np.where(np.isnan(values), -np.inf, values).argmax())
    is_refuted = values[k] > leader.value + oracle.violation(leader.value)
    return Peak(fresh[k], float(values[k])) if is_refuted else None


def conclude(oracle: Oracle, incumbent: Incumbent) -> Asking[None]:
    """Attack the leader with the remaining evaluations; one that is refuted may lose its lead to another."""
    incumbent.raise_to(oracle.highest_at)
    incumbent.settle(guards.arrived * abs(incumbent.value) + guards.violation * oracle.scale + oracle.slack)
    if incumbent.leader is not None and incumbent.leader.is_settled:
        oracle.task.remark = remark_on_errors(oracle)
    try:
        while (answer := incumbent.leader) is not None and np.isfinite(answer.value):
            yield from attack_again(oracle, answer)
            incumbent.recommend()
    except Spent:
        incumbent.fall_back()
    with suppress(Spent):  # all pairs may be known
        yield from use_up(oracle, incumbent)


def use_up(oracle: Oracle, incumbent: Incumbent) -> Asking[None]:
    """Spend the evaluations too few for a search: random y against the leader, or random x if there is none."""
    answer = incumbent.leader
    while (n := oracle.limit - oracle.n_used) > 0:
        Y = sample_y(oracle, n)
        if answer is None or np.isposinf(answer.value):
            standings = yield from race(oracle, latin_hypercube(oracle, n), Y[:1], 1)
            place = standings.place(0, 1)
            return None if place is None else incumbent.report(place)
        values = yield from oracle.ask(answer.place.x, Y)  # some may be known
        k = int(np.where(np.isnan(values), -np.inf, values).argmax())
        if values[k] > answer.value + oracle.violation(answer.value):
            answer.refute(Y[k], float(values[k]))
            incumbent.recommend()
    return None


def handover(incumbent: Incumbent) -> Starts | None:
    """Return what another search may begin with: the leader, its peaks and its radius, not too small to move."""
    answer = incumbent.leader
    if answer is None:
        return None
    place = answer.place
    Y = np.array([peak.y for peak in place.peaks])
    hills = tuple(peak.hill() for peak in place.peaks)
    return Starts(place.x[None], Y, np.array([answer.value]), hills, max(place.radius, trust.resumed))
