"""Measure the caption of the demo: when does a run find the best possible digital filter?

python benchmarks/demo.py                  the default method, 50 seeds: evaluations until x is as good as the best
python benchmarks/demo.py --seeds 3        the same with fewer seeds
python benchmarks/demo.py --others         every other method, 5 seeds: the worst case of its answer at the end
"""

import argparse

import numpy as np

from reckless import minimax
from reckless.bench.problems import problem
from reckless.methods.registry import catalog

FILTER = problem("filter")
MAXFEV = 100_000  # as `reckless demo` spends
CLOSE = 1e-6  # relative to the best possible worst case
OURS = ("auto", "danskin")  # the first ends as the second
N_SEEDS, N_SEEDS_OTHERS = 50, 5


def run(method, seed, callback=None):
    options = {"maxfev": MAXFEV, "method": method, "rng": seed, "vectorized": True, "callback": callback}
    return minimax(FILTER.function, FILTER.x_bounds, FILTER.y_bounds, **options)


class Arrival:
    """Watch a run; end it when the true worst case of a recommended x is within CLOSE of the best one."""

    def __init__(self):
        self.nfev = np.inf  # evaluations made when such an x was first recommended
        self._n_seen = 0

    def look(self, history):
        for nfev, x, _, _ in history[self._n_seen :]:
            if self.nfev == np.inf and true_worst_case(x) <= FILTER.optimum.value * (1.0 + CLOSE):
                self.nfev = nfev
        self._n_seen = len(history)

    def __call__(self, intermediate_result):
        self.look(intermediate_result.history)
        if self.nfev < np.inf:
            raise StopIteration


def true_worst_case(x):
    values, _ = FILTER.worst_case(x[None])
    return values[0]


def arrivals(n_seeds):
    """Print when each seed arrived, and quartiles over the seeds; a run that never did counts as infinite."""
    found = []
    for seed in range(n_seeds):
        arrival = Arrival()
        arrival.look(run("auto", seed, arrival).history)
        found.append(arrival.nfev)
        print(f"seed {seed}: {words(arrival.nfev)}", flush=True)
    first, median, third = (np.quantile(found, q, method="inverted_cdf") for q in (0.25, 0.5, 0.75))
    print(f"median {words(median)}; quartiles {words(first)}, {words(third)}; largest {words(max(found))}")
    print(f"{np.isinf(found).sum()} of {n_seeds} seeds never came within {CLOSE:g} of {FILTER.optimum.value:.6g}")


def words(nfev):
    return "never" if nfev == np.inf else f"{nfev:,.0f}"


def others():
    """Print the worst cases of what all other methods recommend in the end, the best method last."""
    names = [name for name in catalog() if name not in OURS]
    finals = {name: [true_worst_case(run(name, seed).x) for seed in range(N_SEEDS_OTHERS)] for name in names}
    for name, values in sorted(finals.items(), key=lambda item: -np.median(item[1])):
        print(f"{name}: median {np.median(values):.3e}, from {min(values):.3e} to {max(values):.3e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="seeds 0, 1, ... of the default method")
    parser.add_argument("--others", action="store_true", help="the other methods instead")
    chosen = parser.parse_args()
    if chosen.others:
        others()
    else:
        arrivals(chosen.seeds)


if __name__ == "__main__":
    main()
