"""Every constant of the descent on means: its unit, the range it was found to work in, and why it has this value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fits:
    """How quadratics are fitted."""

    first_radius: float = 0.15  # length, 0.05 to 0.2: of the box of samples
    smallest_radius: float = 2e-3  # length: errors of f show less in a smaller box
    largest_radius: float = 0.3  # length, 0.2 to 0.5: beyond, few functions are quadratics
    window: float = 1.2  # radii: samples up to this far take part, so that those of the last x are not lost
    enough: float = 2.0  # samples per coefficient, 1.5 to 3: fewer are not fitted
    wanted: float = 2.5  # samples per coefficient that are asked for if there are fewer
    near: float = 0.2  # radii: samples this close tell the value
    near_share: float = 0.5  # of the samples, where several maximizers hold x: there values decide, not slopes
    most: float = 400.0  # coefficients beyond which products of coordinates are left out: a fit takes their square
    excess: float = 1.4  # times the variance of the errors: less in the residuals is explained by them,
    sigmas: float = 3.0  # and so many deviations of that ratio more
    narrow: float = 0.7  # factor on the radius if residuals are larger
    widen_climb: float = 2.0  # factor on the radius of a climb where f is a quadratic: far tops are reached in few fits
    widen: float = 1.25  # factor if they are not: slopes are the more precise the farther apart samples are


@dataclass(frozen=True, slots=True)
class Effort:
    """How many evaluations are spent on what."""

    n_repeats: int = 30  # values of one pair that tell the deviation of noise to 13 %
    growth: float = 0.15  # of the most samples of a maximizer, 0.1 to 0.3: new ones of each that holds, in each round
    one_in: int = 4  # rounds, of which one looks around for other maximizers
    most_flips: int = 40  # vertices beside the maximizers that are tried
    n_climb: int = 6  # fits of a climb over y alone
    n_snap: int = 4  # values of each mean that tells whether y is better inside than at a bound
    same: float = 0.05  # length, 0.02 to 0.1: closer maximizers are one; means tell no more
    most_peaks: int = 4  # maximizers, and two for each coordinate of x
    refused: float = 0.6  # factor on the radii after a step that made F worse
    sigmas: float = 3.0  # standard errors that make a difference
    n_calm: int = 3  # rounds in a row without a decrease that can be seen, which end a descent
    most_rounds: int = 40  # of one descent
    restart_share: float = 0.2  # of the evaluations under noise: descents from elsewhere
    polish_share: float = 1.0  # of the evaluations so far: fits at the end of one descent; others have their turn
    n_searches: int = 2  # for a worse y, at an x that would lead


fits, effort = Fits(), Effort()
