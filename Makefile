# The targets set up a virtual environment in .venv on first use, and again when the requirements change:
# first what Tourney itself needs, which is enough for the demo, then what tests and linters need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUNTIME := $(VENV)/.runtime
# Number of test processes: one more than processors, because many tests wait for other processes.
JOBS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

# Keep compiled modules even where the environment says not to: each test process would compile all tests again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all lint format lock wheel wheels cores plain reference diagrams images seeds ladder sample clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile

demo: $(RUNTIME) ## Play a small tournament of the shipped bots and write its report
	@$(BIN)/tourney demo $(ARGS)

# Each file's tests stay in one process; tests/conftest.py starts the longest files first. A process that died gets no
# successor: with one, pytest-xdist (3.8) waits for ever at the end of the run.
PYTEST := $(BIN)/pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder --max-worker-restart=0

test: $(STAMP) cores ## Run the fast tests and the linters: what a change needs (tests/README.md)
	@$(PYTEST) -m "not slow" $(ARGS)

test-all: test ## Run all tests: the fast ones, then containment, kills, compilers, engines, servers, browsers
	@$(PYTEST) -m slow $(ARGS)

lint: $(STAMP) ## Run the linters and type checks, and print a page on the tree for reviewers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/python -m scripts.describe_tree

format: $(STAMP) ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

UV_COMPILE = $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-emit-find-links --no-header

lock: $(STAMP) ## Recompile the pinned requirements from pyproject.toml and requirements/*.in
	$(BIN)/pip install -q uv
	$(UV_COMPILE) pyproject.toml --all-extras requirements/dev.in -o requirements/dev.txt
	$(UV_COMPILE) pyproject.toml requirements/run.in -c requirements/dev.txt -o requirements/run.txt
	$(UV_COMPILE) requirements/build.in -c requirements/dev.txt -o requirements/build.txt

wheel: $(STAMP) ## Build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

wheels: $(STAMP) ## Build a wheel for each Python on PATH, and what they need, into dist/wheels (installs offline)
	@$(BIN)/python -m scripts.make_wheels dist/wheels

cores: $(STAMP) ## Compile the games' rules (needs a C compiler; done by make test too)
	@$(BIN)/python hatch_build.py

plain: $(STAMP) ## Remove the compiled rules: plain Python is used
	@$(BIN)/python hatch_build.py --plain

reference: $(STAMP) ## Write the generated pages and schemas of docs/reference
	$(BIN)/python -m scripts.make_reference docs/reference
	$(BIN)/python -m scripts.make_schemas docs/reference

diagrams: $(STAMP) ## Redraw the boards in docs/rules
	$(BIN)/python -m scripts.make_diagrams docs/rules

images: $(STAMP) cores ## Take the README's pictures (needs Chromium)
	@$(BIN)/python -m scripts.make_images docs/images

seeds: $(STAMP) ## Rebuild golden games and opening books
	@$(BIN)/python -m scripts.make_seeds seeds

LADDERS ?= $(basename $(notdir $(filter-out %/rungs.toml %/ratings.toml,$(wildcard engines/ladder/*.toml))))

ladder: $(STAMP) cores ## Play the anchor ladders and rewrite engines/ladder.md (LADDERS="element-3" plays one)
	@mkdir -p build/ladder
	@for name in $(LADDERS); do \
	  $(BIN)/tourney run engines/ladder/$$name.toml --db build/ladder/$$name.db --bots build/ladder/bots $(ARGS) || exit; \
	done
	@$(BIN)/python -m scripts.make_ladder $(patsubst %,build/ladder/%.db,$(LADDERS)) engines

SAMPLE := build/sample
ENGINES := stockfish ethereal-chess toga2 glaurung hoichess
MISSING_ENGINES = $(strip $(foreach engine,$(ENGINES),$(if $(shell PATH="$$PATH:/usr/games" command -v $(engine)),,$(engine))))
# Pages of all matches would be ten times as large; those worth seeing are written first.
SAMPLE_REPORT := --no-measured --match-pages 9

sample: export PATH := $(PATH):/usr/games
sample: $(STAMP) cores ## Play reports/sample.toml and sample-chess.toml into build/sample, unless done, and rewrite their reports
	@mkdir -p $(SAMPLE) && cp reports/sample*.toml reports/sample-chess.book $(SAMPLE)/
	@cd $(SAMPLE) && $(CURDIR)/$(BIN)/tourney run sample.toml --quiet
	@cd $(SAMPLE) && $(CURDIR)/$(BIN)/tourney report sample-cup $(SAMPLE_REPORT) --out $(CURDIR)/reports/sample
	@if [ -n "$(MISSING_ENGINES)" ]; then \
	  echo "make: reports/sample-chess stays as it is: there is no $(MISSING_ENGINES) on PATH or in /usr/games"; \
	else \
	  cd $(SAMPLE) && $(CURDIR)/$(BIN)/tourney run sample-chess.toml --db chess.db --quiet && \
	  for bot in stockfish ethereal toga glaurung hoichess mcts; do \
	    $(CURDIR)/$(BIN)/tourney analyze --db chess.db --bot $$bot --all --with uci:stockfish --nodes 2000 >/dev/null || exit; \
	  done && \
	  $(CURDIR)/$(BIN)/tourney report --db chess.db $(SAMPLE_REPORT) --out $(CURDIR)/reports/sample-chess; \
	fi

clean: ## Remove what the other targets made
	rm -rf $(VENV) dist demo

# Without --no-compile pip would compile all modules; the demo imports, and so compiles, a part of them.
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile

$(RUNTIME): requirements/build.txt requirements/run.txt pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 14) else f"make: Tourney needs Python 3.11 to 3.13, but $(PYTHON) is {sys.version.split()[0]}; run make PYTHON=python3.11 ...")'
	@echo "Setting up $(VENV) (once; a minute, more on a busy machine) ..." >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) --require-hashes -r requirements/build.txt
	@# The rules are compiled while pip, which uses one processor, installs the rest.
	@$(BIN)/python hatch_build.py & $(PIP_INSTALL) --require-hashes -r requirements/run.txt; code=$$?; wait; exit $$code
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@$(BIN)/python -W ignore -c 'import trueskill'  # compiling it warns
	@touch $@

$(STAMP): $(RUNTIME) requirements/dev.txt
	@echo "Adding tests and linters to $(VENV) (once; about a minute) ..." >&2
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@# Tests turn warnings into errors, and compiling some packages warns.
	@$(BIN)/python -W ignore -m compileall -q -j 0 $(VENV)/lib >/dev/null || true
	@touch $@
