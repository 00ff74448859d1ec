"""The figures of an experiment, drawn from its groups, each point with the values it tells."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from reckless.bench import figures
from reckless.bench.ecdf import runtime_ecdf
from reckless.bench.figures.regret import Panel, Reading, RunsPanel
from reckless.bench.figures.style import INK
from reckless.bench.problems import problem
from reckless.bench.report.experiments import Experiment
from reckless.bench.report.groups import Group, at_largest_budget, natural, scaled_families
from reckless.bench.report.markup import number
from reckless.core.arrays import Array, Indices

MOST_STEPS = 240  # of a runtime distribution; finer ones cannot be seen

PANEL_WIDTH, RUNS_WIDTH = 3.8, 5.0  # inches, of a panel that stands beside others

FLOOR_NOTE = " Regrets of 1e-16 and less, zero and negative ones too, stand in the shaded strip."
Panels = Mapping[str, Mapping[Group, float]]  # title -> groups with their places on the axis
CAPTIONS: dict[Reading, str] = {
    "median": "As it should be read: medians, with bars from quartile to quartile." + FLOOR_NOTE,
    "mean": "As the paper draws it: means, with bands of one standard deviation. A triangle at the lower edge "
    "says that the band goes on to zero or below, which a logarithmic axis cannot show.",
}


class Picture(NamedTuple):
    """A figure with its title, and for each named artist the texts of its points."""

    title: str
    figure: Figure
    tips: Mapping[str, Sequence[str]] = {}


class Drawing(NamedTuple):
    """Pictures that belong together, such as one per problem, with their name, title and caption."""

    name: str
    title: str
    caption: str
    pictures: tuple[Picture, ...]


def draw_regrets(experiment: Experiment, *, whole: bool = False) -> list[Drawing]:
    """Draw regret over budgets where there are several, over sizes where there are several, else run by run.

    whole: draw the problems in one figure with a legend, not each on its own.
    """
    drawings, covered = [], set[str]()
    found = {"convergence": _over_budgets(experiment.groups), "scalability": _over_sizes(experiment.groups)}
    for name, panels in found.items():
        covered |= {group.problem for groups in panels.values() for group in groups}
        drawings += [_draw_panels(experiment, name, panels, reading, whole) for reading in CAPTIONS if panels]
    single = [group for group in experiment.groups if group.problem not in covered]
    return [*drawings, _draw_runs(single, experiment, whole)] if single else drawings


def _over_budgets(groups: Sequence[Group]) -> Panels:
    panels: dict[str, dict[Group, float]] = {}
    for group in groups:
        panels.setdefault(group.problem, {})[group] = float(group.budget)
    return {name: own for name, own in panels.items() if len(set(own.values())) > 1}


def _over_sizes(groups: Sequence[Group]) -> Panels:
    largest = at_largest_budget(groups)
    scaled = scaled_families(groups).items()
    return {name: {g: float(sizes[g.problem]) for g in largest if g.problem in sizes} for name, sizes in scaled}


def _draw_panels(experiment: Experiment, name: str, panels: Panels, reading: Reading, whole: bool) -> Drawing:
    axis, over = ("evaluations", "evaluations") if name == "convergence" else ("n", "dimension n")
    drawn: list[tuple[Panel, dict[str, list[str]]]] = []
    for title, groups in panels.items():
        series: dict[str, list[Group]] = {method: [] for method in experiment.methods}
        for group in sorted(groups, key=lambda g: groups[g]):
            series[group.method].append(group)
        met = {method: own for method, own in series.items() if own}
        points = {method: [g.point(reading, groups[g]) for g in own] for method, own in met.items()}
        tips = {method: [tip(g, reading) for g in own] for method, own in met.items()}
        drawn.append((Panel(title, points, bool(_mark(groups))), tips))

    def draw(some: Sequence[Panel]) -> Figure:
        return figures.convergence(
            some,
            reading=reading,
            styles=experiment.styles,
            labels=experiment.labels,
            x_label=axis,
            legend=whole,
            width=None if whole else PANEL_WIDTH,
        )

    caption = CAPTIONS[reading] + _best_known_note(experiment.groups)
    return Drawing(f"{name}-{reading}", f"Regret over {over}, {reading}s", caption, _pictures(draw, drawn, whole))


def _draw_runs(groups: Sequence[Group], experiment: Experiment, whole: bool) -> Drawing:
    drawn: list[tuple[RunsPanel, dict[str, list[str]]]] = []
    for name, budget in sorted({(g.problem, g.budget) for g in groups}, key=lambda c: (natural(c[0]), c[1])):
        own = {g.method: g for g in groups if (g.problem, g.budget) == (name, budget)}
        ordered = {method: own[method] for method in experiment.methods if method in own}
        tips = {method: [tip(g, "median")] for method, g in ordered.items()}
        regrets = {method: g.regrets for method, g in ordered.items()}
        is_best_known = bool(_mark(ordered.values()))
        drawn.append((RunsPanel(f"{name}, {budget:,} evaluations", regrets, is_best_known), tips))

    def draw(some: Sequence[RunsPanel]) -> Figure:
        width = None if whole else RUNS_WIDTH
        return figures.runs(some, styles=experiment.styles, labels=experiment.labels, width=width)

    caption = "Every run is a dot; the bar goes from quartile to quartile, its mark is the median." + FLOOR_NOTE
    caption += _best_known_note(groups)
    return Drawing("runs", "Regret run by run", caption, _pictures(draw, drawn, whole))


def _pictures(
    draw: Callable[[Sequence[Any]], Figure], panels: Sequence[tuple[Any, dict[str, list[str]]]], whole: bool
) -> tuple[Picture, ...]:
    """Draw all panels in one picture, or each in its own; tips are given by method."""
    if whole:
        return (Picture("", draw([panel for panel, _ in panels])),)
    named = [(panel, {f"points|0|{m}": told for m, told in tips.items()}) for panel, tips in panels]
    return tuple(Picture(panel.title, draw([panel]), tips) for panel, tips in named)


def _mark(groups: Iterable[Group]) -> str:
    """Return what stands beside a name where no optimum is known."""
    return "against best known" if any(g.reference.name == "best known" for g in groups) else ""


def _best_known_note(groups: Iterable[Group]) -> str:
    told = " Where no optimum is known, regret is measured against the best worst case of all runs, whose regret is 0."
    return told if _mark(groups) else ""


def tip(group: Group, reading: str) -> str:
    """Write what a point tells when it is pointed at."""
    s = group.summary
    spread = f"median {number(s.median)}, quartiles {number(s.lower_quartile)} to {number(s.upper_quartile)}"
    if reading == "mean":
        spread = f"mean {number(s.mean)}, standard deviation {number(s.standard_deviation) or 'unknown'}"
    kinds = zip((s.n_runs, *group.off_scale), ("runs", "at or below 1e-16", "negative", "infinite"), strict=True)
    counts = [f"{n} {kind}" for n, kind in kinds if n]
    marks = f" ({mark})" if (mark := _mark([group])) else ""
    where = f"{group.problem}, {group.budget:,} evaluations{marks}"
    return f"{group.method}\n{where}\n{spread}\n{', '.join(counts)}"


def draw_ranks(experiment: Experiment) -> list[Drawing]:
    """Draw average ranks, with the critical difference if the methods differ; nothing for two methods."""
    comparison = experiment.comparison
    ranks = comparison.ranks
    if ranks is None:
        return []
    figure = figures.critical_difference(
        ranks, styles=experiment.styles, labels=experiment.labels, note=comparison.note
    )
    tips = {f"rank|{m}": [f"{m}\naverage rank {rank:.3g}"] for m, rank in zip(ranks.names, ranks.ranks, strict=True)}
    caption = "Average ranks, the best on the left."
    if not comparison.note:
        caption += " A bar joins methods whose difference is not significant (Nemenyi's test)."
    title = f"Ranks over {comparison.blocks}"
    return [Drawing("ranks", title, caption, (Picture(title, figure, tips),))]


def draw_runtimes(experiment: Experiment, *, whole: bool = False) -> list[Drawing]:
    """Draw the runtime distribution over regret targets; nothing if no history was recorded."""
    records = [record for group in experiment.groups for record in group.records]
    if not any(record.history_regret.size for record in records):
        return []
    found = runtime_ecdf(records)
    kept = {method: _thin(found[method].share) for method in experiment.methods}
    curves = [figures.EcdfCurve(m, found[m].evaluations[at], found[m].share[at]) for m, at in kept.items()]
    horizon = max(1.0, *(curve.largest for curve in found.values()))
    figure = figures.runtime_ecdf(
        curves, horizon=horizon, styles=experiment.styles, labels=experiment.labels, legend=whole
    )
    tips = {}
    for line in figure.axes[0].lines:
        kind, _, method = str(line.get_gid()).split("|", 2)
        if kind == "points":
            points = np.asarray(line.get_xydata())
            tips[str(line.get_gid())] = [f"{method}\n{y:.1%} of targets within {x:,.0f} evaluations" for x, y in points]
    caption = (
        "The fixed-target view, as COCO draws it: the share of 51 regret targets from 100 down to 1e-8, over all "
        "runs with the largest budget, that the recommendation has reached after so many evaluations."
    ) + _best_known_note(experiment.groups)
    title = "Runtime distribution"
    return [Drawing("runtimes", title, caption, (Picture(title, figure, tips),))]


def _thin(share: Array) -> Indices:
    """Return the indices of at most MOST_STEPS steps, the first and the last among them."""
    if share.size <= MOST_STEPS:
        return np.arange(share.size)
    return np.unique(np.searchsorted(share, np.linspace(share[0], share[-1], MOST_STEPS)))


def draw_filters(experiment: Experiment) -> list[Drawing]:
    """Draw the error over frequency of each method's median design, for the two readings of the filter problem."""
    signed, best = problem("filter-signed"), problem("filter").optimum
    assert best is not None
    psi = np.linspace(0.0, 1.0, 501)
    drawings = []
    for name in ("filter", "filter-signed"):
        own = [g for g in at_largest_budget(experiment.groups) if g.problem == name]
        middle = {experiment.labels.get(g.method, g.method): g.middle_record() for g in own}
        designs = {label: record.x for label, record in middle.items()}
        designs["optimum"] = np.array(best.x)
        if not own or any(x.size != signed.n_x for x in designs.values()):
            continue
        errors = {label: signed.function(np.tile(x, (psi.size, 1)), psi[:, None]) for label, x in designs.items()}
        worst = {label: float(np.abs(error).max()) for label, error in errors.items()}
        if name == "filter":  # the referee's numbers: a pole may lie between two frequencies
            worst |= {label: record.worst_case for label, record in middle.items()}
        curves = [figures.FilterCurve(label, error, worst[label]) for label, error in errors.items()]
        figure = figures.filter_error(psi, curves, [*(experiment.styles[g.method].color for g in own), INK])
        source = "as the referee measured it." if name == "filter" else "over the frequencies drawn."
        caption = (
            f"Designs found on {name}: of each method the run with the median regret, and the best design known. "
            f"The numbers are the largest |error|, {source}"
        )
        title = f"Error over frequency, {name}"
        drawings.append(Drawing(f"error-{name}", title, caption, (Picture(title, figure),)))
    return drawings
