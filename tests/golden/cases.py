"""List the traced runs. A row stands for every combination of its words."""

from itertools import product

from golden.ways import Case

VARIANTS = "reckless-n reckless-nr reckless-an reckless-anr reckless-c reckless-cr reckless-ac reckless-acr"
OTHERS = "reckless coevolution-alternating coevolution-parallel mmde random-search"
BASELINES = "race corners"
ALL = f"danskin {VARIANTS} {OTHERS}"
MOST = f"danskin auto {OTHERS}"
FEW = "danskin reckless mmde"
TUNED = "reckless:descent_share=0.3,population_size=12 reckless-n:restart=true mmde:population_size=20"

PAPER = "L1 L2 L3 L4 L5 L6 filter filter-signed"
WRA = "f1:n=3 f2:n=2 f3:n=3 f4:n=2 f5:n=3 f6:n=2 f7:n=3 f8:n=2 f9:n=3 f10:n=2 f11:n=3"
SMOOTH = "dense:n=4 coupled chebyshev"
ROTATED = "f1-rotated f2-rotated f3-rotated f4-rotated f5-rotated f6-rotated f8-rotated f10-rotated f11-rotated"
MWP = "MWP1 MWP2 MWP3 MWP4 MWP5 MWP6 MWP7"
REALITY = "beam dosing exchanger pid portfolio reactor sallenkey throw truss"
STRESS = "deviations deviations-y:n=2 kinks-xy:n=3 rastrigin rastrigin-rotated rastrigin-coupled vertices floored-L1"
NOISY = "noisy-L1 noisy-L6 bowl-noise corners-noise uneven-noise"
HARD = "L1 L5 noisy-L6 vertices:n=14 deviations-y noisy-L1:n=1,sd=1e-6"
LISTS = "L1/scenarios L1/long-list f5:n=2/scenarios"
Y_SETS = "L1/ball L1/simplex L1/scenarios bowl/y-integers"
X_SETS = "L1/x-ball L1/x-simplex L1/some-integers L2/x-integers"
DENTS = "dents-1 dents-3 dents-ball"
MODELED = "L1/x-simplex L1/ball L1/simplex bowl/scenarios L1/some-integers bowl/y-integers bowl-noise dents-ball"
ATTACKED = f"{Y_SETS} L1 bowl L6 f5:n=2,n_y=9 L1/long-list vertices"

FAILURES = "ignore-rows nan retry retry-flaky ask-nan"
FAILING = "ignore nan"
RAISING = "raise-error raise-nan raise-retry"
INTERRUPTS = "interrupt interrupt-rows interrupt-retry"
JOURNALS = "journal journal-rows replay resume resume-rows resume-torn"
VERIFIED = "verify verify-ignore verify-retry verify-interrupt verify-resume"

