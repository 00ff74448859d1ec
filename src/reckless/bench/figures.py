"""Figures: they take data and return a matplotlib Figure; nothing here computes results or writes files."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from reckless.core.arrays import Array

COLORS = ("#0b62a4", "#d1495b", "#2e933c", "#8d6a9f", "#e0a100", "#444444")


class FilterCurve(NamedTuple):
    """One filter design: the signed error of its amplitude over the frequencies psi."""

    label: str
    error: Array  # (m,), for the psi given beside it
    worst: float  # the largest |error|


def filter_error(psi: Array, curves: Sequence[FilterCurve]) -> Figure:
    """The error of several filter designs over frequency, with the band that each one keeps within."""
    figure = Figure(figsize=(7.0, 3.8), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(0.0, color="#999999", linewidth=0.8)
    for curve, color in zip(curves, COLORS, strict=False):
        axes.plot(psi, curve.error, color=color, linewidth=1.4, label=f"{curve.label}: {curve.worst:.3e}")
        axes.axhline(curve.worst, color=color, linewidth=0.7, linestyle=":")
        axes.axhline(-curve.worst, color=color, linewidth=0.7, linestyle=":")
    axes.set_xlim(0.0, 1.0)
    # The largest error may tower over the others: beyond ten times the smallest it is cut off.
    smallest = min(curve.worst for curve in curves)
    limit = 1.15 * min(max(curve.worst for curve in curves), 10.0 * smallest)
    axes.set_ylim(-limit, limit)
    axes.set_xlabel(r"frequency $\psi$")
    axes.set_ylabel(r"error $|H| - |1 - 2\psi|$")
    axes.legend(title="design: worst case", loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3, frameon=False)
    return figure

