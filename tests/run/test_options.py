"""The table of options, and everything that must agree with it."""

import inspect
import re
from pathlib import Path

import pytest

from hostile import HOSTILE, assert_is_refused_briefly
from reckless import InvalidArgument, Solver, minimax, worst_case
from reckless.run.options import OPTIONS, as_given, read_args, read_options
from simulators import scaled

DOCS = Path(__file__).parents[2] / "docs"


def keywords(function):
    """Keyword parameters and their defaults."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


def test_one_call_takes_every_option_with_its_default():
    assert keywords(minimax) == {key: option.default for key, option in OPTIONS.items()}


def test_ask_and_tell_takes_every_option_but_those_on_who_evaluates():
    assert keywords(Solver) == {key: o.default for key, o in OPTIONS.items() if o.ask_tell and key != "method"}


def test_measuring_a_worst_case_has_the_same_defaults():
    found = keywords(worst_case)
    assert found.pop("slices") is False
    assert found.pop("maxfev") == 20_000  # of a measurement; that of a search grows with the dimensions
    assert found == {key: o.default for key, o in OPTIONS.items() if not o.searches and key != "maxfev"}


def test_every_option_is_described_where_it_is_a_parameter():
    for key in OPTIONS:
        assert re.search(rf"\b{key}\b.* : ", minimax.__doc__), key


def test_missing_options_have_their_defaults_and_other_names_are_left_out():
    options = read_options({"maxfev": 1e3, "f": 3})
    assert options == {key: option.default for key, option in OPTIONS.items()} | {"maxfev": 1000}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("maxfev", 0),
        ("maxfev", True),
        ("rng", "7"),
        ("rng", -1),
        ("verify", 0.5),
        ("target", "low"),
        ("tol", 0),
        ("tol", 1.0),
        ("tol", -1e-6),
        ("tol", True),
        ("tol", "small"),
        ("tol", 10**400),
        ("maxtime", 0),
        ("checkpoint", 5),
        ("nan_policy", "never"),
        ("retries", -1),
        ("noise", True),
        ("noise", 0.0),
        ("noise", -1.0),
        ("noise", "none"),
        ("callback", 3),
        ("vectorized", 1),
        ("trace", "run.csv"),
        ("workers", 0),
        ("on_error", None),
        ("eval_timeout", float("inf")),
        ("batch_size", 2**40),
        *((key, 10**400) for key in ("maxfev", "verify", "target", "maxtime", "retries", "eval_timeout", "batch_size")),
    ],
)
def test_a_bad_value_is_refused_by_the_name_it_was_given(key, value):
    with pytest.raises(InvalidArgument, match=f"^{key}: expected"):
        read_options({key: value})


@pytest.mark.parametrize("noise", ["auto", False, 0.5, 2])
def test_noise_is_tested_for_or_excluded_or_known(noise):
    assert read_options({"noise": noise})["noise"] == noise


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("key", [key for key, option in OPTIONS.items() if option.read not in (as_given, read_args)])
def test_a_refusal_is_short_and_printable_whatever_was_given(key, kind):
    is_name = isinstance(HOSTILE[kind], str) and kind != "null"
    is_point = key in ("x0", "y0", "y_nominal") and kind == "list"
    if key == "workers" or (key, kind) == ("rng", "digits") or (key == "checkpoint" and is_name) or is_point:
        return  # a good value
    assert_is_refused_briefly(lambda: read_options({key: HOSTILE[kind]}))


@pytest.mark.parametrize("args", [(2.0, 5.0), [2.0, 5.0]])
def test_f_may_have_further_arguments(args):
    plain = minimax(lambda x, y: scaled(x, y, 2.0, 5.0), [(1, 4)], [(2, 9)], maxfev=300, method="danskin", rng=7)
    found = minimax(scaled, [(1, 4)], [(2, 9)], maxfev=300, method="danskin", rng=7, args=args)
    assert (found.x, found.fun) == (plain.x, plain.fun)
    assert worst_case(scaled, found.x, [(2, 9)], maxfev=200, rng=1, args=2.0).fun == pytest.approx(0.0, abs=1e-3)


@pytest.mark.filterwarnings("ignore::reckless.WorkersWarning")
def test_further_arguments_reach_workers():
    options = {"maxfev": 60, "method": "danskin", "rng": 7, "args": (2.0,)}
    found = minimax(scaled, [(1, 4)], [(2, 9)], workers=1, **options)
    assert found.fun == minimax(scaled, [(1, 4)], [(2, 9)], **options).fun


def test_the_table_in_the_docs_is_this_table():
    rows = [
        f"| `{key}` | {option.help} | `{option.default!r}` | {'yes' if option.ask_tell else 'no'} |"
        for key, option in OPTIONS.items()
    ]
    assert "\n".join(rows) in (DOCS / "options.md").read_text(encoding="utf-8")
