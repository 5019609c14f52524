# Both targets do all their set-up by themselves: a virtual environment of the project's own in .venv,
# made once and made again only when the requirements change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# How many test processes; pytest-xdist's word for "one a core" is auto.
JOBS ?= auto

.PHONY: help demo test lint format lock wheel reference pictures seeds sample clean

help: ## Say what there is to make
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile

demo: $(STAMP) ## Play a small tournament of the bots that ship and write its report
	@$(BIN)/tourney demo

test: $(STAMP) ## Run all tests, the linters among them
	@$(BIN)/pytest -q -n $(JOBS) --dist loadfile $(ARGS)

lint: $(STAMP) ## Run the linters and type checks alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP) ## Lay out the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: $(STAMP) ## Compile the pinned requirements again (from pyproject.toml and requirements/*.in)
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-header --all-extras pyproject.toml requirements/dev.in -o requirements/dev.txt

wheel: $(STAMP) ## Build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

reference: $(STAMP) ## Write docs/reference/commands.md from the help of the commands
	$(BIN)/python -m tourney.cli.reference docs/reference/commands.md

pictures: $(STAMP) ## Draw the boards in docs/rules again
	$(BIN)/python -m tourney.games.pictures docs/rules

seeds: $(STAMP) ## Play the golden games, draw the opening books and name the seeds again
	@$(BIN)/python -m tourney.run.make_seeds seeds

sample: $(STAMP) ## Play reports/sample.toml and write its report again
	@rm -rf build/sample && mkdir -p build/sample && cp reports/sample.toml build/sample/
	@cd build/sample && $(CURDIR)/$(BIN)/tourney run sample.toml --quiet
	@cd build/sample && $(CURDIR)/$(BIN)/tourney report --no-measured --out $(CURDIR)/reports/sample
	@rm -rf build/sample

clean: ## Take away what the targets above made
	rm -rf $(VENV) dist demo

$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 14) else f"make: Tourney needs Python 3.11 to 3.13, and $(PYTHON) is {sys.version.split()[0]}; say make PYTHON=python3.11 ...")'
	@echo "Setting up $(VENV) (once; about a minute) ..." >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -c 'import tourney.games, trueskill, sqlmodel'
	@touch $@
