"""Proposals: the rules, what is kept of them, their words, and what people decide."""
