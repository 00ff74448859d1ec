"""The report: one HTML file with everything in it, which works offline and without a script."""

from reckless.bench.report.builder import build_report
from reckless.bench.report.standalone import study_figures

__all__ = ["build_report", "study_figures"]
