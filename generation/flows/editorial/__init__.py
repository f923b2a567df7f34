"""The editorial flow: a magazine layout of typed blocks from curated topics."""
