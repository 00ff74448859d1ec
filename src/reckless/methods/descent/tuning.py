"""Every constant of the descent: its unit, the range it was found to work in, and why it has this value.

Lengths are in units of the box. Shares are of what the comment names. Bare numbers elsewhere belong to formulas.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guards:
    """What rounding hides, and what is too close to be told apart."""

    forward: float = 1e-6  # length, 1e-7 to 1e-5: forward differences; the learned curvature corrects them to 1e-10
    central: float = 1e-2  # length, 1e-3 to 3e-2: first differences in y; exact for quadratics, and still local
    longest_forward: float = 0.05  # length: forward differences of values with few digits
    longest_central: float = 0.1  # length: the same of central ones
    precision: float = 1e-10  # share of abs(F), 1e-11 to 1e-9: no smaller decrease is seen
    rounding: float = 1e-12  # share of the recent values, 1e-13 to 1e-11: the same where F is close to 0
    n_recent: int = 100  # values, 30 to 300: those that tell how large values are here; 1e12 met once is forgotten
    same: float = 0.02  # length, 5e-3 to 0.05: maximizers closer than this are one
    merged: float = 5e-3  # length: the same for those that were tracked on the way
    jump: float = 0.1  # length, 0.05 to 0.2: a move of y beyond this, and twice the step of x, leads to another hill
    holds: float = 1e-3  # multiplier, 1e-5 to 1e-2: below is rounding of the quadratic program
    flat: float = 1e-9  # share of the largest slope: curvature that makes a quadratic program definite
    straight: float = 1e-3  # share of a slope: curvature of a coordinate without any, whose maximizer is its bound
    at_bound: float = 1e-12  # length: closer to a bound is on it
    moved: float = 1e-10  # length: a shorter move teaches nothing
    damping: float = 0.2  # share of s'Bs, Powell (1978): less curvature than this is damped


@dataclass(frozen=True, slots=True)
class Trust:
    """How far models are believed, and which steps are accepted."""

    first: float = 0.1  # length, 0.05 to 0.25: radius of the first step
    resumed: float = 0.02  # length, 5e-3 to 0.1: radius after the end of a descent was refuted
    largest: float = 0.5  # length
    smallest: float = 1e-9  # length: a descent with a smaller radius ends
    enough: float = 0.1  # share of the predicted decrease, 0.01 to 0.3: a step must achieve it
    inner: float = 0.1  # share of the predicted decrease, 0.03 to 0.3: what may be left unclimbed in y
    good: float = 0.7  # share of the predicted decrease: more, at the border, widens the radius
    bad: float = 0.3  # share of the predicted decrease: less narrows it
    border: float = 0.9  # share of the radius: a step this long was held by it
    widen: float = 2.5  # factor, 2 to 4
    narrow: float = 0.5  # share of the step's length, after a bad step
    least_narrow: float = 0.3  # share of the radius, at least kept after a bad step
    refused: float = 0.4  # share of the step's length, 0.25 to 0.5, after a refused one
    bend: float = 0.7  # share of the missing curvature that a refused step adds, 0.5 to 1
    most_refused: int = 12  # refused steps in a row that end a descent


@dataclass(frozen=True, slots=True)
class Effort:
    """How many evaluations are spent on what."""

    n_race: int = 8  # x of the first race, 4 to 16; halved with each y they meet
    n_first_y: int = 3  # y that they meet
    n_later_race: int = 16  # x of later races, which meet archived maximizers
    n_later_y: int = 5
    search_share: float = 0.1  # of the evaluations so far, 0.05 to 0.2: looking for other maximizers between steps
    verify_share: float = 0.1  # of the evaluations so far: attacks on an x that would lead
    reserve_share: float = 0.05  # of all evaluations: attacks on the answer at the end
    most_reserve: int = 100  # evaluations per coordinate of y
    n_archive: int = 100  # maximizers remembered


guards, trust, effort = Guards(), Trust(), Effort()
