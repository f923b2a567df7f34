"""Statistics from counts alone: pure functions, a file per noun."""
