"""First reviews by day: how many, and how many of them accepted; and where that became better or worse."""
