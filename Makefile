# Everystep: `make repro` trains everything, `make test` checks everything. Both set up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TORCH := torch==2.13.0+cpu
PYTORCH_INDEX := https://download.pytorch.org/whl/cpu

export PATH := $(CURDIR)/$(BIN):$(PATH)
# Stages and tests start hundreds of processes: none shall compile again what another has.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup repro test test-faults test-fast lint serve lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP) ## Make .venv with the locked CPU dependencies

# torch comes first: from wherever pip finds the CPU build by itself, else from PyTorch's own index.
$(STAMP): requirements/cpu.txt requirements/vllm_name/pyproject.toml
	$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(v not in ((3, 11), (3, 12)) and f"Everystep needs Python 3.11 or 3.12, not {v[0]}.{v[1]}: make PYTHON=python3.11 setup")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-deps '$(TORCH)' || $(BIN)/pip install --quiet --no-deps --index-url $(PYTORCH_INDEX) '$(TORCH)'
	$(BIN)/pip install --quiet --no-deps -r requirements/cpu.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation ./requirements/vllm_name
	touch $@

repro: setup ## Run the whole pipeline of the profile named in params.yaml
	$(BIN)/dvc repro
	@echo && sed -n 3p reports/report.md && echo "The report: reports/report.html"

test: setup ## Run every test and check but those of faults (under 20 minutes)
	$(BIN)/python -m pytest -m 'not faults' -n auto

test-faults: setup ## Run what ends, stops and cuts off processes and machines (half an hour; machines need root)
	$(BIN)/python -m pytest -m faults

test-fast: setup ## Run the tests that need no engine (80 seconds on two cores)
	$(BIN)/python -m pytest -m 'not slow' -n auto

lint: setup ## Style, types and import rules
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

serve: setup ## Prefect server, UI and the scheduled deployment on localhost
	$(BIN)/python -m flows.serve

lock: ## Resolve requirements/cpu.in and gpu.in again
	$(PYTHON) requirements/lock.py

clean: ## Remove scratch space (never data, models or reports)
	rm -rf .scratch .prefect
