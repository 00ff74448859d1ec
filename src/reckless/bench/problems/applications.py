"""Engineering problems with known answers.

absorber: a damped mass on a spring carries a second, smaller one, whose damping and tuning are to keep the
first quiet at every frequency of excitation (Brown & Singh 2011).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from reckless.bench.problems.inner import attained_among, crossings, nodes_around
from reckless.bench.problems.problem import Optimum, Problem
from reckless.core.arrays import Array

MASS_RATIO = 0.1
PRIMARY_DAMPING = 0.1
TOP_FREQUENCY = 2.5


def _parts(damping: Array, tuning: Array, w: Array) -> tuple[Array, Array, Array]:
    """Return the squared numerator, and the real and imaginary part of the denominator, times T^2; w = beta^2.

    In the printed form T divides; multiplied out, T = 0 (no absorber) has a meaning too. The imaginary part
    is given without its factor 2 beta.
    """
    stiffness, coupling = tuning**2, damping * tuning
    above = (w - stiffness) ** 2 + 4.0 * coupling**2 * w
    real = w * (w - 1.0 - (1.0 + MASS_RATIO) * stiffness - 4.0 * PRIMARY_DAMPING * coupling) + stiffness
    imaginary = PRIMARY_DAMPING * (w - stiffness) + coupling * ((1.0 + MASS_RATIO) * w - 1.0)
    return above, real, imaginary


def _amplitude(X: Array, Y: Array) -> Array:
    """Return the amplitude of the primary mass for x = (damping, tuning T) of the absorber and frequency beta.

    At T = beta = 0 the quotient is 0 / 0; its limit along either is 1.
    """
    w = Y[:, 0] ** 2
    above, real, imaginary = _parts(X[:, 0], X[:, 1], w)
    below = real**2 + 4.0 * w * imaginary**2
    is_defined = below > 0.0
    amplitude: Array = np.sqrt(np.where(is_defined, above, 1.0) / np.where(is_defined, below, 1.0))
    return amplitude


def _slope(x: Array, beta: Array) -> Array:
    """Return the slope of the squared amplitude, up to a positive factor."""
    damping, tuning = x
    w = beta**2
    above, real, imaginary = _parts(damping, tuning, w)
    d_above = 2.0 * (w - tuning**2) + 4.0 * damping**2 * tuning**2
    d_real = 2.0 * w - 1.0 - (1.0 + MASS_RATIO) * tuning**2 - 4.0 * PRIMARY_DAMPING * damping * tuning
    d_imaginary = PRIMARY_DAMPING + damping * tuning * (1.0 + MASS_RATIO)
    d_below = 2.0 * real * d_real + 4.0 * imaginary**2 + 8.0 * w * imaginary * d_imaginary
    slope: Array = d_above * (real**2 + 4.0 * w * imaginary**2) - above * d_below
    return slope


def _candidates(X: Array) -> Array:
    """Return both ends, and every frequency at which the amplitude has slope 0.

    The denominator is |p(i beta)| for the characteristic polynomial p; a root s of p makes a resonance at
    beta = |Im s|, of width |Re s|.
    """
    damping, tuning = X.T
    companion = np.zeros((len(X), 4, 4))
    companion[:, [1, 2, 3], [0, 1, 2]] = 1.0
    companion[:, 0, 3] = -(tuning**2)
    companion[:, 1, 3] = -2.0 * (damping * tuning + PRIMARY_DAMPING * tuning**2)
    companion[:, 2, 3] = -(1.0 + (1.0 + MASS_RATIO) * tuning**2 + 4.0 * PRIMARY_DAMPING * damping * tuning)
    companion[:, 3, 3] = -2.0 * (PRIMARY_DAMPING + damping * tuning * (1.0 + MASS_RATIO))
    roots = np.linalg.eigvals(companion)
    nodes = nodes_around(np.abs(roots.imag), np.abs(roots.real), TOP_FREQUENCY)
    ends = np.broadcast_to([0.0, TOP_FREQUENCY], (len(X), 2))
    return np.hstack([ends, crossings(_slope, X, nodes, np.zeros_like(nodes[:, 1:]))])


_ABSORBER = Problem(
    name="absorber",
    summary="amplitude of a damped mass with an absorber x = (damping, tuning) at frequency y",
    function=_amplitude,
    x_bounds=((0.0, 1.0), (0.0, 1.0)),
    y_bounds=((0.0, TOP_FREQUENCY),),
    optimum=Optimum(
        x=(0.1988396408471328, 0.8619242050326335),
        y=(0.7944744547,),
        value=2.62251967212119,
        source="Computed: two resonance peaks, at 0.7945 and 1.0431, equally high and with opposite "
        "gradients, solved by Newton; no point of a fine grid over x is lower.",
    ),
    worst_case=attained_among(_amplitude, _candidates),
)
BUILDERS: dict[str, Callable[..., Problem]] = {"absorber": partial(replace, _ABSORBER)}
