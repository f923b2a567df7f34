"""Whether guidance helps: what was said of runs made with it, beside those of the holdout."""
