"""Statistics from counts alone: pure functions, one file per noun; each tells where it comes from."""
