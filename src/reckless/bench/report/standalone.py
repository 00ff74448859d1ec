"""The figures of the report one by one, each with its own legend: for papers and for the documentation."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from reckless.bench.record import Record
from reckless.bench.report.drawing import draw_filters, draw_ranks, draw_regrets, draw_runtimes
from reckless.bench.report.experiments import split_experiments, styles_of
from reckless.bench.report.explain import draw_landscape


def study_figures(records: Sequence[Record]) -> dict[str, Figure]:
    """Every figure of the report on these records, by a name such as "convergence-convergence-median".

    `reckless.bench.figures.to_svg` turns them into files that are the same every time.
    """
    experiments = split_experiments(records)
    styles = styles_of(experiments)
    found = {"landscape": draw_landscape().figure}
    for experiment in experiments:
        own = {method: styles[method] for method in experiment.methods}
        drawings = [*draw_regrets(experiment, own, legend=True), *draw_filters(experiment, own)]
        runtimes = draw_runtimes(experiment, own, legend=True)
        drawings += [runtimes] if runtimes else []
        found |= {f"{experiment.key}-{drawing.name}": drawing.figure for drawing in drawings}
        for at, comparison in enumerate(experiment.comparisons):
            ranks = draw_ranks(comparison, experiment, own)
            found |= {f"{experiment.key}-ranks-{at}": ranks.figure} if ranks else {}
    return found
