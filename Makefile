# make up: start everything. make test: run every test. make lint, make bench, make lock: see CONTRIBUTING.md.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: help up test lint bench lock environment environment-dev chromium

help:
	@sed -n 's/^# //p' Makefile

environment:
	@$(PYTHON) config/environment.py requirements.txt

environment-dev:
	@$(PYTHON) config/environment.py requirements-dev.txt

up: environment
	@$(BIN)/python -m config.supervisor

test: environment-dev chromium
	@$(BIN)/python -m pytest -n auto

chromium:
	@$(BIN)/python -m config.chromium

lint: environment-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy .
	@$(BIN)/python manage.py check
	@$(BIN)/python manage.py makemigrations --check --dry-run

bench: environment-dev
	@$(BIN)/python -m tests.benchmarks.run
