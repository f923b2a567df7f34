"""Exports: what is written (a file per kind), how (`formats/`), at once or by the worker (`jobs.py`)."""
