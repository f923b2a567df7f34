"""Demo content, and a reviewer who follows fixed rules over it."""
