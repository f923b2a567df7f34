"""The pages of review, a file per page."""
