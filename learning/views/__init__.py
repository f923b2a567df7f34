"""The pages of learning, the overview and the way in: a module per page."""
