"""The question flow and its rubric."""
