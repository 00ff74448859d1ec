"""What the picture of a result shows; warnings of matplotlib are errors."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.patches import Rectangle
from matplotlib.style import context as style_context

from reckless import MinimaxResult, Scenarios, maximin, minimax
from reckless.core.task import Recommendation
from reckless.domains.box import Box
from reckless.domains.labels import Legend
from reckless.errors import InvalidArgument
from reckless.run.panels import BAND, CURVE, FAILED, WORST, Distinct
from reckless.run.result import History, Slice, Slices, WorstCase

AT = np.array([2.0, 3.5, 5.0, 7.5, 9.0])


def some_result(values=(1.0, 4.0, 2.0, 3.0, 0.5), label="y[0]", n_slices=1, kind="linear", **fields):
    """A verified result by hand, with the same slice n times."""
    values = np.array(values)
    worst = np.inf if np.isposinf(values).any() else float(np.nanmax(values, initial=-np.inf))
    point = np.array([3.5])
    slices = [Slice(label, AT, values, 3.5, kind, 0 if label == "y[0]" else None)] * n_slices
    check = {"y": point, "fun": worst, "slices": Slices(slices)}
    history = History([Recommendation(40, point, point, 4.5), Recommendation(90, point, point, 1.5)])
    found = {"x": point, "y": point, "fun": 4.0, "nfev": 300, "method": "mmde", "history": history, "refuted": False}
    found["maximin"] = False
    return MinimaxResult(**{**found, "verification": WorstCase(check), **fields})


def drawn(result, **options):
    """The picture of a result, after it was drawn: a figure of its own has a canvas that draws nothing."""
    figure = result.plot(**options)
    FigureCanvasAgg(figure).draw()
    return figure


def bands(panel):
    """From where to where f fails, as a panel shows it, and at which height."""
    patches = [
        patch for patch in panel.patches if isinstance(patch, Rectangle) and to_hex(patch.get_facecolor()) == FAILED
    ]
    ends = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in patches]
    return ends, {(round(patch.get_y(), 9), round(patch.get_y() + patch.get_height(), 9)) for patch in patches}


def line_called(panel, label):
    (line,) = [line for line in panel.lines if line.get_label() == label]
    return line


def called(panel, label):
    """Places and values of what a panel calls so."""
    line = line_called(panel, label)
    return np.array(line.get_xdata()).tolist(), np.array(line.get_ydata()).tolist()


def key_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def headline(figure):
    return figure.get_suptitle()


def test_failures_are_a_band_at_the_top_as_far_as_halfway_to_the_next_value():
    figure = drawn(some_result((1.0, np.nan, 2.0, np.inf, np.nan)))
    ends, heights = bands(figure.axes[0])
    assert ends == [(2.75, 4.25), (6.25, 9.0)]
    assert heights == {(round(1.0 - BAND, 9), 1.0)}
    low, high = figure.axes[0].get_ylim()
    assert low < 1.0 < 2.0 < high - BAND * (high - low)  # no value lies behind the band
    assert "failed" in key_of(figure)


def test_with_maximin_the_band_is_at_the_bottom_where_bad_values_are():
    figure = drawn(some_result((1.0, np.nan, 2.0, np.inf, -np.inf), maximin=True))
    ends, heights = bands(figure.axes[0])
    assert ends == [(2.75, 4.25), (8.25, 9.0)]
    assert heights == {(0.0, BAND)}


def test_without_failures_there_is_no_band():
    figure = drawn(some_result())
    assert bands(figure.axes[0]) == ([], set())
    assert "failed" not in key_of(figure)


def test_on_a_logarithmic_axis_halfway_is_the_geometric_mean():
    figure = drawn(some_result((1.0, np.nan, 2.0, 3.0, 4.0), kind="log"))
    assert figure.axes[0].get_xscale() == "log"
    assert bands(figure.axes[0])[0] == [pytest.approx((7.0**0.5, 17.5**0.5))]


def test_a_value_between_two_failures_is_seen():
    assert line_called(drawn(some_result((np.nan, 1.0, np.nan, 3.0, 2.0))).axes[0], "f(x, y)").get_marker() == "."
    assert line_called(some_result().plot().axes[0], "f(x, y)").get_marker() == "None"


def test_between_integers_there_is_no_line():
    line = line_called(drawn(some_result(kind="int")).axes[0], "f(x, y)")
    assert (line.get_marker(), line.get_linestyle()) == ("o", "None")


def test_choices_stand_side_by_side_under_the_words_of_the_user():
    words = ({2.0: "red", 3.5: "$green", 5.0: "blue", 7.5: "gray", 9.0: "pink"},)
    figure = drawn(some_result(kind="choices", legends=SimpleNamespace(y=Legend(("color",), (), words))))
    panel = figure.axes[0]
    assert called(panel, "f(x, y)")[0] == [0, 1, 2, 3, 4]
    assert called(panel, "worst case") == ([1], [4.0])
    assert [text.get_text() for text in panel.get_xticklabels()] == ["red", "$green", "blue", "gray", "pink"]


def test_other_worst_cases_are_circles_where_their_coordinate_is():
    case = SimpleNamespace(fun=3.99, weight=0.5, row=None, y=np.array([9.0]))
    worst = SimpleNamespace(fun=4.0, weight=0.5, row=None, y=np.array([3.5]))
    figure = drawn(some_result(active=(worst, case)))
    assert called(figure.axes[0], "other worst cases") == ([9.0], [3.99])
    assert called(figure.axes[0], "worst case") == ([3.5], [4.0])
    assert "other worst cases" not in key_of(drawn(some_result(active=(worst,))))


def test_axes_have_the_names_of_the_set_or_what_the_user_calls_them():
    result = minimax(lambda x, y: x @ x * y[0], [(1, 4)], Box({"load $N": (2, 9)}), maxfev=200, rng=1, verify=True)
    assert drawn(result).axes[0].get_xlabel() == "load $N"
    assert drawn(result, names=["$\\wind"]).axes[0].get_xlabel() == "$\\wind"
    assert drawn(some_result()).axes[0].get_xlabel() == "y[0]"
    assert drawn(some_result(label="angle"), names=["wind"]).axes[0].get_xlabel() == "angle"  # of no coordinate


@pytest.mark.parametrize("names", [[], ["a", "b"], "a", [3], 7, {"a": 1}])
def test_names_are_texts_one_for_each_coordinate(names):
    with pytest.raises(InvalidArgument, match="names: expected 1 texts, one for each coordinate of y, but got "):
        some_result().plot(names=names)


def test_the_user_may_give_the_axes():
    figure = Figure()
    given = figure.subplots(1, 2)
    assert some_result().plot(axes=given) is figure
    assert given[0].get_xlabel() == "y[0]"
    assert given[1].get_xlabel() == "evaluations"
    assert figure.get_suptitle() == ""
    part = Figure()
    panel = part.subfigures(1, 2)[1].subplots()
    assert some_result(verification=None).plot(axes=panel) is part
    FigureCanvasAgg(figure).draw()


@pytest.mark.parametrize("n", [1, 3])
def test_the_wrong_number_of_axes_is_refused(n):
    axes = Figure().subplots(1, n)
    with pytest.raises(
        InvalidArgument, match=rf"axes: expected 2 Axes, for y\[0\], the run, but got {n}\. For example"
    ):
        some_result().plot(axes=axes)


@pytest.mark.parametrize("axes", ["left", 3, [None, None], Figure()])
def test_what_is_no_axes_is_refused(axes):
    with pytest.raises(InvalidArgument, match="axes: expected matplotlib Axes, one or a sequence of them, but got "):
        some_result().plot(axes=axes)


@pytest.mark.parametrize(("n_slices", "n_panels"), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 6), (9, 6)])
def test_no_panel_is_empty_and_no_place(n_slices, n_panels):
    figure = drawn(some_result(n_slices=n_slices, y=np.zeros(n_slices or 1)))
    assert len(figure.axes) == n_panels
    assert all(panel.has_data() for panel in figure.axes)
    grid = figure.axes[0].get_gridspec()
    assert sum(
        panel.get_subplotspec().colspan.stop - panel.get_subplotspec().colspan.start for panel in figure.axes
    ) == (grid.nrows * grid.ncols)


def test_of_many_slices_those_are_drawn_along_which_f_fails_or_changes_most():
    ranges = [3.0, 0.1, 9.0, 2.0, 1.0, 0.2]
    parts = [Slice(f"c{i}", AT, np.array([0.0, high, 0.0, 0.0, 0.0]), 3.5) for i, high in enumerate(ranges)]
    parts[1] = parts[1]._replace(values=np.array([0.0, 0.1, np.nan, 0.0, 0.0]))
    check = WorstCase({"y": np.zeros(8), "fun": 9.0, "slices": Slices(parts)})
    figure = drawn(some_result(verification=check, y=np.zeros(8)))
    assert [panel.get_xlabel() for panel in figure.axes[:-1]] == ["c0", "c1", "c2", "c3", "c4"]
    assert headline(figure).endswith("\nthe 5 of 6 measured coordinates of y that matter most, of 8")


def test_the_scale_of_f_is_said_once_in_a_row():
    figure = drawn(some_result(n_slices=5))
    assert [panel.get_ylabel() for panel in figure.axes] == ["f(x, y)", "", "", "f(x, y)", "", ""]
    shown = [panel.yaxis.get_tick_params()["labelleft"] for panel in figure.axes[:-1]]
    assert shown == [True, False, False, True, False]
    assert len({panel.get_ylim() for panel in figure.axes[:-1]}) == 1


def test_estimates_that_held_are_a_line_and_those_refuted_later_are_dots():
    point, moments = np.array([3.0]), [(10, 0.2), (20, 7.0), (30, 0.3), (40, 6.0), (50, 5.0), (60, 1.0), (70, 4.0)]
    history = History([Recommendation(nfev, point, point, fun) for nfev, fun in moments])
    panel = drawn(some_result(history=history)).axes[-1]
    assert called(panel, "estimate") == ([20, 40, 50, 70, 300], [7.0, 6.0, 5.0, 4.0, 4.0])
    assert called(panel, "estimate, refuted later") == ([10, 30, 60], [0.2, 0.3, 1.0])
    turned = History([row._replace(fun=-row.fun) for row in history])
    panel = drawn(some_result(history=turned, fun=-4.0, maximin=True)).axes[-1]
    assert called(panel, "estimate, refuted later") == ([10, 30, 60], [-0.2, -0.3, -1.0])


def test_the_history_ends_with_the_value_of_the_result():
    assert called(some_result(fun=1.5).plot().axes[1], "estimate") == ([40, 90, 300], [4.5, 1.5, 1.5])
    assert called(some_result(fun=4.0).plot().axes[1], "estimate") == ([40, 300], [4.5, 4.0])


def test_a_history_that_ends_at_infinity_ends_at_the_top():
    panel = drawn(some_result((1.0, np.inf, 2.0, 3.0, 0.5), fun=np.inf)).axes[1]
    (cross,) = [line for line in panel.lines if line.get_marker() == "x"]
    assert (list(cross.get_xdata()), list(cross.get_ydata())) == ([300], [1.0 - BAND / 2.0])
    assert called(panel, "estimate, refuted later") == ([40, 90], [4.5, 1.5])


def test_a_refuted_result_says_so_first():
    figure = some_result(refuted=True).plot()
    assert headline(figure) == "Refuted: worst case 4, estimate 1.5 by mmde"
    assert headline(some_result().plot()) == "Worst case found 4; estimate 4 by mmde"
    assert headline(some_result(verification=None).plot()) == "Not verified; estimate 4 by mmde"
    assert headline(some_result(fun=np.nan).plot()) == "Nothing found by mmde"


def test_of_a_list_the_ten_worst_are_bars_with_their_rows():
    points = np.random.default_rng(5).normal(size=(300, 2)) + 5.0
    f = lambda x, y: np.nan if y[0] > 7.6 else x[0] * y[1]  # noqa: E731
    result = minimax(f, [(1.0, 4.0)], Scenarios(points), maxfev=900, rng=1, verify=True, nan_policy="ignore")
    panel = drawn(result).axes[0]
    failing = np.flatnonzero(points[:, 0] > 7.6)
    others = [i for i in np.argsort(-points[:, 1]) if i not in failing][: 10 - failing.size]
    rows = [int(label.get_text().removeprefix("row ")) for label in panel.get_yticklabels()]
    assert failing.size == 1
    assert sorted(rows[:1]) == failing.tolist()
    assert rows[1:] == others
    assert [to_hex(bar.get_facecolor()) for bar in panel.patches[:3]] == [FAILED, WORST, CURVE]
    assert panel.get_title(loc="left") == "the 10 worst of 300 scenarios"


def test_with_maximin_the_worst_of_a_list_are_the_smallest():
    points = np.array([[5.0], [3.0], [8.0], [1.5]])
    result = maximin(lambda x, y: x[0] + y[0], [(1.0, 4.0)], Scenarios(points), maxfev=200, rng=1, verify=True)
    panel = drawn(result).axes[0]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["row 3", "row 1", "row 0", "row 2"]
    assert [bar.get_width() for bar in panel.patches] == pytest.approx([-6.5, -5.0, -3.0, 0.0])
    assert panel.get_title(loc="left") == "4 scenarios"


def test_a_list_of_which_all_failed_can_be_drawn():
    values, worst = np.full(5, np.nan), {"y": np.array([3.5]), "fun": np.nan}
    check = WorstCase({**worst, "slices": Slices([Slice("scenario", np.arange(5.0), values, 0.0, "list")])})
    assert len(drawn(some_result(verification=check)).axes[0].patches) == 5


ODD_VALUES = [[np.nan] * 5, [np.inf] * 5, [-np.inf] * 5, [np.inf, 1e300, -1e300, 0.0, np.nan]]
ODD_ENDS = [np.nan, np.inf, -np.inf, 2.0]


@pytest.mark.parametrize("kind", ["linear", "log", "int", "choices", "list"])
@pytest.mark.parametrize("i", range(4))
@pytest.mark.parametrize("j", range(4))
def test_whatever_the_values_there_is_a_picture(i, j, kind):
    """Each of the values and each of the ends meets a history and none, refuted and not."""
    history = some_result().history if (i + j) % 2 else History()
    refuted = (i // 2 + j // 2) % 2 == 1
    drawn(some_result(ODD_VALUES[i], fun=ODD_ENDS[j], history=history, refuted=refuted, kind=kind))


@pytest.mark.parametrize("n_slices", [1, 2, 3, 6])
def test_headings_do_not_overlap_however_long_the_names_are(n_slices):
    long = {"method": "coevolution-alternating:population_size=7,n_replaced=3", "refuted": True, "fun": 1.234567e-300}
    name = "an_extremely_long_name_of_a_coordinate"
    figure = drawn(some_result((-1.234567e-300, np.nan, 2.0, 3.0, 0.5), name, n_slices, **long))
    renderer = figure.canvas.get_renderer()
    texts = [figure._suptitle]
    for panel in figure.axes:
        texts += [text for text in (panel._left_title, panel.xaxis.label, panel.yaxis.label) if text.get_text()]
    boxes = [text.get_window_extent(renderer) for text in texts]
    for i, one in enumerate(boxes):
        assert one.x1 <= figure.bbox.x1
        assert not any(one.overlaps(other) for other in boxes[:i])


def test_labels_have_as_few_digits_as_tell_them_apart():
    assert Distinct().format_ticks([0.1, 0.2, 0.30000000000000004]) == ["0.1", "0.2", "0.3"]
    assert Distinct().format_ticks([500.0, 1000.0, 1500.0]) == ["500", "1000", "1500"]
    assert Distinct().format_ticks([29750000.0, 29760000.0]) == ["2.975e+07", "2.976e+07"]
    assert Distinct().format_ticks([-1.0, 1e-17, 1.0]) == ["-1", "0", "1"]
    assert Distinct().format_ticks([]) == []


def test_where_labels_are_long_the_ends_of_the_scale_are_enough():
    assert Distinct().format_ticks([2.0, 2.000000001, 2.000000002]) == ["2", "", "2.000000002"]
    panel = Figure().subplots()
    panel.set_xlim(2.0000000005, 2.0000000035)
    panel.xaxis.set_major_formatter(Distinct())
    ticks = [2.0, 2.000000001, 2.000000002, 2.000000003, 2.000000004]
    assert panel.xaxis.get_major_formatter().format_ticks(ticks) == ["", "2.000000001", "", "2.000000003", ""]


def pixels(png):
    return imread(io.BytesIO(png))[..., :3]


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_a_figure_shows_itself_on_a_white_ground_under_every_style(style):
    with style_context(style):
        picture = pixels(some_result().plot()._repr_png_())
    assert picture.shape[:2] == (365, 800)
    assert (picture[0, 0] == 1.0).all()
    assert (picture[150, 200] > 0.8).all()
    assert (picture == 1.0).mean() > 0.8
    assert (picture < 0.4).all(axis=2).any()  # dark ink


def test_names_in_other_scripts_are_no_reason_to_warn():
    assert some_result(label="負荷").plot()._repr_png_().startswith(b"\x89PNG")


def test_a_run_with_failures_can_be_drawn():
    def f(x, y):
        return np.nan if y[0] > 8.0 else np.inf if y[0] > 7.0 else x[0] * y[0]

    result = minimax(f, [(1.0, 4.0)], Box({"load": (2.0, 9.0)}), maxfev=300, rng=1, method="mmde", verify=True)
    ((start, end),) = bands(drawn(result).axes[0])[0]
    assert 6.8 < start < 7.0
    assert end == 9.0
