# Needs Python 3.11 or later and make; everything else goes into .venv.

PYTHON ?= python3
BIN := .venv/bin
SCALE ?= quick

.DEFAULT_GOAL := help
.PHONY: help run test test-slow test-all test-report test-floors sanitize lint bench bench-quick bench-cli bench-scale torture reproduce reproduce-docs studies docs clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | while IFS='|' read -r name text; do \
		printf '%-18s%s\n' "$$name" "$$text"; done
	@echo "Another Python: make test PYTHON=python3.13"

.venv/.installed-run: pyproject.toml CMakeLists.txt src/pulasso/kernels/kernels.c
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "pulasso needs Python 3.11 or later, and '$(PYTHON)' is not one (or is not there)."; \
		echo "Name another one, for example: make $(or $(MAKECMDGOALS),test) PYTHON=python3.12"; \
		exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable ".[frames,report]"
	@touch $@

.venv/.installed: .venv/.installed-run
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@

.venv/.installed-dev: .venv/.installed
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@

run: .venv/.installed-run ## From a table to a report: digits with half of the labels lost, in runs/digits
	$(BIN)/python examples/digits.py --out runs/digits

test: .venv/.installed ## Run the tests with coverage, but for the slow ones
	$(BIN)/python -m pytest -n 2 -m "not slow" --cov=pulasso --cov-report=term-missing:skip-covered --cov-fail-under=95

test-slow: .venv/.installed ## Run the slow tests alone: kills at every moment, clusters, large tables
	$(BIN)/python -m pytest -n 2 -m slow

test-all: test test-slow ## Run all tests

# Old packages warn of what has become of each other since; those warnings are not about us.
test-floors: ## Run the contracts and the command line with every dependency at its oldest version, in .venv-floors
	$(PYTHON) -m venv .venv-floors
	.venv-floors/bin/python tools/floors.py > .venv-floors/floors.txt
	.venv-floors/bin/python -m pip install --quiet --editable ".[test]" --constraint .venv-floors/floors.txt
	.venv-floors/bin/python -m pytest -n 2 -x -m "not slow" -p no:cacheprovider -W ignore::DeprecationWarning \
		-W ignore::PendingDeprecationWarning -W ignore::FutureWarning tests/contracts tests/cli

sanitize: .venv/.installed ## Run the kernel's tests under AddressSanitizer and UBSan (needs gcc)
	mkdir -p build/sanitize
	gcc -g -O1 -std=c99 -fopenmp-simd -fsanitize=address,undefined -fno-sanitize-recover -shared -fPIC \
		-o build/sanitize/pulasso_kernels.so src/pulasso/kernels/kernels.c -lm
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0 PULASSO_KERNEL=build/sanitize/pulasso_kernels.so \
		$(BIN)/python -m pytest -p no:cacheprovider tests/contracts/test_kernels.py

test-report: .venv/.installed ## Test the report in a browser with axe, which npm fetches
	npm install --silent --no-save --prefix build/axe axe-core
	PULASSO_AXE=build/axe/node_modules/axe-core/axe.min.js $(BIN)/python -m pytest -p no:cacheprovider tests/report

lint: .venv/.installed-dev ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m mypy

bench: .venv/.installed ## Compare with other packages, which it installs: an hour; results in runs/bench
	$(BIN)/python benchmarks/run.py --fresh --publish

bench-quick: .venv/.installed ## The same with tiny data; results in runs/bench-quick
	$(BIN)/python benchmarks/run.py --quick

bench-cli: .venv/.installed ## A large CSV through the command line, beside the same in Python
	$(BIN)/python benchmarks/command_line.py

bench-scale: .venv/.installed ## Data beyond memory, a cluster, a million columns (8 GB of disk, an hour)
	@for task in model tall cluster wide; do OMP_NUM_THREADS=1 $(BIN)/python benchmarks/scale.py $$task --publish || exit 1; done

torture: .venv/.installed ## Kills, fuzz and hard numbers for hours; every script ends with its figure
	@set -e; for script in torture/*.py; do echo "== $$script"; OMP_NUM_THREADS=1 $(BIN)/python "$$script"; done

studies: .venv/.installed ## Simulation studies (coverage, choice of lam, prevalence, comparators ...); tables in runs/studies
	@set -e; for study in studies/*.py; do echo "== $$study"; $(BIN)/python "$$study" --scale $(SCALE); done

reproduce: .venv/.installed ## The paper's figures and tables at quick scale; a page in runs/paper
	$(BIN)/python -m reproduction all --scale quick --jobs 2 --out runs/paper

reproduce-docs: .venv/.installed ## The same at the scale of the paper, for the documentation: an hour or two
	$(BIN)/python -m reproduction all --scale paper --jobs 2 --out runs/paper-scale
	$(BIN)/python docs/reproduction/collect.py runs/paper-scale

.venv/.installed-docs: .venv/.installed
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	@touch $@

docs: .venv/.installed-docs ## Build the documentation; says where its first page is
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html
	@echo "The documentation is in docs/_build/html/index.html"

clean: ## Remove the environment, caches and results
	rm -rf .venv .venv-floors .coverage .coverage.* htmlcov .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist runs \
		docs/_build docs/auto_examples docs/api/generated docs/drawn
	find src tests examples reproduction -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
