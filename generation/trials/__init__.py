"""Trials: a version of a prompt on past runs, by the same loop, stages and judges, kept apart from all runs."""
