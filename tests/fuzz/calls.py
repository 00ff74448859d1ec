"""Cases of calls in Python: runs, sets, and parameters as they are spelled."""

import random
from pathlib import Path
from typing import Any

import reckless
from fuzz.values import UNIT, Watched, bowl, objective, weird
from reckless.bench.problems import problem
from reckless.run.options import OPTIONS

METHODS = ["danskin", "mmde", "reckless", "coevolution-parallel", "random-search"]
STARTING = {"workers", "eval_timeout"}  # options that start processes, which takes long
KEYS = [*(key for key in OPTIONS if key not in STARTING), "x_bounds", "y_bounds", "f"]
PROCESSES_SHARE = 0.01  # of the runs


def api(r: random.Random, here: Path) -> str:
    """Call minimax, worst_case or Solver with up to three odd arguments."""
    given = {
        "f": objective(r),
        "x_bounds": UNIT * r.choice([1, 1, 3]),
        "y_bounds": UNIT * r.choice([1, 2]),
        "maxfev": r.randrange(1, 90),
        "rng": r.randrange(100),
        "method": r.choice(METHODS),
    }
    for key in r.sample(KEYS, r.choice([0, 1, 1, 2, 3])):
        given[key] = r.choice(["j", "no/j", str(here)]) if key == "checkpoint" and r.random() < 0.5 else weird(r)
    if callable(given["f"]) and not isinstance(given["f"], Watched):
        given["f"] = Watched(given["f"])
    if r.random() < PROCESSES_SHARE:
        given |= {"f": bowl, "args": (), "maxfev": 10, r.choice(sorted(STARTING)): r.choice([1, 1, 10**400, 0.5])}
    try:
        return _call(given, r)
    except BaseException as error:
        if isinstance(given["f"], Watched) and any(error is own for own in given["f"].raised):
            return ""  # what f raised reaches the user
        raise


def _call(given: dict[str, Any], r: random.Random) -> str:
    which = r.random()
    if which < 0.75:
        return reckless.minimax(**given).message
    if which < 0.9:
        x = weird(r) if r.random() < 0.4 else [0.5]
        return reckless.worst_case(given["f"], x, given["y_bounds"], maxfev=given["maxfev"], rng=given["rng"]).message
    solver = reckless.Solver(
        given["method"], given["x_bounds"], given["y_bounds"], maxfev=given["maxfev"], rng=given["rng"]
    )
    for _ in range(5):
        if solver.done:
            break
        X, _ = solver.ask()
        solver.tell(weird(r) if r.random() < 0.2 else [0.0] * len(X))
    return solver.result().message


def sets(r: random.Random, here: Path) -> str:
    """Make sets and perturbations of odd values."""
    make = r.choice(
        [
            lambda: reckless.Ball(weird(r), weird(r)),
            lambda: reckless.Simplex(weird(r), total=weird(r)),
            lambda: reckless.Scenarios(weird(r)),
            lambda: reckless.Box(weird(r), integrality=weird(r)),
            lambda: reckless.Box([(0, 1), weird(r)]),
            lambda: reckless.perturbation(lambda x: 0.0, weird(r), weird(r)).y_bounds,
            lambda: reckless.perturbation(weird(r), UNIT, 0.1, shape=weird(r)).y_bounds,
        ]
    )
    domain = make()
    return reckless.minimax(bowl, UNIT, domain, maxfev=20, rng=1, method="random-search").message


NUMBERS = ["0", "-1", "1", "3", "1e3", "nan", "inf", "", "x", "9" * 50, "9" * 400, "9" * 5000, "0.5", "²", "1_0", " 4"]
NAMES = {
    "mmde": ["n_regenerated", "n_boosts", "scale", "crossover_rate", "population_size"],
    "danskin": ["reserve_share"],
    "reckless": ["descent_share", "population_size", "outer", "restart"],
    "coevolution-parallel": ["population_size", "n_replaced", "tournament_size", "mutation_rate", "mutation_scale"],
    "nosuch\x1b": ["key"],
}


def parameters(r: random.Random, here: Path) -> str:
    """Spell parameters of methods and problems."""
    if r.random() < 0.3:
        name = r.choice(["L1", "f1", "vertices", "filter", "rastrigin", "noisy-L1", "nosuch", "", "L1 ", "\x1b"])
        size = r.choice(["0", "2", "-3", "x", "9" * 30, "9" * 5000, "1e2", "5,b=2", "2,n=2", ""])
        return problem(f"{name}:{r.choice(['n', 'b', 'k', 'n_y', ''])}={size}").name
    name = r.choice(sorted(NAMES))
    settings = [f"{key}={r.choice(NUMBERS)}" for key in r.sample(NAMES[name], min(len(NAMES[name]), r.choice([1, 2])))]
    return reckless.minimax(bowl, UNIT, UNIT, maxfev=120, rng=1, method=f"{name}:{','.join(settings)}").message
