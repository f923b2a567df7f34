"""Administration of generation: a module per noun; importing this package registers them all."""

from generation.admin import access, batches, categories, prompts, repositories, runs, submissions, webhooks

__all__ = ["access", "batches", "categories", "prompts", "repositories", "runs", "submissions", "webhooks"]
