"""Figures: they take data and return a matplotlib Figure; nothing here computes results or writes files."""

from reckless.bench.figures.critical import critical_difference
from reckless.bench.figures.ecdf import EcdfCurve, runtime_ecdf
from reckless.bench.figures.filter import FilterCurve, filter_error
from reckless.bench.figures.landscape import Landscape, minimax_picture
from reckless.bench.figures.regret import Mark, Panel, RunsPanel, convergence, runs
from reckless.bench.figures.style import COLORS, REGRET_FLOOR, MethodStyle, assign_styles, to_svg

__all__ = [
    "COLORS",
    "REGRET_FLOOR",
    "EcdfCurve",
    "FilterCurve",
    "Landscape",
    "Mark",
    "MethodStyle",
    "Panel",
    "RunsPanel",
    "assign_styles",
    "convergence",
    "critical_difference",
    "filter_error",
    "minimax_picture",
    "runs",
    "runtime_ecdf",
    "to_svg",
]
