"""Template tags of learning."""
