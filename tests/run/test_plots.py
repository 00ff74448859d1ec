"""What the picture of a result shows; warnings of matplotlib are errors."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from reckless import MinimaxResult, minimax
from reckless.core.task import Recommendation
from reckless.domains.box import Box
from reckless.run.plots import BOTTOM, TOP, WORST
from reckless.run.result import History, Slice, Slices, WorstCase

AT = np.array([2.0, 3.5, 5.0, 7.5, 9.0])


def some_result(values=(1.0, 4.0, 2.0, 3.0, 0.5), label="y[0]", n_slices=1, **fields):
    """A verified result by hand, with the same slice n times."""
    values = np.array(values)
    worst = np.inf if np.isposinf(values).any() else float(np.nanmax(values, initial=-np.inf))
    point = np.array([3.0])
    check = {"y": point, "fun": worst, "slices": Slices([Slice(label, AT, values, 3.5)] * n_slices)}
    history = History([Recommendation(40, point, point, 2.5), Recommendation(90, point, point, 1.5)])
    found = {"x": point, "y": point, "fun": 4.0, "nfev": 300, "method": "mmde", "history": history, "refuted": False}
    found["maximin"] = False
    return MinimaxResult(**{**found, "verification": WorstCase(check), **fields})


def drawn(result):
    """The picture of a result, after it was drawn: a figure of its own has a canvas that draws nothing."""
    figure = result.plot()
    FigureCanvasAgg(figure).draw()
    return figure


def crosses(panel):
    """Places of the crosses of a panel, their height and their color."""
    (line,) = [line for line in panel.lines if line.get_marker() == "x" and len(line.get_xdata())]
    return line.get_xdata().tolist(), set(line.get_ydata()), to_hex(line.get_color())


def headline(figure):
    return figure.get_suptitle()


def words_of(panel):
    return [text for text in (panel.get_title(loc=loc) for loc in ("left", "right")) if text]


@pytest.mark.parametrize("label", ["y[0]", "scenario"])
def test_failed_y_are_drawn_at_the_top_in_the_color_of_the_worst_case(label):
    figure = drawn(some_result((1.0, np.nan, 2.0, np.inf, -np.inf), label))
    assert crosses(figure.axes[0]) == ([3.5, 7.5], {TOP}, WORST)
    low, high = figure.axes[0].get_ylim()
    assert low < 1.0 < 2.0 < high < 2.2


def test_with_maximin_they_are_drawn_at_the_bottom_where_bad_values_are():
    figure = drawn(some_result((1.0, np.nan, 2.0, np.inf, -np.inf), maximin=True))
    assert crosses(figure.axes[0]) == ([3.5, 9.0], {BOTTOM}, WORST)
    assert crosses(drawn(some_result(fun=-np.inf, maximin=True)).axes[1]) == ([300], {BOTTOM}, WORST)


def test_a_value_between_two_failures_is_seen():
    figure = drawn(some_result((np.nan, 1.0, np.nan, 3.0, 2.0)))
    assert figure.axes[0].lines[0].get_marker() == "."
    assert some_result().plot().axes[0].lines[0].get_marker() == "None"


def test_failures_are_named_once():
    figure = some_result((1.0, np.nan, 2.0, 3.0, 0.5), n_slices=3).plot()
    assert [len(words_of(panel)) for panel in figure.axes] == [2, 1, 1, 1]
    assert words_of(figure.axes[0])[1].endswith("failed")
    assert all(len(words_of(panel)) == 1 for panel in some_result().plot().axes)


def test_the_history_ends_with_the_value_of_the_result():
    steps = some_result(fun=4.0).plot().axes[1].lines[0]
    assert steps.get_xdata().tolist() == [40, 90, 300]
    assert steps.get_ydata().tolist() == [2.5, 1.5, 4.0]


def test_a_history_that_ends_at_infinity_ends_at_the_top():
    figure = drawn(some_result((1.0, np.inf, 2.0, 3.0, 0.5), fun=np.inf))
    assert crosses(figure.axes[1]) == ([300], {TOP}, WORST)
    assert figure.axes[1].lines[0].get_ydata().tolist() == [2.5, 1.5]


def test_a_refuted_result_says_so_first():
    figure = some_result(refuted=True).plot()
    assert headline(figure) == "Refuted: worst case 4, estimate 1.5 by mmde"
    assert headline(some_result().plot()) == "Worst case found 4; estimate 4 by mmde"
    assert headline(some_result(verification=None).plot()) == "Not verified; estimate 4 by mmde"


ODD_VALUES = [[np.nan] * 5, [np.inf] * 5, [-np.inf] * 5, [np.inf, 1e300, -1e300, 0.0, np.nan]]
ODD_ENDS = [np.nan, np.inf, -np.inf, 2.0]


@pytest.mark.parametrize("i", range(4))
@pytest.mark.parametrize("j", range(4))
def test_whatever_the_values_there_is_a_picture(i, j):
    """Each of the values and each of the ends meets a history and none, refuted and not."""
    history = some_result().history if (i + j) % 2 else History()
    refuted = (i // 2 + j // 2) % 2 == 1
    drawn(some_result(ODD_VALUES[i], fun=ODD_ENDS[j], history=history, refuted=refuted))


@pytest.mark.parametrize("n_slices", [1, 2, 3, 6])
def test_headings_do_not_overlap_however_long_the_names_are(n_slices):
    long = {"method": "coevolution-alternating:population_size=7,n_replaced=3", "refuted": True, "fun": 1.234567e-300}
    name = "an_extremely_long_name_of_a_coordinate"
    figure = drawn(some_result((-1.234567e-300, np.nan, 2.0, 3.0, 0.5), name, n_slices, **long))
    renderer = figure.canvas.get_renderer()
    texts = [figure._suptitle]
    for panel in figure.axes:
        texts += [title for title in (panel.title, panel._left_title, panel._right_title) if title.get_text()]
    boxes = [text.get_window_extent(renderer) for text in texts]
    for i, one in enumerate(boxes):
        assert one.x1 <= figure.bbox.x1
        assert not any(one.overlaps(other) for other in boxes[:i])


def test_a_run_with_failures_can_be_drawn():
    def f(x, y):
        return np.nan if y[0] > 8.0 else np.inf if y[0] > 7.0 else x[0] * y[0]

    result = minimax(f, [(1.0, 4.0)], Box({"load": (2.0, 9.0)}), maxfev=300, rng=1, method="mmde", verify=True)
    figure = drawn(result)
    assert min(crosses(figure.axes[0])[0]) > 7.0
