"""The stages of the editorial flow, answered by rules."""
