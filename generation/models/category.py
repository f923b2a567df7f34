"""What runs are grouped by: categories, subcategories (learning's unit) and institutions."""

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

# Pages stand at these where else a subcategory's would.
RESERVED = ("evidence", "judges", "people", "cost")


def not_reserved(slug: str) -> None:
    if slug in RESERVED:
        raise ValidationError(_("A page stands at “%(slug)s”: choose another slug."), params={"slug": slug})


class Category(models.Model):
    name = models.CharField(_("name"), max_length=200, unique=True)

    class Meta:
        verbose_name = _("category")
        verbose_name_plural = _("categories")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Subcategory(models.Model):
    slug = models.SlugField(_("slug"), max_length=100, unique=True, validators=[not_reserved])
    name = models.CharField(_("name"), max_length=200)
    category = models.ForeignKey(Category, models.PROTECT, related_name="subcategories")

    class Meta:
        verbose_name = _("subcategory")
        verbose_name_plural = _("subcategories")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Institution(models.Model):
    slug = models.SlugField(_("slug"), max_length=100, unique=True)
    name = models.CharField(_("name"), max_length=200)
    quality_threshold = models.DecimalField(
        _("quality threshold"),
        max_digits=3,
        decimal_places=2,
        default=Decimal("0.70"),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(1))],
        help_text=_("The rubric judge passes a record whose weighted mean reaches this, from 0 to 1."),
    )

    class Meta:
        verbose_name = _("institution")
        verbose_name_plural = _("institutions")
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(quality_threshold__gte=0, quality_threshold__lte=1),
                name="institution_threshold_between_0_and_1",
            )
        ]

    def __str__(self) -> str:
        return self.name
