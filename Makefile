# The first two commands of the README: `make demo` shows the main job, `make test` passes the tests.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
PYTEST := $(BIN)/python -m pytest
# What `make check` runs: not once more in `make test`.
CHECKED := tests/test_architecture.py tests/test_docs.py

.PHONY: demo test check fmt lint types architecture docs bench bench-agentdojo test-clients test-slow new-rule lock clean

demo: $(READY)
	@$(BIN)/tripwire demo

test: $(READY)
	$(PYTEST) -n 2 --dist worksteal -m "not client and not slow" $(CHECKED:%=--ignore=%)

check: lint types architecture docs

fmt: $(READY)
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

lint: $(READY)
	$(BIN)/ruff format --check . && $(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy -p tripwire

architecture: $(READY)
	$(PYTEST) tests/test_architecture.py

docs: $(READY)
	$(PYTEST) tests/test_docs.py

bench: $(READY)
	$(BIN)/python -m bench

# AgentDojo is heavy and pins much: it has an environment of its own.
bench-agentdojo: .build/agentdojo/ready
	$(BIN)/python -m bench.agentdojo

.build/agentdojo/ready: requirements/agentdojo.txt $(READY)
	$(PYTHON) -m venv .build/agentdojo
	.build/agentdojo/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/agentdojo.txt
	@touch $@

test-clients: $(READY)
	$(PYTEST) -m client -rs tests/e2e

test-slow: $(READY)
	$(PYTEST) -m slow

new-rule: $(READY)
	$(BIN)/python tools/new_rule.py $(ID)

# Compile the locks again from pyproject.toml; no index address gets into them.
lock:
	uv pip compile -q pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements/core.txt
	uv pip compile -q pyproject.toml --extra mcp --extra lsp --group dev -c requirements/core.txt --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements/dev.txt
	uv pip compile -q requirements/agentdojo.in pyproject.toml -c requirements/core.txt --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements/agentdojo.txt

clean:
	rm -rf .venv .build dist .mypy_cache .ruff_cache .hypothesis

$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tripwire needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Run: make PYTHON=/path/to/python3.11 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
