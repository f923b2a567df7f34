"""The item flow: a product record from a product text."""
