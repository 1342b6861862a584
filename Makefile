# `make demo` and `make test` set everything up by themselves, on a fresh machine too.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BASE   := $(VENV)/.base
DEV    := $(VENV)/.dev
# A plain "torch" may bring gigabytes of CUDA; this is the CPU build, from PyPI's mirror or PyTorch's own.
TORCH  := torch==2.13.0+cpu
CPU_WHEELS := https://download.pytorch.org/whl/cpu

.PHONY: demo test golden lint lint-docker types rooms unit test-wheel test-locked test-slow test-hostile fuzz soak test-searches test-virtuoso test-browser docs pictures clean

demo: $(BASE)
	@$(BIN)/python demo/tour.py
	@echo; echo 'Now yours: $(BIN)/arcaneqa ask "which element has the highest melting point?" --explain'

test: lint types rooms unit

lint: $(DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check src tests benchmarks baselines

# No arrow between rooms that the table in docs/architecture.md does not have.
rooms: $(DEV)
	$(BIN)/lint-imports

types: $(DEV)
	$(BIN)/mypy

unit: $(DEV)
	# One thread a worker: small tensors only lose time to threads that wait for each other.
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 -m "not slow and not virtuoso and not browser and not guide"
	OMP_NUM_THREADS=1 $(BIN)/pytest --doctest-modules $$(grep -rl ">>> " src --include="*.py")

# Whether the image is made as images should be; nothing is built.
lint-docker: $(DEV)
	$(BIN)/hadolint Dockerfile

# The wheel as others get it: built, installed into an empty environment, asked a question from another folder.
test-wheel:
	rm -rf dist && mkdir dist
	$(PYTHON) -m pip wheel -q --no-deps -w dist .
	$(PYTHON) -m venv dist/empty
	dist/empty/bin/pip install -q -c constraints.txt dist/*.whl
	cd / && XDG_CACHE_HOME=$(CURDIR)/dist/cache $(CURDIR)/dist/empty/bin/arcaneqa ask "what is the capital of France?" \
	  | grep Paris
	cd / && $(CURDIR)/dist/empty/bin/arcaneqa train nothing --out nothing 2>&1 | grep "arcaneqa\[train\]"
	@ls -sh dist/*.whl; du -sm dist/empty | sed 's/\tdist.*/ MB installed/'

# The base with nothing but files whose checksums locked.txt lists, and a question to it.
test-locked:
	rm -rf dist && mkdir dist
	$(PYTHON) -m venv dist/locked
	dist/locked/bin/pip install -q --require-hashes -r locked.txt
	PYTHONPATH=src XDG_CACHE_HOME=$(CURDIR)/dist/cache dist/locked/bin/python -c \
	  "import sys; sys.argv[1:] = ['ask', 'what is the capital of France?']; from arcaneqa.apps.cli.main import main; main()" | grep Paris

test-slow: $(DEV)
	$(BIN)/pytest -m slow

# Bombs, liars, half requests, made-up input: each child process has a limit on its memory. strace sees what
# `ask` does with the network and with files.
test-hostile: $(DEV)
	@command -v strace > /dev/null || (apt-get update -q && apt-get install -y -q --no-install-recommends strace) || true
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --durations 10 tests/hostile tests/kb/endpoint/test_liars.py tests/kb/endpoint/test_faults.py \
	  tests/kb/index/test_replaced.py tests/kb/build/test_sources.py tests/model/test_sealed.py tests/support/test_harmless.py tests/support/test_outputs.py \
	  tests/apps/http/test_gate.py tests/apps/http/test_connections.py tests/apps/http/test_reload.py \
	  tests/apps/mcp/test_server.py tests/int8/test_bert.py

# Made-up files, manifests, programs, questions and requests for some ten minutes; what is found becomes a case.
fuzz: $(DEV)
	FUZZ=6 OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 tests/hostile/test_fuzz.py

# What is answered today to every question set at hand, compared with an earlier run if AGAINST names its file.
DATA ?= ../shared/data
golden: $(DEV)
	$(BIN)/python -m benchmarks.golden $(DATA) --out .cache/golden/now.jsonl $(if $(AGAINST),--against $(AGAINST))

# The service under mixed good, bad and cut requests: memory, open files and p95 at start and end.
MINUTES ?= 30
soak: $(DEV)
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

test-searches: $(DEV)
	# Tens of thousands of searches with random scores: every program sound, no dead end.
	$(BIN)/pytest -m slow tests/induction

test-virtuoso: $(DEV)
	$(BIN)/pytest -m virtuoso

# Playwright is one of the packages for development; it drives Debian's own Chromium.
test-browser: $(DEV)
	@test -x /usr/bin/chromium || (apt-get update -q && apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core)
	$(BIN)/pytest -m browser

# The guide, into site/: its code runs, no link leads nowhere, and nothing comes from elsewhere.
docs: $(DEV)
	$(BIN)/pytest -m guide tests/guide
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python docs/guide/outside.py site

# The pictures of the page in docs/images.
pictures: $(DEV)
	@test -x /usr/bin/chromium || (apt-get update -q && apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core)
	$(BIN)/python docs/guide/pictures.py

# The base alone: what asking, indexing and endpoints need.
$(BASE): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -c constraints.txt -e .
	@touch $@

$(DEV): $(BASE)
	$(BIN)/pip install -q -c constraints.txt $(TORCH) || \
	  $(BIN)/pip install -q -c constraints.txt --index-url $(CPU_WHEELS) $(TORCH)
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
