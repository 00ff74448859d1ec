"""What is drawn equals the data; labels do not meet; regrets without a logarithm are not dropped."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from reckless.bench.figures import (
    COLORS,
    REGRET_FLOOR,
    EcdfCurve,
    FilterCurve,
    Landscape,
    Mark,
    Panel,
    RunsPanel,
    assign_styles,
    convergence,
    critical_difference,
    filter_error,
    minimax_picture,
    runs,
    runtime_ecdf,
    to_svg,
)
from reckless.bench.figures.floor import LogRange
from reckless.bench.figures.style import shorten
from reckless.bench.statistics import nemenyi

BUDGETS = (100.0, 1e3, 1e4, 1e5)


def point(position: float, center: float, low: float, high: float, **counts: int) -> Mark:
    return Mark(position, center, low, high, 60, **counts)


def panel(title: str = "L1") -> Panel:
    fast = [point(b, 3.0 / b, 1.0 / b, 9.0 / b) for b in BUDGETS]
    slow = [point(b, 30.0 / b, 10.0 / b, 90.0 / b) for b in BUDGETS]
    return Panel(title, {"fast": fast, "slow": slow})


def artist(figure: Figure, gid: str, axes: int = 0) -> Line2D:
    (found,) = [line for line in figure.axes[axes].lines if line.get_gid() == gid]
    return found


def boxes(figure: Figure) -> dict[str, object]:
    """The place on the canvas of every text that is shown, in pixels."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    shown = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]
    return {f"{t.get_text()} #{i}": t.get_window_extent(canvas.get_renderer()) for i, t in enumerate(shown)}


def assert_apart(figure: Figure) -> None:
    placed = boxes(figure)
    for (a, box), (b, other) in combinations(placed.items(), 2):
        assert not box.overlaps(other), f"{a!r} and {b!r} overlap"
    width, height = figure.get_size_inches() * figure.dpi
    for name, box in placed.items():
        assert box.x0 >= 0, name
        assert box.x1 <= width, name
        assert box.y0 >= 0, name
        assert box.y1 <= height, name


@pytest.mark.parametrize("reading", ["mean", "median"])
def test_convergence_draws_the_given_centers_at_the_given_budgets(reading):
    figure = convergence([panel("L1"), panel("L2")], reading=reading)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["L1", "L2"]
    for name, level in (("fast", 3.0), ("slow", 30.0)):
        line = artist(figure, f"points|1|{name}", axes=1)
        assert line.get_ydata() == pytest.approx([level / b for b in BUDGETS])
        # Medians stand side by side: at most a fiftieth of the axis from their budget.
        assert np.log10(line.get_xdata()) == pytest.approx(np.log10(BUDGETS), abs=3.0 / 50)


def test_quartiles_are_drawn_from_the_lower_to_the_upper():
    figure = convergence([panel()], reading="median")
    (bars,) = [c for c in figure.axes[0].collections if c.get_gid() == "band|0|fast"]
    ends = [segment[:, 1] for segment in bars.get_segments()]
    assert np.array(ends) == pytest.approx(np.array([[1.0 / b, 9.0 / b] for b in BUDGETS]))


def test_zero_and_negative_medians_stand_in_a_labeled_strip_and_are_counted():
    dropped = [point(100.0, 1.0, 0.5, 2.0), point(1e3, 0.0, -1e-9, 1e-3, n_floor=40, n_negative=20)]
    figure = convergence([Panel("L5", {"m": dropped})], reading="median")
    axes = figure.axes[0]
    boxes(figure)
    y = artist(figure, "points|0|m").get_ydata()
    assert axes.get_ylim()[0] < y[1] < REGRET_FLOOR
    assert "≤ 10⁻¹⁶" in [label.get_text() for label in axes.get_yticklabels()]
    (note,) = [t.get_text() for t in axes.texts if t.get_gid() == "note"]
    assert note == "40 of 120 runs ≤ 10⁻¹⁶, 20 negative"


def test_a_band_that_reaches_zero_ends_at_the_edge_with_a_triangle():
    wide = [point(100.0, 1.0, -0.5, 2.5), point(1e3, 0.1, 0.05, 0.15)]
    figure = convergence([Panel("L1", {"m": wide})], reading="mean")
    cut = artist(figure, "cut|0|m")
    assert cut.get_xdata() == pytest.approx([100.0])
    (band,) = [c for c in figure.axes[0].collections if c.get_gid() == "band|0|m"]
    vertices = band.get_paths()[0].vertices
    bottom = figure.axes[0].get_ylim()[0]
    assert vertices[:, 1].min() == pytest.approx(bottom)
    assert {0.05, 0.15, 2.5} <= {round(float(v), 12) for v in vertices[:, 1]}


