"""The prompt studio: what a change of prompts, guidance or thresholds would do, shown before it does it."""
