"""Minimax in one picture: a problem with one x and one y, and the path of one recorded run."""

import numpy as np

from reckless.bench.figures import Landscape, minimax_picture
from reckless.bench.problems import problem
from reckless.bench.report.drawing import Drawing

PROBLEM, METHOD, BUDGET, SEED = "L4", "reckless-cr", 20_000, 1
# The pairs (x, y) that this run recommended one after the other; a test runs it again.
PATH = (
    (5.118216247002567, 3.5372844928608767),
    (1.2738907112725328, 6.092249485653895),
    (1.0466451085945316, 2.2014253176961177e-09),
    (7.651401052415405, 9.912442381426123),
    (7.100935672362829, 10.0),
)

TEXT = (
    "A designer chooses x, then an adversary who knows it chooses y, and f(x, y) is the damage. The worst case "
    "F(x) is the damage when the adversary does as well as possible: the height of the ridge above x. The best design "
    "is where F is smallest. Regret is how far the F of a run's answer lies above that minimum. A method sees only "
    "values of f, so it must search for y as well, and may take a weak y for the worst: the inner gap tells "
    "by how much it deceived itself."
)


def draw_landscape() -> Drawing:
    """Draw the picture from the formulas of the problem and the recorded path."""
    task = problem(PROBLEM)
    assert task.worst_case is not None
    assert isinstance(task.x_bounds, tuple)
    assert isinstance(task.y_bounds, tuple)
    x = np.linspace(*task.x_bounds[0], 241)
    y = np.linspace(*task.y_bounds[0], 181)
    values = task.function(np.tile(x, y.size)[:, None], np.repeat(y, x.size)[:, None]).reshape(y.size, x.size)
    worst, worst_y = task.worst_case(x[:, None])
    path_x, path_y = np.array(PATH).T
    run = {"path_x": path_x, "path_y": path_y, "path_worst": task.worst_case(path_x[:, None])[0]}
    grid = {"x": x, "y": y, "values": values, "worst_y": worst_y[:, 0], "worst_case": worst}
    landscape = Landscape(**grid, **run, best_x=task.optimum.x[0], best_value=task.optimum.value)
    figure = minimax_picture(landscape, title=f"{PROBLEM}: f(x, y) = {task.summary}")
    caption = (
        f"Problem {PROBLEM}. Below, f as a map: for every x the white ridge is the worst y. Above, the worst case "
        f"that the ridge amounts to. In red what one run of {METHOD} recommended on its way, {BUDGET:,} evaluations."
    )
    return Drawing("landscape", "Minimax in one picture", caption, figure, {})
