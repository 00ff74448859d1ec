"""Every constant of the descent on lists that `danskin` does not have: its unit, its range, its reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """How many scenarios are evaluated, and how exactly a step is solved for."""

    n_sweep: int = 100  # scenarios, 30 to 300: tried at the first x, and at least where no step helps
    sweep_share: float = 0.5  # of the evaluations so far, 0.2 to 1: the same, if this is more
    caution: float = 2.0  # times the fastest change seen, 1 to 4: how fast a scenario may rise where it was not tried
    remembered: float = 0.7  # share of a rate that is kept when a slower change is seen, 0.5 to 0.9
    n_at_once: int = 2  # scenarios, at least, that are tried together since they may be the worst; else n_x
    n_programs: int = 8  # quadratic programs that solve for one step, 3 to 20
    shares: tuple[float, ...] = (
        1.0,
        0.5,
        0.2,
        0.05,
        0.01,
        1e-3,
        1e-4,
    )  # of a program's step
    n_hard: int = 5  # scenarios that held the last steps, and that later races begin with
    n_path: int = 20  # places of a descent that are kept for a way back
    noisy: float = 3.0  # times the difference of two values of one pair: how far noise may reach


@dataclass(frozen=True, slots=True)
class Trust:
    """How far models are believed."""

    carried: float = 0.1  # share of the predicted decrease, 0.03 to 0.3: a value foretold so well spares a new slope
    same: float = 0.05  # share of the decrease: another program that gains less is the last one


effort, trust = Effort(), Trust()
