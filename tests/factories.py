"""Minimal valid rows; a test names what it cares about."""

from typing import Any

import factory
from django.contrib.auth import get_user_model
from factory.django import DjangoModelFactory

from generation.models import Category, Draft, Run, Status, Subcategory
from review.models import ReviewEvent


class UserFactory(DjangoModelFactory[Any]):
    class Meta:
        model = get_user_model()

    username = factory.Sequence(lambda n: f"reviewer{n}")


class CategoryFactory(DjangoModelFactory[Category]):
    class Meta:
        model = Category

    name = factory.Sequence(lambda n: f"Category {n}")


class SubcategoryFactory(DjangoModelFactory[Subcategory]):
    class Meta:
        model = Subcategory

    slug = factory.Sequence(lambda n: f"subcategory-{n}")
    name = factory.Sequence(lambda n: f"Subcategory {n}")
    category = factory.SubFactory(CategoryFactory)


class RunFactory(DjangoModelFactory[Run]):
    class Meta:
        model = Run

    flow = "item"
    subcategory = factory.SubFactory(SubcategoryFactory)
    title = factory.Sequence(lambda n: f"Thing {n}")
    source = factory.LazyAttribute(lambda run: {"title": run.title})
    status = Status.AWAITING_REVIEW
    revision = 1


class DraftFactory(DjangoModelFactory[Draft]):
    class Meta:
        model = Draft

    run = factory.SubFactory(RunFactory)
    revision = 1
    content = factory.LazyAttribute(lambda draft: {"name": draft.run.title})
    made_by = "extraction"


class ReviewEventFactory(DjangoModelFactory[ReviewEvent]):
    """A bare event; `review.recording.submit` is what writes one with all that belongs to it."""

    class Meta:
        model = ReviewEvent

    run = factory.SubFactory(RunFactory)
    sequence = factory.Sequence(lambda n: n + 1)
    reviewer = factory.SubFactory(UserFactory)
    decision = "approve"
