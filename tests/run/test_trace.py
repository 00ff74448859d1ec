"""The trace of a run: kept if asked for, the same after a resumption, and as CSV."""

import csv
import json
import pickle
from io import StringIO
from math import inf, nan

import numpy as np
import pytest

from journals import Interrupting
from reckless import Solver, minimax
from reckless.core.task import TraceRow
from reckless.run.result import Trace
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

N_PAIRS, N_ROUNDS = 3, 5
RUN = {"maxfev": N_PAIRS * N_ROUNDS, "rng": 7}


class Noting:
    """Ask for random pairs, three at a time, and note how that went."""

    def search(self, task):
        task.note("start", "began")
        for k in task.rounds():
            X, y = task.rng.random((N_PAIRS, task.n_x)), task.random_y()
            values = yield X, y
            task.recommend_if_better(X[values.argmin()], y, values.min())
            event = "accepted" if k % 2 else 'refused: "stale", slope'
            task.note("descent", event, fun=values.min(), radius=0.5**k / 3.0, n_active=k)

    def __repr__(self):
        return "Noting()"  # a journal tells methods by it


def solved(f=tilted_bowl, **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{**RUN, "method": Noting(), "trace": True, **options})


def cells(trace):
    """Rows with the exact texts of their numbers: NaN equals itself."""
    return [tuple(map(repr, row)) for row in trace]


def test_a_trace_is_kept_only_if_asked_for():
    plain = solved(trace=False)
    assert plain.trace is None
    assert plain.to_dict()["trace"] is None


def test_a_trace_does_not_change_the_run():
    plain, traced = solved(trace=False), solved()
    assert (plain.x.tolist(), plain.fun, plain.nfev) == (traced.x.tolist(), traced.fun, traced.nfev)


def test_rows_tell_how_many_evaluations_were_made_before_them():
    trace = solved().trace
    assert [row.nfev for row in trace] == [0, 3, 6, 9, 12, 15]
    assert [row.n_active for row in trace] == [0, 0, 1, 2, 3, 4]
    assert [row.event for row in trace[1:3]] == ['refused: "stale", slope', "accepted"]


def test_the_number_of_evaluations_includes_those_of_a_targets_attacks():
    result = solved(target=-3.0, maxfev=400)  # no x is that good, but many look like it
    steps = np.diff([row.nfev for row in result.trace])
    assert steps.min() == N_PAIRS
    assert steps.max() > N_PAIRS
    assert result.trace[-1].nfev <= result.nfev


def test_a_verification_is_no_part_of_the_trace():
    assert cells(solved(verify=40).trace) == cells(solved().trace)


def test_ask_and_tell_has_the_same_trace_and_shows_it_so_far():
    solver = Solver(Noting(), X_BOUNDS, Y_BOUNDS, **RUN, trace=True)
    assert len(solver.result().trace) == 1
    while not solver.done:
        X, Y = solver.ask()
        solver.tell([tilted_bowl(x, y) for x, y in zip(X, Y, strict=True)])
    assert cells(solver.result().trace) == cells(solved().trace)


@pytest.mark.parametrize("first", [True, False], ids=["traced", "not traced"])
def test_a_resumed_run_has_the_trace_of_the_whole_run(tmp_path, first):
    path, whole = tmp_path / "run.journal", solved().trace
    begun = solved(Interrupting(8), checkpoint=path, trace=first)
    if first:
        assert cells(begun.trace) == cells(whole[:3])  # up to Ctrl-C
    resumed = solved(checkpoint=path)
    assert resumed.nfev == RUN["maxfev"]
    assert cells(resumed.trace) == cells(whole)


def test_a_method_that_notes_nothing_has_an_empty_trace():
    trace = solved(method="random-search").trace
    assert trace == ()
    assert repr(trace) == "<no events>"
    assert trace.to_csv() == "nfev,phase,fun,radius,ratio,n_active,event\n"


def test_a_trace_is_short_when_printed_and_survives_pickling():
    trace = solved().trace
    assert repr(trace) == "<6 events, from evaluation 0 to 15>"
    copy = pickle.loads(pickle.dumps(trace))
    assert isinstance(copy, Trace)
    assert cells(copy) == cells(trace)


def test_the_csv_has_every_digit_and_empty_cells_where_a_number_does_not_apply():
    rows = [
        TraceRow(0, "start", nan, 0.1 + 0.2, nan, 0, "began"),
        TraceRow(7, "a, b", -inf, 1e-300, 2.0, 3, 'said "no"'),
    ]
    assert Trace(rows).to_csv() == (
        "nfev,phase,fun,radius,ratio,n_active,event\n"
        "0,start,,0.30000000000000004,,0,began\n"
        '7,"a, b",-inf,1e-300,2.0,3,"said ""no"""\n'
    )


def test_the_csv_can_be_read_back():
    trace = solved().trace
    back = [
        TraceRow(
            int(row["nfev"]),
            row["phase"],
            *(float(row[key] or nan) for key in ("fun", "radius", "ratio")),
            int(row["n_active"]),
            row["event"],
        )
        for row in csv.DictReader(StringIO(trace.to_csv(), newline=""))
    ]
    assert cells(back) == cells(trace)


def test_json_has_the_rows_with_none_where_a_number_does_not_apply():
    result = solved()
    first, second, *_ = json.loads(json.dumps(result.to_dict(), allow_nan=False))["trace"]
    numbers = {"fun": "nan", "radius": "nan", "ratio": "nan"}
    assert first == {"nfev": 0, "phase": "start", **numbers, "n_active": 0, "event": "began"}
    assert (second["fun"], second["radius"]) == (result.trace[1].fun, np.float64(1.0) / 3.0)
