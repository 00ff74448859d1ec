"""A problem of one's own in a study: named sets, an integer, a list of loads, and no known optimum.

problems = ["examples/bracket.py:bracket", "examples/bracket.py:bracket:span=2.0"]
"""

from reckless import Scenarios
from reckless.bench.problems import Problem

DESIGN = {"width": (0.5, 2.0), "height": (0.5, 4.0), "bolts": (2, 8, "int")}
LOADS = Scenarios([[1.0, 0.2], [0.6, 0.9], [0.3, 1.4]])  # down and sideways


def bracket(span=1.0):
    """Return the problem for a bracket that reaches so far from the wall."""

    def weight_and_stress(x, y):
        width, height, bolts = x
        bending = span * (y[0] / (width * height**2) + y[1] / (height * width**2))
        return width * height * span + 0.1 * bolts + bending + y[1] / bolts

    return Problem(function=weight_and_stress, x_bounds=DESIGN, y_bounds=LOADS, vectorized=False)