def test_infinite_regrets_stand_in_a_strip_of_their_own():
    figure = convergence([Panel("L1", {"m": [point(100.0, np.inf, 1.0, np.inf, n_infinite=45)]})], reading="median")
    boxes(figure)
    assert "infinite" in [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert np.isfinite(artist(figure, "points|0|m").get_ydata()).all()


def test_dimensions_can_take_the_place_of_budgets():
    sizes = (2.0, 5.0, 10.0, 15.0, 20.0, 40.0, 50.0)
    figure = convergence([Panel("L1", {"m": [point(n, 1.0, 0.5, 2.0) for n in sizes]})], reading="median", x_label="n")
    boxes(figure)
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ["2", "5", "10", "15", "20", "40", "50"]


def test_zero_regrets_against_the_best_known_stand_right_below_the_others():
    regrets = {"A": np.array([0.0, 0.02, 0.5])}
    known, best_known = (runs([RunsPanel("p", regrets, flag)]).axes[0] for flag in (False, True))
    assert known.get_xlim()[0] < 1e-16
    assert 1e-4 < best_known.get_xlim()[0] < 1e-2
    assert [text.get_text() for text in best_known.texts] == ["against best known; 1 of 3 runs ≤ 10⁻¹⁶"]
    assert best_known.get_xticklabels()[0].get_text() == "≤ 10⁻²"


def test_every_run_is_a_dot_and_none_is_left_out():
    regrets = np.array([1e-3, 0.0, -1e-9, 2.0, np.inf])
    figure = runs([RunsPanel("filter", {"m": regrets})])
    drawn = np.sort(artist(figure, "dots|0|m").get_xdata())
    assert drawn.size == regrets.size
    assert drawn[:2].max() < REGRET_FLOOR
    assert drawn[2:4] == pytest.approx([1e-3, 2.0])


@pytest.mark.parametrize("largest", [1e3, 1e11, 1e15])
def test_the_label_of_infinite_regrets_keeps_away_from_the_others(largest):
    assert_apart(runs([RunsPanel("filter", {"coevolution-alternating": np.array([0.0, 1e-3, largest, np.inf])})]))


def test_runtime_curves_are_the_given_steps():
    curve = EcdfCurve("m", np.array([10.0, 100.0, 500.0]), np.array([0.2, 0.4, 0.9]))
    line = artist(runtime_ecdf([curve], horizon=1e4), "line|0|m")
    assert list(line.get_xdata()) == [10.0, 100.0, 500.0, 1e4]
    assert list(line.get_ydata()) == [0.2, 0.4, 0.9, 0.9]


@pytest.mark.parametrize(
    ("first", "horizon", "labels"),
    [
        (1300, 99_960, ["2·10³", "5·10³", "10⁴", "2·10⁴", "5·10⁴"]),
        (100, 500_000, ["10²", "10³", "10⁴", "10⁵"]),
    ],
)
def test_runtimes_have_labels_enough_to_read_the_scale(first, horizon, labels):
    figure = runtime_ecdf([EcdfCurve("m", np.array([first, 2.0 * first]), np.array([0.2, 0.4]))], horizon=horizon)
    boxes(figure)
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == labels


@pytest.mark.parametrize(
    ("n_methods", "name", "spread"),
    [
        (2, "{}", 1.0),
        (4, "method {}", 0.0),
        (9, "close ranks {}", 0.01),
        (20, "reckless-n:descent_share=0.{}", 0.5),
        (25, "a name that is longer than anyone would ever want to type it, number {}", 0.3),
    ],
)
def test_names_in_a_critical_difference_diagram_do_not_meet(n_methods, name, spread):
    rng = np.random.default_rng(n_methods)
    scores = rng.normal(size=(12, n_methods)) + spread * np.arange(n_methods)
    assert_apart(critical_difference(nemenyi(scores, [name.format(i) for i in range(n_methods)])))


def test_ranks_cliques_and_ruler_are_to_scale():
    scores = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], (30, 1))
    test = nemenyi(scores, list("ABCDE"))
    figure = critical_difference(test)
    unit = artist(figure, "rank|B").get_xdata()[0] - artist(figure, "rank|A").get_xdata()[0]
    for name, rank in zip(test.names, test.ranks, strict=True):
        assert artist(figure, f"rank|{name}").get_xdata()[0] == pytest.approx(unit * (rank - 1.0))
    assert np.ptp(artist(figure, "ruler").get_xdata()) == pytest.approx(unit * test.critical_difference)
    cliques = [line for line in figure.axes[0].lines if line.get_gid() == "clique"]
    assert len(cliques) == len(test.cliques)


