"""Requests answered by the provider's batch interface, at its lower price: parked, sent together, collected."""
