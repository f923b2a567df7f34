"""Statistics of counts: pure functions, without a query."""
