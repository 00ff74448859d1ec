"""What people type who come from SciPy, optuna or pymoo, and what to write here instead: one table for all doors.

Python's functions, problem files and the command line answer a name that they do not have by a sentence from here.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from enum import Enum
from typing import NamedTuple

from reckless.core.words import safe_str
from reckless.run.options import OPTIONS


class Place(Enum):
    """Where a name was typed, and what it is called there."""

    PYTHON = "argument"
    FILE = "setting"
    SHELL = "option"


class Habit(NamedTuple):
    """What to write in place of a word.

    option: the argument that does it; "" if there is none. value: an example, as Python spells it. remark: what it
    does, or the whole advice if there is no option. shell: what the command line has in place of `--option value`.
    """

    option: str
    value: str
    remark: str
    shell: str = ""

    def spelled(self, place: Place) -> str:
        """Return an example as it is written at a place."""
        if place is Place.SHELL:
            flag = f"--{self.option.replace('_', '-')}"
            return self.shell or (flag if self.value == "True" else f"{flag} {self.value}")
        if place is Place.FILE:
            return f"{self.option} = {'true' if self.value == 'True' else self.value}"
        return f"{self.option}={self.value}"


_BOUNDS = "one range per coordinate, for x and y apart"
_PARTS = "parameters of a method belong to the method, as in method='mmde:population_size=50'"
_ROWS: tuple[tuple[str, Habit], ...] = (
    ("seed random_state random_seed rng_seed", Habit("rng", "7", "the seed of all random numbers")),
    (
        "maxiter max_iter maxiters n_iter niter max_iterations maxfun max_evals max_nfev nfev n_trials n_calls n_eval "
        "n_evals max_evaluations budget num_iterations",
        Habit("maxfev", "20_000", "the number of evaluations of f, which is never exceeded"),
    ),
    ("timeout time_limit max_time maxcpu", Habit("maxtime", "3600.0", "in seconds")),
    ("bounds limits ranges lb ub search_space", Habit("x_bounds", "[[0.0, 10.0]]", _BOUNDS, "--x 0:10 --y 0:5")),
    ("func fun objective function", Habit("f", "simulate", "a function f(x, y)")),
    (
        "direction maximize minimize sense mode",
        Habit("maximin", "True", "for an f of which large values are good; otherwise leave it out"),
    ),
    ("integrality integer discrete", Habit("x_integrality", "True", "and the same for y", "--x 1:9:int")),
    (
        "n_jobs n_workers num_workers max_workers n_processes processes n_threads nproc parallel parallelization",
        Habit("workers", "4", "the number of processes that evaluate f"),
    ),
    ("certify certificate validate check", Habit("verify", "True", "which attacks the answer again")),
    ("algorithm solver optimizer sampler strategy", Habit("method", "'danskin'", "a name from `reckless methods`")),
    (
        "journal storage study_name resume restart load_if_exists save_file log_file logfile",
        Habit("checkpoint", "'run.journal'", "which keeps every value, and resumes", "--checkpoint run.journal"),
    ),
    ("log history_file csv", Habit("trace", "True", "which keeps the events of the run", "--trace run.csv")),
    ("save_history return_all keep_trace", Habit("trace", "True", "for result.trace; result.history is always there")),
    ("catch ignore_errors", Habit("on_error", "'ignore'", "or 'worst', if what fails is bad", "--on-error ignore")),
    ("n_retries max_retries", Habit("retries", "2", "how often a failed evaluation is repeated")),
    (
        "guess initial_guess x_init x_start start_point enqueue_trial",
        Habit("x0", "[1.0, 2.0]", "designs to begin with"),
    ),
    (
        "disp verbose verbosity iprint show_progress_bar progress_bar show_progress",
        Habit("progress", "True", "which shows how far the run is", "--progress lines"),
    ),
    ("ftol xtol gtol atol rtol fatol xatol tolerance eps tolfun tolx", Habit("tol", "1e-6", "to stop when it is done")),
    ("callbacks", Habit("callback", "watch", "a single function")),
    ("n_batch batch popsize_per_batch chunk_size", Habit("batch_size", "8", "the pairs that are evaluated at a time")),
    ("f_target ftarget fatol_target stop_at goal", Habit("target", "0.5", "a worst case at which the run may stop")),
    ("vectorize batched", Habit("vectorized", "True", "if f takes many pairs as rows")),
    (
        "options solver_options minimizer_kwargs",
        Habit("", "", "write each of them by itself, such as maxfev"),
    ),
    (
        "constraints constraint nonlinear_constraint g",
        Habit("", "", "choose sets that keep them, such as reckless.Simplex; where f itself must refuse, return NaN"),
    ),
    (
        "jac hess hessp grad gradient fprime derivative",
        Habit("", "", "leave it out, since f is only called and derivatives are not used"),
    ),
    ("polish", Habit("", "", "leave it out, since the default method ends with a descent of its own")),
    (
        "popsize pop_size population population_size mutation recombination crossover sigma sigma0 init n_restarts "
        "initial_temp n_startup_trials strategy_params method_options",
        Habit("", "", _PARTS),
    ),
)
HABITS: dict[str, Habit] = {word: habit for words, habit in _ROWS for word in words.split()}


def answer_unknown(word: str, door: str, names: Mapping[str, str], place: Place = Place.PYTHON) -> str:
    """Say in a sentence what to write in place of a name that a door does not have.

    word: as it was typed. door: what it was given to. names: those that the door has, and how they are typed there.
    """
    lacking = f"{safe_str(word)}: {door} has no {place.value} of this name"
    key = word.lstrip("-").replace("-", "_").lower()
    habit = HABITS.get(key)
    if habit is not None and not habit.option:
        return f"{lacking}; {habit.remark}."
    if habit is not None and habit.option in names:
        return f"{lacking}; write {habit.spelled(place)}, {habit.remark}."
    if (foreign := key if habit is None else habit.option) in OPTIONS:
        return f"{lacking}; leave it out, since {_whose(foreign)}."
    close = [names[name] for name in get_close_matches(key, names, n=1)] or get_close_matches(word, names.values(), n=1)
    if close:
        return f"{lacking}. Did you mean {close[0]!r}?"
    if place is Place.SHELL:
        return f"{lacking}. `{door} --help` lists them."
    return f"{lacking}. Known are: {', '.join(names.values())}."


def _whose(option: str) -> str:
    """Say why a door may do without an option that others have."""
    if not OPTIONS[option].spelled:
        return f"{option} can be given in Python alone"
    if not OPTIONS[option].ask_tell:
        return f"{option} says how f is evaluated, and with ask and tell you do that"
    if OPTIONS[option].searches:
        return f"{option} is for the search of x"
    return f"that is what {option} stands for"
