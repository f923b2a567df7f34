"""Folds reviews back into prompts: windows, triggers, guidance and the resolver."""
