"""The judge beside people: what both said of the same records, where people did not know its word."""
