"""Starting an infusion of phenytoin: a loading dose, then a constant rate, for a patient of unknown metabolism.

Two compartments with saturable elimination (Michaelis and Menten), so that a little too much accumulates. Design: the
loading dose, the hours over which it is given, the rate after that. Uncertain: the highest rate of elimination, the
concentration at which half of it is reached, the volume of the central compartment. f is the mean over 24 hours of
the squared distance from 15 mg/L, in units of 5 mg/L; beyond 20 mg/L, where it is toxic, the excess counts four times.

The simulator is SciPy's adaptive Runge-Kutta method at a relative tolerance of 1e-5, and f as rough as that. The
referee integrates by many fixed steps.
"""

import numpy as np
from scipy.integrate import solve_ivp

from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.reality.searching import by_rows, searched
from reckless.core.arrays import Array
from reckless.core.compiling import compiled

HOURS = 24.0
TARGET, TOXIC, UNIT = 15.0, 20.0, 5.0  # mg/L
OUT, BACK = 0.5, 0.4  # per hour, to the other compartment and back
TOLERANCE = 1e-5
N_FINE = 600  # steps of the referee, in each of the two stages
Y_BOUNDS = ((10.0, 26.0), (2.0, 8.0), (22.0, 38.0))  # mg/h, mg/L, L

State = tuple[float, float, float]  # mg in the central compartment, mg in the other, integral of the penalty


@compiled
def _slopes(s: State, rate: float, y: tuple[float, float, float]) -> State:
    central, other, _ = s
    c = central / y[2]
    moved = OUT * central - BACK * other
    penalty = ((c - TARGET) / UNIT) ** 2 + 3.0 * (max(c - TOXIC, 0.0) / UNIT) ** 2
    return rate - y[0] * c / (y[1] + c) - moved, moved, penalty


def _penalty(x: Array, y: Array) -> float:
    dose, hours, rate = x.tolist()
    patient = (float(y[0]), float(y[1]), float(y[2]))
    s = np.zeros(3)
    for start, end, given in ((0.0, hours, dose / hours), (hours, HOURS, rate)):
        stage = solve_ivp(
            lambda _, s, given=given: _slopes((s[0], s[1], s[2]), given, patient), (start, end), s, rtol=TOLERANCE
        )
        s = stage.y[:, -1]
    return float(s[2]) / HOURS


@compiled
def _moved(s: State, slopes: State, h: float) -> State:
    return s[0] + h * slopes[0], s[1] + h * slopes[1], s[2] + h * slopes[2]


@compiled
def _finely(x: Array, y: Array) -> float:
    """Return f by the classical Runge-Kutta method with fixed steps."""
    patient = (y[0], y[1], y[2])
    s = (0.0, 0.0, 0.0)
    for stage in range(2):
        rate = x[0] / x[1] if stage == 0 else x[2]
        h = (x[1] if stage == 0 else HOURS - x[1]) / N_FINE
        for _ in range(N_FINE):
            k1 = _slopes(s, rate, patient)
            k2 = _slopes(_moved(s, k1, 0.5 * h), rate, patient)
            k3 = _slopes(_moved(s, k2, 0.5 * h), rate, patient)
            k4 = _slopes(_moved(s, k3, h), rate, patient)
            s = _moved(_moved(_moved(_moved(s, k1, h / 6.0), k2, h / 3.0), k3, h / 3.0), k4, h / 6.0)
    return s[2] / HOURS


@compiled
def _many(x: Array, Y: Array) -> Array:
    values = np.empty(len(Y))
    for k in range(len(Y)):
        values[k] = _finely(x, Y[k])
    return values


DOSING = Problem(
    name="dosing",
    summary="distance from the target of a drug's concentration, for a loading dose, its hours and a rate x, patient y",
    function=by_rows(_penalty),
    x_bounds=((200.0, 2000.0), (0.5, 8.0), (0.0, 40.0)),  # mg, h, mg/h
    y_bounds=Y_BOUNDS,
    optimum=Optimum(
        x=(774.7966, 1.100917, 21.87092),
        y=None,
        value=1.42958697,
        source="Computed: 3 of 3 restarts of CMA-ES on the referee agree to 1e-9.",
    ),
    worst_case=searched(_many, Y_BOUNDS, n_sobol=256, n_polish=3),
    is_exact=False,
    guess=(1000.0, 1.0, 14.0),  # 15 mg/L in the nominal volume of both; what is eliminated at 15 mg/L
)
