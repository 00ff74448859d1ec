"""What a notebook shows of a result: all that a person should know, and nothing that the page could run."""

import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

from reckless import Scenarios, minimax, worst_case
from reckless.domains.labels import Legend
from reckless.run.html import MOST_COLUMNS, MOST_ROWS

X_BOUNDS = [(1.0, 4.0), (-7.0, -2.0)]
HOSTILE = "<script>alert('1')</script>&\"'"


class Page(HTMLParser):
    """Tags, attributes and the texts of all rows of tables."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.rows, self.open = set(), [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag != "img":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.rows[-1][-1] += data

    def after(self, first):
        """The rows of the table whose head begins so."""
        (at,) = [i for i, row in enumerate(self.rows) if row[0] == first]
        return self.rows[at:]

    def fact(self, name):
        (row,) = [row for row in self.rows if row[0] == name]
        return row[1]


def bowl(x, y):
    return (x[0] - 2.0) ** 2 + x[0] * y[0] - x[1]


def solved(f=bowl, y_bounds=((2.0, 9.0),), **options):
    return minimax(f, X_BOUNDS, list(y_bounds), **{"maxfev": 300, "method": "mmde", "rng": 1, **options})


def page_of(result):
    page = Page(result._repr_html_())
    assert not page.open  # every tag is closed
    return page


def test_a_result_shows_what_a_person_should_know():
    result = solved(verify=200, method="danskin")
    page = page_of(result)
    assert page.fact("worst case known") == f"{result.fun:.6g}"
    assert page.fact("message") == result.message
    assert page.fact("verified") == f"{result.verdict} ({result.verification.nfev:,} evaluations)"
    assert page.fact("searches that agree") == str(result.agreement)
    assert page.fact("evaluations") == f"300 in {result.nit:,} rounds of {result.method}"
    assert page.after("x")[1:3] == [["x[0]", f"{result.x[0]:.6g}"], ["x[1]", f"{result.x[1]:.6g}"]]
    head, worst = page.after("worst cases")[:2]
    assert dict(zip(head, worst, strict=True))["worst cases"] == f"{result.fun:.6g}"
    assert dict(zip(head, worst, strict=True))["y[0]"] == f"{result.y[0]:.6g}"
    assert "img" in page.tags


def test_a_result_that_is_not_verified_says_so():
    assert page_of(solved()).fact("verified") == "not verified"


def test_failures_are_counted_and_the_first_is_shown():
    page = page_of(solved(f=lambda x, y: np.nan if y[0] > 5 else 1.0, nan_policy="ignore"))
    assert page.fact("evaluations").endswith(" failed")
    assert page.fact("first failure") == "f returned NaN."


def test_where_nothing_was_found_there_is_a_page_too():
    page = page_of(solved(f=lambda x, y: np.nan, nan_policy="ignore", verify=True))
    assert page.fact("worst case known") == "nan"
    assert page.fact("reliable") == "no"


def test_all_worst_cases_are_shown_with_names_weights_and_rows():
    result = solved(y_bounds=[(2.0, 9.0), (3.0, 5.0)])
    result.active = tuple(
        SimpleNamespace(y=np.array([2.0 + k, 3.0]), fun=7.0 - k, weight=0.25 * k, row=k + 5) for k in range(2)
    )
    result.legends = SimpleNamespace(x=Legend(("a", "b")), y=Legend(("T", "part"), ("K", ""), ({}, {3.0: "2n2"})))
    page = page_of(result)
    assert page.after("worst cases") == [
        ["worst cases", "row", "weight", "T [K]", "part"],
        ["7", "5", "0", "2", "2n2"],
        ["6", "6", "0.25", "3", "2n2"],
    ]
    assert page.after("x")[1][0] == "a"


def test_words_of_others_are_text_and_nothing_is_fetched_or_run():
    result = solved(verify=200)
    result.message, result.verdict, result.method = HOSTILE, HOSTILE, HOSTILE
    legend = Legend((HOSTILE,), (HOSTILE,), ({result.y[0]: HOSTILE},))
    result.legends = SimpleNamespace(x=Legend((HOSTILE, "b")), y=legend)
    page = page_of(result)
    assert page.tags == {"div", "table", "tr", "th", "td", "img"}
    assert page.fact("message") == HOSTILE
    assert page.after("worst cases")[1][1] == HOSTILE
    assert {name for name, _ in page.attributes} == {"style", "src", "width", "alt"}
    assert all(value.startswith("data:image/png;base64,") for name, value in page.attributes if name == "src")
    assert "http" not in result._repr_html_()


def test_the_page_keeps_its_own_colors_of_text():
    styles = " ".join(value for name, value in page_of(solved()).attributes if name == "style")
    assert not re.search(r"(^|[;\s])color:", styles)
    assert "background: white" in styles  # of the picture, whose ink is dark


def test_long_vectors_are_cut_off_and_it_says_so():
    n = MOST_ROWS + 5
    result = minimax(lambda x, y: x @ y, [(1.0, 4.0)] * n, [(2.0, 9.0)] * n, maxfev=100, method="mmde", rng=1)
    page = page_of(result)
    assert page.after("x")[MOST_ROWS + 1] == ["and 5 more", ""]
    assert page.after("worst cases")[0][-1] == f"and {n - MOST_COLUMNS} more"


@pytest.mark.parametrize("y_bounds", [[(2.0, 9.0)], Scenarios([[3.0], [5.0]])])
def test_a_verification_shows_a_table(y_bounds):
    found = worst_case(bowl, [2.0, -3.0], y_bounds, maxfev=200, rng=1)
    page = page_of(found)
    assert page.fact("worst case found") == f"{found.fun:.6g}"
    assert page.fact("verified") == found.message
    assert page.after("y")[1] == ["y[0]", f"{found.y[0]:.6g}"]
    assert "img" not in page.tags


def test_the_first_lines_of_a_cell_are_the_text_that_a_terminal_shows():
    assert repr(solved()).lstrip().startswith("message: ")
