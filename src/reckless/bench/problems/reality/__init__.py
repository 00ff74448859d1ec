"""Problems as users have them: simulators and applications with uncertain data, all deterministic.

Each has the guess of an engineer and the best worst case known. The score of an answer is
(F(x) - best) / (F(guess) - best): 0 is the best known design, 1 the guess. `cartpole` and `coating` need packages of
the extra "reality".
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from reckless.bench.problems.problem import Problem
from reckless.bench.problems.reality import (
    beam,
    cartpole,
    coating,
    dosing,
    exchanger,
    pid,
    portfolio,
    reactor,
    sallenkey,
    throw,
    truss,
)

BUILDERS: dict[str, Callable[..., Problem]] = {
    "portfolio": portfolio.build,  # reads a file
    "truss": truss.build,
    "sallenkey": sallenkey.build,
    **{
        problem.name: partial(replace, problem)
        for problem in (
            *(beam.BEAM, cartpole.CARTPOLE, coating.COATING, dosing.DOSING, exchanger.EXCHANGER),
            *(pid.PID, reactor.REACTOR, throw.THROW),
        )
    },
}
