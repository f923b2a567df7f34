"""People against people: what those who reviewed the same record, each without the others, agree on."""
