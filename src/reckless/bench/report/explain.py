"""Minimax in one picture: a problem with one x and one y, and where runs of the study ended on it."""

from collections.abc import Sequence

import numpy as np

from reckless.bench.figures import Landscape, minimax_picture
from reckless.bench.problems import Problem, is_ours, problem
from reckless.bench.record import Record
from reckless.bench.report.drawing import Drawing, Picture
from reckless.bench.report.groups import Group, at_largest_budget, group_records
from reckless.core.arrays import Array
from reckless.errors import InvalidArgument

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


TITLE = "Minimax in one picture"
MOST_ANSWERS = 200


def draw_landscape(records: Sequence[Record]) -> Drawing | None:
    """Draw the recorded path if the study has its problem and method, else answers on the first problem in 1-D.

    That is one of this package, since no file that a store names is imported. Return None if there is none.
    """
    if any((record.problem, record.method) == (PROBLEM, METHOD) for record in records):
        return _draw_path()
    flat = (record for record in records if record.x.size == record.y.size == 1)
    groups = at_largest_budget(group_records(flat))
    for group in groups:
        task = _pictured(group.problem)
        if task is not None:
            best = min((g for g in groups if g.problem == group.problem), key=lambda g: g.summary.median)
            return _draw_answers(task, best)
    return None


def _pictured(name: str) -> Problem | None:
    """Return a problem of this package that has one x and one y in intervals, an optimum and a closed form, or None."""
    try:
        task = problem(name) if is_ours(name) else None
    except InvalidArgument:  # a store may name what does not exist
        return None
    if task is None or task.optimum is None or task.worst_case is None or not task.is_exact:
        return None
    has_boxes = all(isinstance(bounds, tuple) and len(bounds) == 1 for bounds in (task.x_bounds, task.y_bounds))
    return task if has_boxes else None


def _draw_path() -> Drawing:
    x, y = np.array(PATH).T
    task = problem(PROBLEM)
    assert task.worst_case is not None
    what = f"In red what one run of {METHOD} recommended on its way, {BUDGET:,} evaluations."
    return _draw(task, x, y, task.worst_case(x[:, None])[0], "recommendations of one run", what, is_path=True)


def _draw_answers(task: Problem, group: Group) -> Drawing:
    runs = [r for r in group.records if np.isfinite([*r.x, *r.y, r.worst_case]).all()][:MOST_ANSWERS]
    x, y = (np.array([part[0] for part in parts]) for parts in ([r.x for r in runs], [r.y for r in runs]))
    worst = np.array([r.worst_case for r in runs])
    number = "one run" if len(runs) == 1 else f"{len(runs)} runs"
    cell = f"{group.method}, {group.budget:,} evaluations each"
    what = f"In red the answers of {number} of {cell}, with the y they believed worst."
    return _draw(task, x, y, worst, f"answers of {number}", what, is_path=False)


def _draw(task: Problem, x: Array, y: Array, worst: Array, label: str, what: str, *, is_path: bool) -> Drawing:
    """Draw the picture from the formulas of the problem, with these points."""
    assert task.worst_case is not None
    assert task.optimum is not None
    x_edge, y_edge = (domain.rows(np.array([[0.0], [1.0]]), 2)[:, 0] for domain in (task.x_domain, task.y_domain))
    grid_x, grid_y = np.linspace(x_edge[0], x_edge[1], 241), np.linspace(y_edge[0], y_edge[1], 181)
    pairs = np.tile(grid_x, grid_y.size)[:, None], np.repeat(grid_y, grid_x.size)[:, None]
    worst_case, worst_y = task.worst_case(grid_x[:, None])
    landscape = Landscape(
        x=grid_x,
        y=grid_y,
        values=task.function(*pairs).reshape(grid_y.size, grid_x.size),
        worst_y=worst_y[:, 0],
        worst_case=worst_case,
        found_x=x,
        found_y=y,
        found_worst=worst,
        found_label=label,
        is_path=is_path,
        best_x=task.optimum.x[0],
        best_value=task.optimum.value,
    )
    figure = minimax_picture(landscape, title=f"{task.name}: f(x, y) = {task.summary}")
    caption = (
        f"Problem {task.name}. Below, f as a map: for every x the white ridge is the worst y. Above, the worst case "
        f"that the ridge amounts to. {what}"
    )
    return Drawing("landscape", TITLE, caption, (Picture(TITLE, figure),))
