"""The judge beside people: what each judgement and the review made blind to it say, and the sums."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

FALSE_PASS = Q(passed=True, good=False)  # the judge passed what people found bad
FALSE_FAIL = Q(passed=False, good=True)
MISSED = FALSE_PASS | FALSE_FAIL


class JudgingFact(models.Model):
    """One criterion of one judgement, and what the first person who reviewed that draft blind said of it.

    Values, no keys: the counting house writes them, and takes them away with their run.
    """

    run_id = models.UUIDField()
    judgement_id = models.BigIntegerField()
    flow = models.CharField(max_length=40)
    institution_id = models.BigIntegerField()  # 0: none
    kind = models.CharField(max_length=40)  # of the judge
    criterion = models.CharField(max_length=60)
    version_id = models.BigIntegerField()  # of the judge's prompt; 0: none
    model = models.CharField(max_length=100)
    passed = models.BooleanField(null=True)  # null: it could not judge
    good = models.BooleanField(null=True)  # null: the person said nothing of it
    score = models.SmallIntegerField(
        null=True
    )  # of a rubric's total: its weighted mean in hundredths, rounded down
    reviewed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judgement_id", "criterion"], name="judgingfact_once")]
        indexes = [
            models.Index(fields=["run_id"], name="judgingfact_of_run"),
            models.Index(
                fields=["flow", "kind", "criterion", "passed", "-reviewed_at", "-id"],
                name="judgingfact_missed",
                condition=MISSED,
            ),
            models.Index(
                fields=["flow", "kind", "criterion", "passed", "version_id", "model", "-reviewed_at", "-id"],
                name="judgingfact_missed_by",
                condition=MISSED,
            ),
        ]


class Judging(models.Model):
    """The sums of a criterion's facts, by who judged, in the places of `learning.judging.counting.PLACES`."""

    flow = models.CharField(max_length=40)
    kind = models.CharField(max_length=40)
    criterion = models.CharField(max_length=60)
    version_id = models.BigIntegerField()
    model = models.CharField(max_length=100)
    counts = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["flow", "kind", "criterion", "version_id", "model"], name="judging_once"
            )
        ]


class JudgingScores(models.Model):
    """How often a rubric gave each weighted mean, 0.00 to 1.00: to records that people found good, then to bad.

    Without those of a structural error, which no threshold lets pass.
    """

    flow = models.CharField(max_length=40)
    institution_id = models.BigIntegerField()
    version_id = models.BigIntegerField()
    model = models.CharField(max_length=100)
    counts = ArrayField(models.BigIntegerField())  # 101 of good ones, 101 of bad ones

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["flow", "institution_id", "version_id", "model"], name="judgingscores_once"
            )
        ]
