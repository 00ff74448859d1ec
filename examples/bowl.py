"""An objective for the command line:

reckless solve examples/bowl.py:bowl --x 0:10 --x 0:10 --y 0:5 --maxfev 20000
"""


def bowl(x, y):
    """A saddle at x = (2, 3), y = 1: whatever y does there, the value stays at or below 0."""
    return (x[0] - 2.0) ** 2 + (x[1] - 3.0) ** 2 + (x[0] - 2.0) * (y[0] - 1.0) - (y[0] - 1.0) ** 2
