"""The loop: from an x down on the worst case, against the cuts of all maximizers that are followed."""

import numpy as np

from reckless.methods.danskin.diagnosis import Cause, Refusals, blame_model, diagnose, remedy
from reckless.methods.danskin.errors import doubt_values
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.jumps import fear
from reckless.methods.danskin.kinks.descent import Bends, descend_kinks, is_kinked, is_still_sum
from reckless.methods.danskin.maximizers import look_around, may_look
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import is_jump
from reckless.methods.danskin.place import Place, tidied
from reckless.methods.danskin.planning import plan_step
from reckless.methods.danskin.step import is_enough, next_radius
from reckless.methods.danskin.sums.descent import descend_sum
from reckless.methods.danskin.trial import correct, try_step
from reckless.methods.danskin.tuning import trust


def descend(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place]:
    """Go down until no step helps: choose a step against all cuts, try it, accept it or repair what was wrong."""
    refusals, bends, predicted, believed = Refusals(), Bends(), 0.0, place.F
    while not refusals.is_final and place.radius > trust.smallest and np.inf > place.F:
        if (yield from is_still_sum(oracle, place, is_due=len(place.peaks) > 1)):
            return (yield from descend_sum(oracle, incumbent, place))
        plan = yield from plan_step(oracle, place)
        incumbent.report(place)
        place.is_lost = oracle.is_surge(believed, place.F)
        if plan is None or place.is_lost or incumbent.is_out_of_reach(place.F, plan.step.predicted):
            break
        F, predicted = place.F, plan.step.predicted
        trial = yield from try_step(oracle, place, plan.step, is_hopeful=refusals.n == 0)
        if not is_enough(F, trial.F, predicted):
            trial = (yield from correct(oracle, place, plan, trial)) or trial
        ratio, n_active = (F - trial.F) / predicted, len(place.holding())
        if is_enough(F, trial.F, predicted):
            oracle.n_balanced += 2 * n_active >= max(place.x.size, 4)
            incumbent.note("accepted", trial.F, place.radius, ratio, n_active)
            if is_jump(trial.place.top.y - place.top.y, trial.step.d):
                fear(oracle, place.x, place.top)
            bends.accept(trial.step.reach, ratio)
            trial.place.radius = next_radius(place.radius, trial.step.reach, ratio)
            place, refusals, believed = tidied(oracle, trial.place, predicted), Refusals(), trial.F
            incumbent.report(place)
            if not (yield from is_still_sum(oracle, place, is_due=may_look(oracle))):
                yield from look_around(oracle, place)
            continue
        refusals.count(F, trial)
        if (yield from is_still_sum(oracle, place, is_due=True)):
            continue
        cause = diagnose(place, trial, refusals)
        incumbent.note(cause.value, F, place.radius, ratio, n_active)
        if cause is Cause.UNVERIFIED and (yield from doubt_values(oracle, place, predicted)):
            refusals = Refusals()
            continue
        if not (yield from remedy(oracle, place, trial, cause)):
            refusals.n_blamed += 1
            bends.note(place, trial, oracle.violation(F))
            if n_active == 1 and (yield from is_kinked(oracle, incumbent, place, bends, trial.step.d)):
                incumbent.note("kinks of f in x", F, place.radius, ratio, n_active)
                before = place.x
                place = yield from descend_kinks(oracle, incumbent, place)
                if place.x is not before:
                    refusals, bends = Refusals(), Bends()
                    continue
            blame_model(place, trial)
            place.radius = trust.refused * trial.step.reach
    is_stuck = (refusals.n > 0 or place.is_level) and not place.is_lost
    if is_stuck and (yield from doubt_values(oracle, place, predicted)):
        return (yield from descend(oracle, incumbent, place))
    return place
