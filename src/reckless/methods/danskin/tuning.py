"""Every constant of the descent: its unit, the range it was found to work in, and why it has this value.

Lengths are in units of the box. Shares are of what the comment names. Bare numbers elsewhere belong to formulas.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guards:
    """What rounding hides, and what is too close to be told apart."""

    forward: float = 1e-6  # length, 1e-7 to 1e-5: forward differences; the learned curvature corrects them to 1e-10
    central: float = 1e-2  # length, 1e-3 to 3e-2: first differences in y; exact for quadratics, and still local
    closer: float = 0.1  # factor on that length each time that a climb finds the model wrong: the hill may be narrow,
    closest: float = 0.01  # factor, 1e-3 to 0.1: at most
    longest_forward: float = 0.05  # length: forward differences of values with few digits
    longest_central: float = 0.1  # length: the same of central ones
    line_off: float = (
        0.02  # length, from x to a line that shows errors: a descent ends at kinks, which look like errors
    )
    spacing: float = 1e-3  # length, of points on that line: at 1e-4 integrators hide theirs, at 3e-3 a smooth f shows
    closer_spacing: float = 3e-4  # length: the same, of lines that confirm errors: a smooth f shows 30 times less
    seen_error: float = 1e-9  # share of the range of values, 1e-10 to 1e-8: smaller errors do not matter
    one_error: float = 100.0  # times: of two estimates of errors that differ by more the smaller one holds
    sigmas: float = 4.0  # times the error of f: by so much the highest of thousands of values exceeds their mean
    same_error: float = 0.1  # length, 0.05 to 0.3: an estimate of errors holds so far from where it was made
    rounded: float = 1e-14  # share of a value: closer to a short decimal is one
    precision: float = 1e-10  # share of abs(F), 1e-11 to 1e-9: no smaller decrease is seen
    rounding: float = 1e-12  # share of the recent values, 1e-13 to 1e-11: the same where F is close to 0
    surge: float = 100.0  # times the range of the first values, 30 to 1e3: a rise of F that voids a descent
    n_recent: int = 100  # values, 30 to 300: those that tell how large values are here; 1e12 met once is forgotten
    steepest: float = 30.0  # ranges of values per box, or times the slope before, 10 to 100: steeper may be a jump
    same: float = 0.02  # length, 5e-3 to 0.05: maximizers closer than this are one
    merged: float = 5e-3  # length: the same for those that were tracked on the way
    jump: float = 0.1  # length, 0.05 to 0.2: a move of y beyond this, and twice the step of x, leads to another hill
    holds: float = 1e-3  # multiplier, 1e-5 to 1e-2: below is rounding of the quadratic program
    same_slope: float = 1e-8  # share of the largest difference of slopes: a smaller one is none
    flat: float = 1e-9  # share of the largest slope: curvature that makes a quadratic program definite
    straight: float = 1e-3  # share of a slope: curvature of a coordinate without any, whose maximizer is its bound
    at_bound: float = 1e-12  # length: closer to a bound is on it
    beside: float = 1e-6  # length, 1e-8 to 1e-4: a point beside a bound tells whether a line falls from there
    concave: float = 1e-6  # share of the slope: less curvature at a bound is none
    moved: float = 1e-10  # length: a shorter move teaches nothing
    violation: float = 1e-9  # share of abs(F): a value that is higher by this refutes F,
    zero: float = 1e-6  # or this for an F of 0
    arrived: float = 1e-6  # share of abs(F): a search that misses F by less arrived at it
    additive: float = 1e-7  # share of the changes: a larger error shows that f is no sum over y
    parabola: float = 3e-4  # share of the changes, 1e-5 to 1e-3: a larger error shows that f is no parabola on a line
    foretold: float = 1e-3  # share of a change: a smaller error needs no new slope
    bent: float = 0.01  # share of the change by curvature: a larger error shows that H is wrong
    damping: float = 0.2  # share of s'Bs, Powell (1978): less curvature than this is damped


@dataclass(frozen=True, slots=True)
class Trust:
    """How far models are believed, and which steps are accepted."""

    first: float = 0.1  # length, 0.05 to 0.25: radius of the first step
    resumed: float = 0.02  # length, 5e-3 to 0.1: radius after the end of a descent was refuted
    largest: float = 0.5  # length
    smallest: float = 1e-9  # length: a descent with a smaller radius ends
    enough: float = 0.1  # share of the predicted decrease, 0.01 to 0.3: a step must achieve it
    inner: float = 0.05  # share of the predicted decrease, 0.01 to 0.1: what may be left unclimbed in y
    good: float = 0.7  # share of the predicted decrease: more, at the border, widens the radius
    bad: float = 0.3  # share of the predicted decrease: less narrows it
    border: float = 0.9  # share of the radius: a step this long was held by it
    widen: float = 2.5  # factor, 2 to 4
    narrow: float = 0.5  # share of the step's length, after a bad step
    least_narrow: float = 0.3  # share of the radius, at least kept after a bad step
    refused: float = 0.4  # share of the step's length, 0.25 to 0.5, after a refused one
    bend: float = 0.7  # share of the missing curvature that a refused step adds, 0.5 to 1
    doubt: float = 1e-3  # share of the predicted decrease: how far peaks in doubt are climbed
    stiffer: float = 1.2  # times the learned curvature of F, 1.1 to 1.5: more of it was met along a step
    stiffest: float = 1e3  # times: even more shows that nothing was learned before
    flatter: float = 0.5  # share of the learned curvature in y, 0.3 to 0.7: less of it was met along a move
    n_balanced: int = 20  # accepted steps, 18 or more, held by half as many peaks as coordinates: curvatures cancel
    n_stiff: int = 2  # of either, 1 to 3: then curvature changes with every step
    steep: float = 10.0  # times the steepest slope: how fast F seems to rise beyond a wall
    level: float = 0.02  # share of the predicted decrease: a smaller change is none, and two of them a plateau
    sheer: float = 30.0  # times what slopes allow, 10 to 100: a larger rise tells nothing of curvature
    believed: float = 0.5  # share of a change, 0.3 to 0.7: by more, what another search knew of a hill is wrong
    n_halves: int = 2  # of the way to a sudden rise that show whether f jumps there
    torn: float = 0.2  # share of the rise, 0.1 to 0.22: if one half has less, f jumps in the other one
    shorter: float = 0.2  # factor on a move of y that fell far below what was expected, else a half
    most_missing: int = 2  # refused steps in a row that add a cut; more of them only show that y moves fast with x
    most_doubted: int = 3  # refused steps in a row after which maximizers are no longer doubted: each look finds others
    most_refused: int = 12  # refused steps in a row that end a descent


@dataclass(frozen=True, slots=True)
class Effort:
    """How many evaluations are spent on what."""

    n_race: int = 8  # x of the first race, 4 to 16; halved with each y they meet
    n_first_y: int = 3  # y that they meet
    n_later_race: int = 16  # x that meet the hardest y known; most are dropped after one;
    n_at_once: int = 4  # of them, 2 to 8: the lowest so far, which meet their next y together
    race_share: float = 0.05  # of the evaluations so far, 0.05 to 0.15: the same, if this is more
    n_later_y: int = 5
    n_anywhere: int = 2  # restarts from anywhere, 1 to 4, before those around the best x
    n_screen_line: int = 33  # x on a line through the best one, 17 to 65
    n_tested: int = 4  # x of a screen that may turn out to lie on the slope down to the best one
    hops: tuple[float, float] = (0.01, 0.5)  # lengths: shortest and longest hop from the best x
    n_widths: int = 8  # lengths of successful hops remembered
    hop_share: float = 0.15  # of the evaluations so far: hops from the worst y, where searches end elsewhere
    n_hops: int = 12  # of them in a row without a gain
    patience: float = 30.0  # predicted decreases, 20 to 100: a descent that is farther above the best x is given up
    n_watched: int = 3  # of those, followed from the start
    search_share: float = 0.1  # of the evaluations so far, 0.05 to 0.2: looking for other maximizers between steps
    verify_share: float = 0.1  # of the evaluations so far: attacks on all x that would have led
    reserve_share: float = 0.05  # of all evaluations: attacks on the answer at the end
    most_reserve: int = 300  # evaluations per coordinate of y
    n_plans: int = 5  # times that a step is chosen anew since y was climbed, 3 to 8
    n_rounds: int = 20  # moves of one climb
    slow_share: float = 0.1  # rounds per coordinate of y, 0.1 to 0.25, at least 2: a slower climb casts doubt on H
    n_short_rounds: int = 8  # moves of a climb on the way
    n_halvings: int = 6  # ever shorter moves of y before the model is doubted
    deep: float = 3.0  # times the expected gain: a fall that shows a move to be much too long
    n_idle: int = 4  # accepted steps after which a peak that holds none is archived,
    n_idle_fixed: int = 1  # and one that was kept at a fixed y
    most_peaks: int = 6  # tracked, and two for each coordinate of x
    watch: float = 2.0  # predicted decreases below the top: a peak this close that held the step is climbed,
    watch_idle: float = 0.5  # and any other one this close
    n_refuted: int = 10  # ends of one descent that may be refuted
    n_ends: int = 20  # answers kept, in case that the leading one is refuted
    n_look_line: int = 9  # points of a look around, if y has one coordinate; else 2 + 2 n_y
    line_share: float = 0.2  # as search_share, if y has one coordinate
    n_recalled: int = 4  # archived maximizers that a look around recalls
    n_met: int = 10  # y that were worst elsewhere, 5 to 20: a trial that would be accepted meets them,
    caution: float = 2.0  # times the fastest change seen, 1 to 4: unless it would take more to reach F
    n_look_rounds: int = 12  # moves of a climb to another maximizer
    one_in_vertices: int = 4  # of a sample of y, one in so many is a vertex
    n_error_line: int = 8  # points on a line that shows errors of f: two sixth differences
    n_rough_lines: int = 5  # lines, of which two must see errors at the length of differences
    n_verify: int = 4  # points of an attack, and as many per coordinate of y,
    n_verify_line: int = 12  # but so many if y has one
    n_verify_rounds: int = 15  # moves of an attack's climb
    n_cornered: int = 3  # coordinates of y at a bound that suggest a sum over y
    most_flips: int = 24  # coordinates of y at a bound whose pairs are flipped, 300 evaluations
    n_flip_searches: int = 64  # searches for the best flips, 16 to 256: they cost no evaluations
    n_flips_tried: int = 5  # of what they found, 1 to 10
    sum_shares: tuple[float, float] = (0.2, 0.5)  # of the way from the other bound to y: where a test for a sum goes
    n_many: int = (
        6  # coordinates of y, 5 to 10, from which on samples miss tops, and a test for a sum is worth its cost
    )
    n_line: int = 9  # points of a scan along a coordinate
    line_steps: tuple[float, ...] = (0.02, 1e-3)  # lengths of the parabolas that sharpen what it found
    first_share: float = 0.1  # of the radius: first moves of a sweep along the coordinates of x
    n_line_rounds: int = 20  # points per line of a climb along lines, 12 to 30
    n_archive: int = 100  # maximizers remembered
    n_failed: int = 50  # points remembered where a step failed
    most_idle: int = 300  # batches in a row without a new pair: where x and y have integers, all may be known


@dataclass(frozen=True, slots=True)
class Bundles:
    """How kinks are recognized, and how a bundle of cuts goes down past them."""

    level: float = 0.5  # share of the gap between value and bound, 0.3 to 0.7: what a step aims at
    first: float = 1e-3  # share of the radius: how far beside the first point its slope is taken
    beside: float = 0.02  # share of a step, 5e-3 to 0.05: how far beside its end a slope is taken at most
    near: float = 0.05  # share of the gap: how much too low a cut may be at the point beside which it was taken
    difference: float = 1e-3  # share of that distance: length of differences
    closest: float = 1e-9  # length: the shortest such distance; differences need room
    straight: float = 0.02  # share of a change: a larger error shows a kink between the points of a difference
    n_tries: int = 3  # places tried for a slope
    n_stalls: int = 20  # steps in a row without success, and two per coordinate, that end a bundle
    n_cuts: int = 20  # cuts kept,
    n_cuts_each: int = 4  # and as many per coordinate
    short: float = 0.1  # share of the radius: a shorter step halves it
    flat: float = 1e-6  # share of the steepness, 1e-7 to 1e-5: curvature that makes the program of a bundle definite
    missed: float = 1e-8  # share of the largest change of a cut: by which a level step may miss
    wider: float = 10.0  # times the radius that led to a kink: radius of the bundle,
    least_radius: float = 1e-2  # length: or this if it is more
    sharp: float = 0.6  # power of the length, 0.3 to 0.8: an error per length that shrinks faster is curvature
    shortest: float = 1e-4  # length: shorter steps cannot tell kinks from rounding
    part: float = 0.25  # of a step: where an error is compared with that of the whole step
    tent: float = 1e-7  # share of abs(f): what may be left to climb below a kinked top of one coordinate
    ridge_radius: float = 0.05  # length: radius of a bundle that climbs to a kinked top
    aside: float = 1e-3  # length: how far beside a kinked top the slopes of its pieces are measured
    closer: float = 0.2  # share of the way to the farther neighbor, 0.1 to 0.3: next point at a cusp of a line
    on_ridge: float = 1e-2  # share of that length: how close to a kinked top y must be for that
    one_piece: float = 1e-2  # share of the largest difference of slopes: smaller ones are no kink
    unsure: float = 10.0  # times what may be left to climb, 3 to 30: a kinked top this close is where it was foretold,
    strayed: float = 0.02  # share of the step of x: or this close
    n_poor: int = 3  # moves of a climb that gained little: more of them cast doubt on a smooth top
    n_zigzag: int = 5  # poor or refused steps, 4 to 8, without a longer good one, that suggest kinks all around
    uneven: float = 0.2  # share of a second difference, 0.1 to 0.4: a larger error of a parabola is no curvature
    n_sharp: int = 1  # refused steps in a row that must look like a kink


guards, trust, effort, bundles = Guards(), Trust(), Effort(), Bundles()
