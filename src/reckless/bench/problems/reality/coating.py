"""Anti-reflection coating of glass, four layers, with thickness errors: reflectance by the package tmm.

f is the reflectance in percent at one wavelength and angle; the adversary picks these and how far the two materials'
layers are off.
"""

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem, lack
from reckless.bench.problems.reality.searching import SURE, by_rows, searched
from reckless.core.arrays import Array
from reckless.core.compiling import compiled
from reckless.errors import InvalidArgument

NAME, NEEDS = "coating", ("tmm",)
INDICES = (1.0, 1.38, 2.06, 1.38, 2.06, 1.52)  # air, MgF2, ZrO2, MgF2, ZrO2, glass
Y_BOUNDS = ((420.0, 680.0), (0.0, 0.45), (-0.03, 0.03), (-0.03, 0.03))  # wavelength nm, angle rad, relative errors


def _reflectance(x: Array, y: Array) -> float:
    try:
        from tmm import coh_tmm
    except ImportError:
        raise InvalidArgument(f"problem: {lack(NAME, NEEDS)}") from None
    a, b = 1.0 + y[2], 1.0 + y[3]
    d = [np.inf, x[0] * a, x[1] * b, x[2] * a, x[3] * b, np.inf]
    return 100.0 * float(coh_tmm("s", INDICES, d, float(y[1]), float(y[0]))["R"])


@compiled
def _by_matrices(d: tuple[float, float, float, float], wavelength: float, angle: float) -> float:
    """Return the same by characteristic matrices, for the referee."""
    n = INDICES
    s = np.sin(angle)
    p0, p5 = np.cos(angle), np.sqrt(n[5] ** 2 - s * s)
    m00, m01, m10, m11 = 1.0 + 0j, 0j, 0j, 1.0 + 0j
    for k in range(4):
        p = np.sqrt(n[k + 1] ** 2 - s * s)
        phase = 2.0 * np.pi / wavelength * p * d[k]
        c, i = np.cos(phase), 1j * np.sin(phase)
        m00, m01, m10, m11 = m00 * c + m01 * i * p, m00 * i / p + m01 * c, m10 * c + m11 * i * p, m10 * i / p + m11 * c
    up = (m00 + m01 * p5) * p0 - (m10 + m11 * p5)
    down = (m00 + m01 * p5) * p0 + (m10 + m11 * p5)
    percent: float = 100.0 * abs(up / down) ** 2
    return percent


@compiled
def _many(x: Array, Y: Array) -> Array:
    values = np.empty(len(Y))
    for k in range(len(Y)):
        a, b = 1.0 + Y[k, 2], 1.0 + Y[k, 3]
        values[k] = _by_matrices((x[0] * a, x[1] * b, x[2] * a, x[3] * b), Y[k, 0], Y[k, 1])
    return values


COATING = Problem(
    name=NAME,
    summary="reflectance in % of glass with four layers x, at wavelength, angle and thickness errors y",
    function=by_rows(_reflectance),
    x_bounds=((10.0, 200.0),) * 4,  # nm, from the air side
    y_bounds=Y_BOUNDS,
    optimum=Optimum(
        x=(98.126977, 135.54874, 31.872492, 16.802304),
        y=None,
        value=0.754498752,
        source=f"Computed: 3 of 4 restarts ({SURE}) agree to 1e-4.",
    ),
    worst_case=searched(_many, Y_BOUNDS, n_sobol=4096, n_polish=6),
    is_exact=False,
    guess=(97.0, 130.0, 30.0, 15.0),  # quarter wave, half wave, and a thin pair
    needs=NEEDS,
)