@pytest.mark.parametrize(("n_blocks", "note", "said"), [(2, "", "Cannot reject"), (30, "p = 0.3", "p = 0.3")])
def test_ranks_without_a_test_stand_alone_and_say_why(n_blocks, note, said):
    figure = critical_difference(nemenyi([[1, 2, 3, 4]] * n_blocks, list("ABCD")), note=note)
    assert any(said in text.get_text() for text in figure.axes[0].texts)
    assert not [line for line in figure.axes[0].lines if line.get_gid() in ("clique", "ruler")]
    assert_apart(figure)


def test_methods_keep_their_color_and_those_drawn_together_differ():
    steps, variants, rivals = [list(range(5)), list(range(5, 13)), [10, 13, 14, 15]]
    groups = [[f"m{i}" for i in group] for group in (steps, variants, rivals)]
    styles = assign_styles(groups)
    for group in groups:
        assert len({styles[name].color for name in group}) == len(group)
    many = assign_styles([[f"m{i}" for i in range(30)]])
    assert len(set(many.values())) == 30
    assert {style.color for style in many.values()} == set(COLORS)


def test_the_filter_figure_draws_each_error_and_says_what_it_cuts_off():
    psi = np.linspace(0.0, 1.0, 11)
    curves = [FilterCurve("good", 0.01 * np.cos(psi), 0.01), FilterCurve("fine", 0.02 * psi, 0.02)]
    figure = filter_error(psi, [*curves, FilterCurve("bad", 5.0 * psi, 5.0)])
    for line, curve in zip(figure.axes[0].lines[1::3], curves, strict=False):
        assert line.get_ydata() == pytest.approx(curve.error)
    assert "1 of 3 designs go beyond this range, up to 5.00e+00" in figure.axes[0].get_title(loc="right")


def landscape() -> Landscape:
    x, y = np.linspace(1.0, 4.0, 7), np.linspace(-7.0, -2.0, 6)
    values = (x[None, :] - 2.0) ** 2 - (y[:, None] + 3.0) ** 2
    return Landscape(
        x=x,
        y=y,
        values=values,
        worst_y=np.full(7, -3.0),
        worst_case=(x - 2.0) ** 2,
        found_x=np.array([3.5, 2.2]),
        found_y=np.array([-6.0, -3.1]),
        found_worst=np.array([2.25, 0.04]),
        found_label="recommendations of one run",
        is_path=True,
        best_x=2.0,
        best_value=0.0,
    )


def test_the_minimax_picture_shows_the_map_the_ridge_the_path_and_the_minimum():
    data = landscape()
    figure = minimax_picture(data)
    assert artist(figure, "worst-case").get_ydata() == pytest.approx(data.worst_case)
    assert artist(figure, "best").get_xydata()[0] == pytest.approx([2.0, 0.0])
    assert artist(figure, "ridge", axes=1).get_ydata() == pytest.approx(data.worst_y)
    assert artist(figure, "found", axes=1).get_xydata() == pytest.approx(np.array([[3.5, -6.0], [2.2, -3.1]]))
    (image,) = figure.axes[1].images
    assert np.asarray(image.get_array()) == pytest.approx(data.values)
    assert image.get_extent() == pytest.approx([1.0, 4.0, -7.0, -2.0])


def test_svg_is_the_same_text_every_time():
    first, second = (to_svg(convergence([panel()], reading="mean")) for _ in range(2))
    assert first == second
    assert first.startswith("<svg")
    assert ">evaluations</text>" in first


def test_dollar_signs_and_unknown_letters_in_names_are_only_text():
    name = "cost $x$ \u4e2d"
    assert name in to_svg(critical_difference(nemenyi([[1, 2], [2, 1], [1, 2]], [name, "b"])))
    assert name in to_svg(convergence([Panel("p", {name: [point(10.0, 1.0, 1.0, 1.0)]})], reading="median"))


def test_long_names_keep_both_ends():
    assert shorten("x" * 100 + "end", 20) == "x" * 10 + "…" + "xxxxxxend"
    assert shorten("short") == "short"


def test_a_strip_above_the_largest_number_ends_at_it():
    decades = LogRange(-2, 308, has_floor=False, has_ceiling=True)
    assert decades.limits == (1e-2, 1e308)
    np.testing.assert_array_equal(decades.place(np.array([1.0, np.inf])), [1.0, 1e308])


def test_a_figure_has_a_white_ground_unless_a_page_brings_its_own():
    figure = convergence([panel()], reading="mean")
    ground = {key: to_svg(figure, transparent=key).partition('id="patch_1"')[2][:300] for key in (False, True)}
    assert "fill: #ffffff" in ground[False]
    assert "fill: none" in ground[True]
