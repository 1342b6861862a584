# `make demo` and `make test` set everything up by themselves, on a fresh machine too.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# A plain "torch" may bring gigabytes of CUDA; this is the CPU build, from PyPI's mirror or PyTorch's own.
TORCH  := torch==2.13.0+cpu
CPU_WHEELS := https://download.pytorch.org/whl/cpu

.PHONY: demo test lint types unit test-slow test-searches test-virtuoso test-browser clean

demo: $(READY)
	@$(BIN)/python demo/tour.py
	@echo; echo 'Now yours: $(BIN)/arcaneqa ask "which element has the highest melting point?" --explain'

test: lint types unit

lint: $(READY)
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests

types: $(READY)
	$(BIN)/mypy

unit: $(READY)
	# One thread a worker: small tensors only lose time to threads that wait for each other.
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 -m "not slow and not virtuoso and not browser"
	OMP_NUM_THREADS=1 $(BIN)/pytest --doctest-modules src/arcaneqa/answer.py src/arcaneqa/sayable.py

test-slow: $(READY)
	$(BIN)/pytest -m slow

test-searches: $(READY)
	# Tens of thousands of searches with random scores: every program sound, no dead end.
	$(BIN)/pytest -m slow tests/induction

test-virtuoso: $(READY)
	$(BIN)/pytest -m virtuoso

# Playwright is one of the packages for development; it drives Debian's own Chromium.
test-browser: $(READY)
	@test -x /usr/bin/chromium || (apt-get update -q && apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core)
	$(BIN)/pytest -m browser

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -c constraints.txt $(TORCH) || \
	  $(BIN)/pip install -q -c constraints.txt --index-url $(CPU_WHEELS) $(TORCH)
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
