"""Batches: up to a thousand runs made together."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from generation.copying import copy_in
from generation.errors import BadInput
from generation.intake import RunIn, parse
from generation.models import Batch, Run
from generation.new_run import Named, check_economy, columns, holdout_share, shared_columns
from generation.spans import mark
from generation.tasks import enqueue_batch

MOST_RUNS = 1000  # in one batch


def create_many(
    bodies: list[Any],
    *,
    name: str = "",
    parallel: bool = False,
    spend_cap_usd: Decimal | None = None,
    economy: bool = False,
    author: User | None = None,
) -> tuple[Batch | None, list[UUID], list[tuple[int, BadInput]]]:
    """A batch of the good bodies: it, the ids of its runs in their order, and the bad ones by index with what is
    wrong; no batch where all are bad. A fixed number of statements.

    bodies: as JSON that the database can hold, which whatever reads a request or a file has looked at.
    economy: for every run whose own options do not say. BadInput where the provider cannot.
    """
    if len(bodies) > MOST_RUNS:
        raise BadInput.at("/runs", f"at most {MOST_RUNS} runs in one batch")
    if economy:
        check_economy("/economy")
    good: list[tuple[int, RunIn]] = []
    bad: list[tuple[int, BadInput]] = []
    for index, given in enumerate(bodies):
        try:
            body = parse(given, storable=True)
            good.append((index, _with_economy(body) if economy else body))
        except BadInput as error:
            bad.append((index, error))
    named = Named((body for _, body in good), (bodies[index] for index, _ in bad))
    bad = [(index, BadInput(*error.problems, *named.unknown(bodies[index]))) for index, error in bad]
    batch = Batch(name=name[:200], parallel=parallel, spend_cap_usd=spend_cap_usd)
    share = holdout_share()
    runs: list[dict[str, Any]] = []
    for index, body in good:
        try:
            runs.append(columns(body, named, share))
        except BadInput as error:
            bad.append((index, error))
    bad.sort(key=lambda problem: problem[0])
    if not runs:
        return None, [], bad
    with transaction.atomic():
        batch.save(force_insert=True)
        copy_in(Run, runs, shared_columns(batch, author, share))
        mark({"foldback.batch.id": str(batch.pk)})
        transaction.on_commit(lambda: enqueue_batch.delay(str(batch.pk)), robust=True)
    return batch, [run["id"] for run in runs], bad


def _with_economy(body: RunIn) -> RunIn:
    if body.options.economy is not None:
        return body
    return body.model_copy(update={"options": body.options.model_copy(update={"economy": True})})
