# Everything sets itself up from a fresh clone: a virtual environment in .venv, then the work.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test golden golden-record fuzz check reality bench clean

demo: $(READY)
	$(BIN)/reckless demo

test: $(READY)
	$(BIN)/pytest -n auto

# Runs bit for bit as recorded in tests/golden/traces.json; one thread, since BLAS sums in another order with several.
golden golden-record: export OPENBLAS_NUM_THREADS = 1
golden golden-record: export OMP_NUM_THREADS = 1

golden: $(READY)
	$(BIN)/pytest -n auto -m golden -rs --tb=line tests/golden

golden-record: $(READY)
	PYTHONPATH=tests:$(PYTHONPATH) $(BIN)/python -m golden.record

# Random attacks on the public surface, in one process; a violation is printed with the seed that repeats it.
CASES ?= 10000
SEED ?= 1
fuzz: $(READY)
	PYTHONPATH=tests:$(PYTHONPATH) $(BIN)/python -m fuzz --cases $(CASES) --seed $(SEED)

check: $(READY)
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

# `auto` beside what people do today, on real tasks; resumes. About 40 minutes on two cores.
reality: $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev,reality]"
	cd benchmarks && ../$(BIN)/python reality.py

bench: $(READY)
	$(BIN)/python benchmarks/bars.py

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(READY)

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src -name __pycache__ -type d -prune -exec rm -rf {} +
