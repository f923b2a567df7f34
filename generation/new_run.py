"""What a new run holds, made of a checked body."""

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from generation.errors import BadInput, FieldProblem, Problems, shown
from generation.flows import flow as flow_named
from generation.flows.base import LoopPolicy
from generation.ids import uuid7
from generation.intake import LONGEST_SLUG, RunIn, parse
from generation.models import Arm, Batch, Institution, Repository, Run, Subcategory
from generation.providers import has_batches
from generation.reading import storable


def check_economy(pointer: str) -> None:
    """BadInput where the provider has no batch interface, so that nobody waits for a price that there is not."""
    if not has_batches(settings.FOLDBACK_PROVIDER):
        provider = settings.FOLDBACK_PROVIDER
        raise BadInput.at(pointer, f"the provider {provider!r} has no batch interface; leave this out")


_SIX_PLACES = Decimal("0.000001")


def repository_of(body: RunIn) -> str:
    return flow_named(body.flow).repository_of(body.source)


class Named:
    """The rows that bodies name by slug, read in at most three queries for all of them.

    bad: what was given for runs and is wrong otherwise.
    """

    def __init__(self, bodies: Iterable[RunIn], bad: Iterable[Any] = ()) -> None:
        bodies, bad = list(bodies), list(bad)
        slugs = {slug for body in (*bodies, *bad) if (slug := _slug(body, "subcategory"))}
        houses = {slug for body in (*bodies, *bad) if (slug := _slug(body, "institution"))}
        subcategories = Subcategory.objects.filter(slug__in=slugs) if slugs else ()
        institutions = Institution.objects.filter(slug__in=houses) if houses else ()
        self.subcategories = {subcategory.slug: subcategory.pk for subcategory in subcategories}
        paths = {name for body in bodies if (name := repository_of(body))}
        self.repositories = set(
            Repository.objects.filter(name__in=paths).values_list("name", flat=True) if paths else ()
        )
        self.institutions = {institution.slug: institution.pk for institution in institutions}

    def check(self, body: RunIn) -> None:
        wrong = Problems(self.unknown(body))
        repository = repository_of(body)
        if repository and repository not in self.repositories:
            detail = f"no repository {shown(repository)} is registered; admins register them in administration"
            wrong.append(FieldProblem("/source/repository", detail))
        if body.options.economy:
            with wrong.gathered():
                check_economy("/options/economy")
        wrong.refuse()

    def unknown(self, body: Any) -> Iterator[FieldProblem]:
        for name, known in (("subcategory", self.subcategories), ("institution", self.institutions)):
            slug = _slug(body, name)
            if slug and slug not in known:
                yield FieldProblem(f"/{name}", f"unknown {name} {slug!r}")


def parse_named(given: Any) -> RunIn:
    """As `parse`; where anything is wrong, a slug that is unknown is named beside it."""
    try:
        return parse(given)
    except BadInput as error:
        raise BadInput(*error.problems, *Named([], [given]).unknown(given)) from None


def _slug(given: Any, name: str) -> str:
    """What is named; empty where it is none, whose type or length is wrong."""
    if isinstance(given, RunIn):
        return str(getattr(given, name) or "")
    slug = given.get(name) if isinstance(given, dict) else None
    fits = isinstance(slug, str) and len(slug) <= LONGEST_SLUG and storable(slug) == slug
    return str(slug).strip() if fits else ""


def build(body: RunIn, batch: Batch | None = None, author: User | None = None) -> Run:
    """The run, not stored yet; BadInput where it names what is not there."""
    share = holdout_share()
    return Run(**columns(body, Named([body]), share), **shared_columns(batch, author, share))


def columns(body: RunIn, named: Named, share: Decimal) -> dict[str, Any]:
    """Its own fields by column; all others are shared or have their defaults. BadInput as `build`.

    share: the holdout's, by which its arm is drawn.
    """
    named.check(body)
    run_id, flow = uuid7(), flow_named(body.flow)
    options = body.options.model_dump(exclude_none=True)
    return {
        "id": run_id,
        "flow": body.flow,
        "subcategory_id": named.subcategories.get(body.subcategory or ""),
        "institution_id": named.institutions.get(body.institution or ""),
        "external_id": body.external_id,
        "title": flow.title_of(body.source)[:200],
        "source": body.source,
        "options": options,
        "metadata": body.metadata,
        "arm": arm_of(run_id, share),
        "sampled": is_sampled(run_id),
        "drawn_blind": wants_judge(options, flow.policy) and is_drawn_blind(run_id),
    }


def shared_columns(batch: Batch | None, author: User | None, share: Decimal) -> dict[str, Any]:
    """By column, the fields that are the same for all runs made together."""
    return {
        "batch_id": batch.pk if batch else None,
        "author_id": author.pk if author else None,
        "provider": settings.FOLDBACK_PROVIDER,
        "model": settings.FOLDBACK_MODEL if settings.FOLDBACK_PROVIDER == "anthropic" else "",
        "holdout_share": share,
    }


# Columns of a run for which nothing is drawn: its record was made elsewhere, or by rules for a demonstration.
UNDRAWN: Mapping[str, Any] = {"arm": Arm.GUIDED.value, "holdout_share": Decimal(0), "drawn_blind": False}


def holdout_share() -> Decimal:
    """The share in force, as it is stored with each run that is drawn by it."""
    return Decimal(str(settings.FOLDBACK_HOLDOUT)).quantize(_SIX_PLACES)


def arm_of(run_id: uuid.UUID, share: Decimal) -> str:
    """Control for this share of runs, decided by the id alone."""
    return (Arm.CONTROL if _part(run_id.bytes) < share else Arm.GUIDED).value


def is_drawn_blind(run_id: uuid.UUID) -> bool:
    """Whether it is reviewed blind to its judge, whatever its flow asks: by the id alone, apart from the arm."""
    return bool(_part(b"blind" + run_id.bytes) < settings.FOLDBACK_BLIND_REVIEW)


def wants_judge(options: Mapping[str, Any], policy: LoopPolicy) -> bool:
    """Whether the judge is to be asked: the request's word, else the installation's, else the flow's."""
    words = (options.get("review"), settings.FOLDBACK_REVIEW, policy.review)
    return bool(next(word for word in words if word is not None))


def is_sampled(run_id: uuid.UUID) -> bool:
    """Whether people see it early though the judge passes it: decided by the id alone, apart from its arm."""
    return bool(_part(b"sample" + run_id.bytes) < settings.FOLDBACK_REVIEW_SAMPLE)


def _part(of: bytes) -> float:
    """A number from 0 to 1 that looks random and is always the same."""
    return int.from_bytes(hashlib.sha256(of).digest()[:8], "big") / 2**64
