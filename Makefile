# make up     start everything, at http://127.0.0.1:8000 (PORT=8001 make up: elsewhere)
# make test   install what tests need, and run them all
# make lint   style, types and settings
# make bench  the benchmarks, one JSON object per line (SIZES=1000,1000000 make bench: of such histories)
# make lock   choose the newest allowed versions of all packages, and lock them by hash

PYTHON ?= python3
BIN := .venv/bin
UV := .venv-lock/bin/uv
UV_VERSION := 0.13.9
COMPILE := UV_PYTHON_DOWNLOADS=never $(UV) pip compile --quiet --upgrade --generate-hashes --universal \
	--no-emit-index-url --custom-compile-command "make lock" pyproject.toml

.PHONY: help up test lint bench lock environment environment-dev

help:
	@sed -n 's/^# //p' Makefile

environment:
	@$(PYTHON) config/environment.py requirements.txt

environment-dev:
	@$(PYTHON) config/environment.py requirements-dev.txt

up: environment
	@$(BIN)/python -m config.supervisor

test: environment-dev
	@$(BIN)/python -m tests.chromium
	@$(BIN)/python -m pytest --numprocesses=auto -rfER --tb=short --show-capture=no

lint: environment-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy .
	@$(BIN)/python manage.py check
	@$(BIN)/python -W ignore manage.py makemigrations --check --dry-run

bench: environment-dev
	@$(BIN)/python -m tests.benchmarks.run

lock:
	@test "$$($(UV) --version 2>/dev/null | cut -d' ' -f2)" = $(UV_VERSION) || \
		{ $(PYTHON) -m venv --clear .venv-lock && .venv-lock/bin/pip install --quiet uv==$(UV_VERSION); }
	@$(COMPILE) --output-file requirements.txt
	@$(COMPILE) --group dev --output-file requirements-dev.txt
