"""What people who reviewed the same record agree on: what each run says of it, and the sums."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class AgreementFact(models.Model):
    """How often records of one run were reviewed in one pattern: so many people said each value of `what`.

    `learning.agreement.counts` tells the values; who left it unset is in none of them.
    """

    run_id = models.UUIDField()
    flow = models.CharField(max_length=40)
    what = models.CharField(max_length=40)
    pattern = ArrayField(models.SmallIntegerField())
    units = models.IntegerField()
    differs = models.BooleanField()  # two values were said

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run_id", "flow", "what", "pattern"], name="agreementfact_once")
        ]
        indexes = [
            models.Index(
                fields=["flow", "what", "-run_id"], name="agreementfact_differs", condition=models.Q(differs=True)
            )
        ]


class Agreement(models.Model):
    """The sums of the facts of a flow."""

    flow = models.CharField(max_length=40)
    what = models.CharField(max_length=40)
    pattern = ArrayField(models.SmallIntegerField())
    units = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["flow", "what", "pattern"], name="agreement_once")]


class PairFact(models.Model):
    """Of two people who reviewed records of one run: both said, and differed, in the places of `counts.WHAT`."""

    run_id = models.UUIDField()
    flow = models.CharField(max_length=40)
    first_id = models.BigIntegerField()
    second_id = models.BigIntegerField()  # the greater id
    said = ArrayField(models.BigIntegerField())
    differed = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run_id", "flow", "first_id", "second_id"], name="pairfact_once")
        ]


class Pair(models.Model):
    """The sums of two people's facts in a flow."""

    flow = models.CharField(max_length=40)
    first_id = models.BigIntegerField()
    second_id = models.BigIntegerField()
    said = ArrayField(models.BigIntegerField())
    differed = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["flow", "first_id", "second_id"], name="pair_once")]
