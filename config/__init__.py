"""Wires the three apps together: settings, URLs, API, worker and supervisor."""
