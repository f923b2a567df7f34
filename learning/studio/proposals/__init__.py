"""Proposals: what reviewers keep correcting, as a sentence for the prompt that a person may accept."""
