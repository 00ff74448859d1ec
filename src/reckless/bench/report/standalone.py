"""The figures of the report one by one, each with its own legend: for papers and for the documentation."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from reckless.bench.record import Record
from reckless.bench.report.drawing import draw_filters, draw_ranks, draw_regrets, draw_runtimes
from reckless.bench.report.experiments import split_experiments
from reckless.bench.report.explain import draw_landscape


def study_figures(records: Sequence[Record]) -> dict[str, Figure]:
    """Draw every figure of the report on these records, by a name such as "convergence-convergence-median".

    `reckless.bench.figures.to_svg` turns them into files that are the same every time.
    """
    landscape = draw_landscape(records)
    found = {} if landscape is None else {"landscape": landscape.pictures[0].figure}
    for experiment in split_experiments(records):
        drawings = [*draw_regrets(experiment, whole=True), *draw_filters(experiment)]
        drawings += [*draw_runtimes(experiment, whole=True), *draw_ranks(experiment)]
        found |= {f"{experiment.key}-{drawing.name}": drawing.pictures[0].figure for drawing in drawings}
    return found
