"""The commented problem file that `reckless solve --init` writes."""

from pathlib import Path

from reckless.errors import InvalidArgument
from reckless.run.options import OPTIONS

_PROBLEM = """\
# A run of `reckless solve`, and of `reckless worst-case`. Options on the command line win over what is said here.
# Lines that begin with # are examples: take the # away to use them. Every name may occur only once.

# What to solve: a function f(x, y) in a Python file, path relative to this file; or a benchmark problem such as "L1".
objective = "simulate.py:f"

# Or any program, which is asked line by line in JSON. It runs without a shell.
# command = ["./simulate", "--fast"]

# One [low, high] pair per coordinate: x is yours to choose, y is what the world does to it.
x_bounds = [[0.0, 10.0], [0.0, 10.0]]
y_bounds = [[0.0, 5.0]]

# Which coordinates are whole numbers: one true or false for each, or one for all.
# x_integrality = [true, false]
# y_integrality = true

# A set in place of pairs. All points within a distance of a center; one radius per coordinate makes an ellipsoid:
# x_bounds = { ball = { center = [5.0, 5.0], radius = [4.0, 2.0] } }
# y_bounds = { ball = { center = [2.0, 4.0], radius = 0.5 } }
# Shares, none negative, that add up to 1 or to a total:
# x_bounds = { simplex = { n = 2, total = 10.0 } }
# y_bounds = { simplex = 3 }
# The y there are, here or in a CSV file with one per row, path relative to this file:
# y_bounds = { scenarios = [[1.0, 2.0], [3.0, 4.0]] }
# y_bounds = { scenarios = "loads.csv" }
# How far the coordinates of x may be off; the objective is then a function g(x) of x alone:
# y_bounds = { perturbation = { radius = 0.1 } }
# y_bounds = { perturbation = { radius = [0.1, 0.5], shape = "ball", inside = false } }

"""
_ACTIVE = ("maxfev", "method", "rng")  # shown without the # before them


def template() -> str:
    """Return a commented problem file that shows every setting."""
    options = [(key, option) for key, option in OPTIONS.items() if option.spelled and not key.endswith("integrality")]
    parts = [f"# {o.help}\n{'' if key in _ACTIVE else '# '}{key} = {o.example}\n" for key, o in options]
    return "\n".join([_PROBLEM, *parts])


def write_template(path: Path) -> None:
    """Write a commented problem file; a file that exists is not modified."""
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        raise InvalidArgument(f"--init: {path} exists already and is not modified. Name another file.") from None
    except OSError as error:
        raise InvalidArgument(f"--init: {path} cannot be written ({error.strerror}).") from None
