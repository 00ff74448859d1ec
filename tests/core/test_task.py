import numpy as np

from reckless.core.task import Budget, Hill, Starts, Task, TraceRow


def make_task(maxfev=10):
    return Task(2, 1, Budget(maxfev), np.random.default_rng(0))


def test_rounds_are_counted_and_end_with_the_budget():
    task = make_task(maxfev=3)
    for _ in task.rounds():
        task.budget.count(1)
    assert task.n_rounds == 3


def test_rounds_end_at_their_limit():
    task = make_task()
    assert list(task.rounds(4)) == [0, 1, 2, 3]


def test_a_better_estimate_takes_over_and_a_worse_one_does_not():
    task = make_task()
    for estimate in (5.0, 7.0, 3.0, np.nan):
        task.recommend_if_better(np.full(2, estimate), np.zeros(1), estimate)
    assert task.recommendation.fun == 3.0


def test_a_recommendation_is_a_copy_and_knows_when_it_was_made():
    task, x = make_task(), np.zeros(2)
    task.budget.count(4)
    task.recommend(x, np.zeros(1), 1.0)
    x[0] = 9.0
    assert task.recommendation.x.tolist() == [0.0, 0.0]
    assert task.recommendation.nfev == 4


def test_saying_the_same_again_is_no_news():
    task = make_task()
    task.recommend(np.zeros(2), np.zeros(1), 1.0)
    first = task.recommendation
    task.budget.count(5)
    task.recommend(np.zeros(2), np.zeros(1), 1.0)
    assert task.recommendation is first


def test_a_task_says_nothing_that_nobody_said():
    task = make_task()
    assert [task.upper, task.standard_error, task.x_domain, task.y_domain, task.starts] == [None] * 5


def test_a_task_may_be_given_starts():
    starts = Starts(np.array([[0.2, 0.9]]), np.empty((0, 1)))
    task = Task(2, 1, Budget(10), np.random.default_rng(0), starts=starts)
    assert task.starts.x.tolist() == [[0.2, 0.9]]
    assert len(task.starts.y) == 0


def test_starts_say_of_values_peaks_and_radius_only_what_they_were_told():
    y = np.array([0.75])
    bare, known = Starts(np.empty((0, 2)), np.empty((0, 1))), Starts(np.zeros((1, 2)), y[None], peaks=(Hill(y),))
    assert bare[2:] == (None, (), None, None, None)
    assert known.peaks[0].y is y
    assert known.peaks[0][1:] == (None,) * 5


def test_a_note_is_kept_with_the_evaluations_made_before_it_if_a_trace_is_wanted():
    task = make_task()
    task.trace = []
    task.note("start", "began")
    task.budget.count(4)
    task.note("descent", "accepted", fun=np.float64(2.5), radius=0.125, ratio=0.75, n_active=np.int64(3))
    first, second = task.trace
    assert (first.nfev, first.phase, first.n_active, first.event) == (0, "start", 0, "began")
    assert np.isnan([first.fun, first.radius, first.ratio]).all()
    assert second == TraceRow(4, "descent", 2.5, 0.125, 0.75, 3, "accepted")
    assert [type(second.fun), type(second.n_active)] == [float, int]


def test_a_note_is_dropped_if_nobody_wants_a_trace():
    task = make_task()
    task.note("descent", "accepted", fun=2.5)
    assert task.trace is None