# fmt: off
_TABLE = [
    # methods                    problems                              ways                          maxfev        seeds
    # Every problem, by the default method.
    ("danskin",                  f"{PAPER} {MWP} absorber",            "scalar",                     "1200",       "1"),
    ("danskin",                  f"{WRA} L1:n=1 f5:n=1",               "scalar",                     "600",        "2"),
    ("danskin",                  f"{STRESS} {NOISY} L1:n=8 f1 f5",     "rows",                       "2000",       "3"),
    ("danskin",                  "f4:n=2,n_y=5 f8:n=4,n_y=1 bowl",     "scalar ask",                 "700",        "4"),
    ("danskin",                  f"{PAPER} {STRESS} {NOISY}",          "rows",                       "6000",       "5"),
    ("danskin:reserve_share=0.2", "L2 bowl",                           "scalar",                     "500",        "6"),
    ("auto",                     "L3 bowl/scenarios",                  "scalar",                     "500",        "7"),
    # Its other ways, sets, failures, and the smallest budgets.
    ("danskin",                  f"{PAPER} {MWP} absorber",            "scalar",                     "900",        "1"),
    ("danskin",                  f"{WRA} L1:n=1 {X_SETS} {DENTS}",     "rows",                       "700",        "2"),
    ("danskin",                  "bowl L6",                            f"ask {FAILING} resume",      "500",        "8"),
    ("danskin",                  "bowl",                               "scalar",                     "1 2 3 9 33", "4"),
    ("finite",                   f"{LISTS} bowl/long-list",            f"ask {FAILING} resume",      "600",        "1"),
    ("finite",                   "bowl/scenarios portfolio truss",     "rows",                       "1 2 9 2000", "2"),
    ("danskin",                  f"{SMOOTH} {ROTATED}",                "rows",                       "600",        "5"),
    ("finite",                   "ball chebyshev-list maxq:n=4",       "rows",                       "700",        "6"),
    ("finite",                   "quadratics:k=5,n=3 filter41",        "rows",                       "700",        "7"),
    # Every other method, on a few problems each.
    (VARIANTS,                   "L1 L5",                              "scalar",                     "1200",       "1"),
    (VARIANTS,                   "f7:n=3,n_y=2",                       "rows",                       "3000",       "2"),
    (OTHERS,                     "L2 L6 filter MWP3 bowl-noise",       "scalar",                     "1500",       "3"),
    (OTHERS,                     "L4 f3:n=4 rastrigin noisy-L1",       "rows",                       "2500",       "4"),
    (OTHERS,                     "L1:n=1 f5:n=2,n_y=4 absorber",       "ask",                        "900",        "5"),
    (TUNED,                      "L1 bowl",                            "scalar",                     "800",        "6"),
    (BASELINES,                  "L2 MWP3 bowl-noise L2/x-integers",   "scalar",                     "400",        "7"),
    (BASELINES,                  "L1/ball L1/long-list",               "scalar",                     "400",        "9"),
    (BASELINES,                  "L1 bowl/scenarios",                  "rows ask ignore nan resume", "300",        "8"),
    (BASELINES,                  REALITY,                              "scalar",                     "60",         "1"),
    # Budgets from the smallest to large ones.
    (f"{ALL} {BASELINES}",       "bowl",                               "scalar",                     "1 2 3 9",    "1"),
    ("danskin",                  "L6 dents-1 bowl-noise",              "scalar",                     "1 99 200",   "2"),
    ("auto",                     "bowl/scenarios bowl/long-list",      "scalar",                     "1 5 17 61",  "3"),
    (OTHERS,                     "L5",                                 "ask",                        "1 30 101",   "4"),
    ("danskin",                  HARD,                                 "rows",                       "20000",      "3"),
    (f"auto {OTHERS}",           "bowl/long-list",                     "rows",                       "20000",      "6"),
    # Domains other than boxes of real numbers.
    (f"{FEW} coevolution-parallel", Y_SETS,                            "scalar",                     "700",        "1"),
    ("danskin reckless-anr random-search", X_SETS,                     "ask",                        "500",        "2"),
    (FEW,                        DENTS,                                "scalar",                     "800",        "3"),
    ("auto",                     LISTS,                                "scalar ask ignore resume",   "900",        "4"),
    # Few evaluations, with a model.
    ("surrogate",                "L2 MWP6 bowl",                       "scalar",                     "3 40",       "1"),
    ("surrogate",                MODELED,                              "scalar",                     "24",         "2"),
    ("surrogate",                "bowl bowl/scenarios",                "ask ignore nan resume batch", "30",        "3"),
    ("stableopt",                "L2 bowl/scenarios L1/ball bowl",     "scalar ignore nan",          "20",         "5"),
    ("auto",                     "bowl bowl/long-list",                "scalar interrupt verify",    "25",         "4"),
    # Failures.
    (ALL,                        "L1",                                 "ignore",                     "600",        "1"),
    (f"{FEW} coevolution-alternating", "bowl L6",                      FAILURES,                     "700",        "2"),
    ("danskin",                  f"{NOISY} f9:n=4",                    FAILING,                      "2000",       "2"),
    ("danskin reckless",         "bowl bowl-noise L1/scenarios",       RAISING,                      "600",        "3"),
    (MOST,                       "bowl",                               "all-error all-nan",          "300",        "4"),
    ("auto reckless",            "bowl/long-list L1/ball",             "retry-flaky ask-nan all-nan", "400",       "5"),
    ("danskin reckless",         "bowl",                               "retry retry-flaky",          "1 2 10 33",  "6"),
    # Interruptions and journals.
    (MOST,                       "L2 bowl-noise",                      INTERRUPTS,                   "500",        "1"),
    (ALL,                        "bowl",                               "resume-retry",               "400",        "2"),
    (FEW,                        "L1 bowl",                            JOURNALS,                     "500",        "3"),
    ("danskin",                  "bowl-noise L1/ball L2/x-integers",   "resume resume-retry",        "600",        "4"),
    # Targets, verifications and callbacks.
    (MOST,                       "L1 L5",                              "target target-retry",        "2000",       "1"),
    (FEW,                        "L5 bowl noisy-L1",                   "target-resume verify-target", "1200",      "2"),
    (MOST,                       "L2 bowl",                            "verify",                     "400",        "3"),
    ("danskin reckless",         f"{Y_SETS} f5:n=2,n_y=4",             VERIFIED,                     "300",        "4"),
    ("auto",                     LISTS,                                VERIFIED,                     "400",        "5"),
    ("danskin reckless",         "bowl",                               "verify-ignore verify-resume", "1 4 20",    "6"),
    (ALL,                        "L1",                                 "stop",                       "1500",       "7"),
    (f"{FEW} auto",              "bowl L1/scenarios",                  "stop-at-once verify-stop",   "800",        "8"),
    # The worst case of a given x, which takes no method.
    ("worst_case",               ATTACKED,                             "attack attack-slices",       "600",        "1"),
    ("worst_case",               "L2 bowl-noise",                      "attack-retry",               "1 7 5000",   "2"),
]
# fmt: on

CASES = [
    Case(method, problem, way, int(maxfev), int(seed))
    for row in _TABLE
    for method, problem, way, maxfev, seed in product(*(words.split() for words in row))
]
