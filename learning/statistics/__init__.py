"""Statistics of counts: pure functions, a file per noun, without a query."""
