"""Backtests as rows: begun by a person, gone through part by part in the background, saved or not."""

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import structlog
from celery import current_app
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.errors import Conflict
from learning import thresholds
from learning.acts import Scene, moves
from learning.backtest import compare
from learning.models import Backtest, ThresholdSet
from learning.policies import choosing
from learning.rules import Own, rules
from learning.thresholds import Place
from learning.totals import totals

log = structlog.get_logger(__name__)
LEASE = timedelta(minutes=2)  # renewed every few thousand events; a part that takes longer tells so
AT_ONCE = 500  # reviews; more are gone through by a task


class Lost(Exception):
    """Another worker has taken it over."""


def start(place: Place, of_ten: Mapping[str, Any], by: User, *, policy: str = "") -> Backtest:
    """Keep what shall be tried, and try it: at once where there is little history, else by a task. BadInput as
    `thresholds.checked`. policy: the one in force where none is named."""
    clean, newest = thresholds.checked(of_ten), place.newest()
    kept = {"policy": policy or choosing.in_force(), "based_on": newest.pk if newest else None}
    made = Backtest.objects.create(**place.key, **kept, of_ten=clean, by=by)
    counts = totals(place.flow, [one.pk for one in place.subcategories()])
    if sum(count.reviews for count in counts.values()) <= AT_ONCE:
        run(made.pk)
    else:
        transaction.on_commit(lambda: current_app.send_task("learning.tasks.run_backtest", [made.pk]), robust=True)
    made.refresh_from_db()
    return made


def place_of(backtest: Backtest) -> Place:
    at = backtest.subcategory or backtest.category
    assert at is not None
    return Place(backtest.flow, at)


def run(backtest_id: int) -> None:
    """Go through it to its end, or on from the part at which it was left. What is whole is kept; nothing is done
    twice by two workers."""
    token = uuid.uuid4()
    unfinished = Backtest.objects.filter(pk=backtest_id, finished_at__isnull=True)
    free = Q(lease__isnull=True) | Q(lease_expires_at__lt=Now())
    if not unfinished.filter(free).update(lease=token, lease_expires_at=Now() + LEASE):
        return
    try:
        _go_through(
            Backtest.objects.select_related("category", "subcategory__category").get(pk=backtest_id), token
        )
    except Lost:
        return
    except Exception as error:  # the task's boundary: what was begun says how it ended
        log.exception("backtest_failed", backtest=backtest_id)
        unfinished.filter(lease=token).update(error=type(error).__name__, finished_at=Now(), lease=None)


def _go_through(backtest: Backtest, token: uuid.UUID) -> None:
    place, found = place_of(backtest), moves(backtest.flow)
    parts = place.subcategories()
    scenes = {one.pk: Scene(backtest.flow, one, found) for one in parts}
    counts = {key: scene.count() for key, scene in scenes.items()}
    _tell(backtest, token, total=sum(counts.values()))
    proposed = place.proposed(backtest.of_ten)
    read = rules(backtest.flow, [one.pk for one in parts])
    done, result = 0, dict(backtest.result)
    for one in parts:
        if str(one.pk) not in result:

            def tick(events: int, before: int = done) -> None:
                _tell(backtest, token, **({"done": before + events} if events else {}))

            new = proposed.get(one.pk, Own())
            compared = compare(scenes[one.pk], read.of(one.pk), new, read, policy=backtest.policy, tick=tick)
            result[str(one.pk)] = compared.as_json()
        done += counts[one.pk]
        _tell(backtest, token, done=done, result=result)
    _tell(backtest, token, finished_at=Now())
    log.info("backtest_done", backtest=backtest.pk, events=done, parts=len(parts))


def _tell(backtest: Backtest, token: uuid.UUID, **fields: Any) -> None:
    """Write how far it is, and renew the lease. Raises Lost."""
    mine = Backtest.objects.filter(pk=backtest.pk, lease=token, finished_at__isnull=True)
    if mine.update(lease_expires_at=Now() + LEASE, **fields) != 1:
        raise Lost


def save(backtest: Backtest, *, by: User, why: str) -> ThresholdSet:
    """Make what was tried the thresholds of its place. Conflict where somebody saved there since it was begun."""
    with transaction.atomic():
        locked = Backtest.objects.select_for_update(no_key=True, of=("self",)).get(pk=backtest.pk)
        if locked.saved_id is not None:
            raise Conflict(_("These thresholds were saved already."))
        if locked.finished_at is None or locked.error:
            raise Conflict(_("The backtest has no result yet."))
        made = thresholds.save(place_of(locked), locked.of_ten, by=by, why=why, based_on=locked.based_on)
        Backtest.objects.filter(pk=locked.pk).update(saved=made)
    return made


def unfinished() -> list[int]:
    """Those that nobody works on."""
    free = Q(lease__isnull=True, created_at__lt=Now() - LEASE) | Q(lease_expires_at__lt=Now())
    lost = Backtest.objects.filter(free, finished_at__isnull=True).order_by("id")
    return list(lost.values_list("pk", flat=True)[:20])
