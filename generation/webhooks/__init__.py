"""Webhooks after the Standard Webhooks specification: a stored outbox, sent and repeated until it is taken."""
