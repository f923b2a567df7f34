"""Template tags of generation."""
