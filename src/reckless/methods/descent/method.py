"""The method: race, descend, verify; again from elsewhere while there is budget; attack the answer at the end."""

from dataclasses import dataclass

import numpy as np

from reckless.core.arguments import keep, read_between
from reckless.core.task import Agreement, Handover, Starts, Task
from reckless.methods.descent.descent import descend
from reckless.methods.descent.incumbent import Answer, Incumbent, answer_at
from reckless.methods.descent.maximizers import verify
from reckless.methods.descent.oracle import Asking, Oracle, Spent
from reckless.methods.descent.peak import Peak, is_among
from reckless.methods.descent.place import Place
from reckless.methods.descent.starting import start
from reckless.methods.descent.tuning import effort, guards, trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Descent:
    """Trust-region SQP on the worst case, with one learned quadratic for each maximizer.

    reserve_share: part of the budget kept to attack the answer at the end.
    """

    reserve_share: float = effort.reserve_share

    def __post_init__(self) -> None:
        keep(self, reserve_share=read_between(self.reserve_share, "reserve_share", 0.0, 1.0, "[)"))

    def search(self, task: Task) -> Handover:
        task.agreement = Agreement(0, 0)
        reserve = min(int(self.reserve_share * task.maxfev), effort.most_reserve * task.n_y)
        oracle, incumbent = Oracle(task, task.maxfev - reserve), Incumbent(task)
        try:
            for k in task.rounds():
                found = yield from start(oracle, k)
                if found is not None:
                    yield from improve(oracle, incumbent, *found)
        except Spent:
            oracle.limit = task.maxfev
        yield from conclude(oracle, incumbent)
        return handover(incumbent)


def improve(oracle: Oracle, incumbent: Incumbent, place: Place, radius: float) -> Asking[None]:
    """Descend and verify; where a worse y is found, descend again with it."""
    for _ in range(effort.n_refuted):
        incumbent.report(place)
        place = yield from descend(oracle, incumbent, place, radius)
        for peak in place.peaks:
            oracle.remember(peak.y)
        if incumbent.value - guards.violation * abs(incumbent.value) <= place.F:
            violator = yield from challenge(oracle, incumbent.ends[0], place)
            if violator is None:
                break  # its worst case can only be higher: nothing to verify
            incumbent.end(answer_at(place))
            leader = incumbent.withdraw()
            oracle.task.note("verify", "leader refuted", fun=violator.value)
            place, radius = Place(leader.place.x, [*leader.place.peaks, violator]), trust.resumed
            continue
        attack = yield from verify(oracle, place, 2, effort.verify_share * oracle.n_used)
        if attack.violator is None:
            incumbent.end(Answer(place, place.F, place.top.y, attack.n_searches, attack.n_agreed))
            return
        oracle.task.note("verify", "refuted", fun=attack.violator.value)
        place.peaks.append(attack.violator)
        radius = trust.resumed
    incumbent.end(answer_at(place))


def challenge(oracle: Oracle, leader: Answer, place: Place) -> Asking[Peak | None]:
    """Attack the leader with the maximizers found elsewhere; return the worst one if it refutes the leader, or None."""
    known = [peak.y for peak in leader.place.peaks]
    fresh = [peak.y for peak in place.peaks if not is_among(peak.y, known)]
    if not fresh:
        return None
    values = yield from oracle.ask(leader.place.x, np.array(fresh))
    k = int(np.where(np.isnan(values), -np.inf, values).argmax())
    if not values[k] > leader.value + oracle.violation(leader.value):
        return None
    return Peak(fresh[k], float(values[k]))


def conclude(oracle: Oracle, incumbent: Incumbent) -> Asking[None]:
    """Attack the leader with the remaining evaluations; one that is refuted may lose its lead to another."""
    try:
        while (answer := incumbent.leader) is not None and np.isfinite(answer.value):
            place = Place(answer.place.x, [Peak(answer.y, answer.value)])
            attack = yield from verify(oracle, place, 1, 0.0)
            if attack.violator is not None:
                answer.refute(attack.violator.y, attack.violator.value)
            answer.n_searches += attack.n_searches
            answer.n_agreed += attack.n_agreed
            incumbent.recommend()
    except Spent:
        pass


def handover(incumbent: Incumbent) -> Starts | None:
    """Return what another search may begin with: the leader and its peaks."""
    answer = incumbent.leader
    if answer is None:
        return None
    place = answer.place
    Y = np.array([peak.y for peak in place.peaks])
    return Starts(place.x[None], Y, np.array([answer.value]), tuple(peak.hill() for peak in place.peaks))
