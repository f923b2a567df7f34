"""REST calls on subcategories: the list with its counts, and making or renaming one."""

from typing import Annotated

from django.db import transaction
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Body, Path, Router, Schema, Status
from pydantic import ConfigDict, Field, StringConstraints

from generation.access import ApiKeyAuth
from generation.errors import BadInput
from generation.models import Category, Subcategory
from generation.models.category import RESERVED
from generation.rest.pagination import Paging, page
from generation.rest.problems import errors
from review.models import Tally

router = Router(tags=["Subcategories"])
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]

Slug = Annotated[str, Path(..., pattern=r"^[-a-zA-Z0-9_]+$", max_length=100)]


class SubcategoryIn(Schema):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"name": "Drills", "category": "Tools"}}
    )

    name: Name
    category: Annotated[Name, Field(description="Its name; made where there is none of it.")]


class SubcategoryOut(Schema):
    slug: str
    name: str
    category: str
    waiting: int = Field(description="Runs that wait for a person.")
    reviewed: int = Field(description="Runs with a person's review that counts.")
    url: str
    web_url: str = Field(description="What was learnt in it, for people.")


class Subcategories(Schema):
    items: list[SubcategoryOut]
    next_cursor: str | None


@router.get("/subcategories", auth=ApiKeyAuth("read"), response=Subcategories, summary="List subcategories")
def list_subcategories(request: HttpRequest, paging: Paging) -> Subcategories:
    """By slug."""
    found = page(Subcategory.objects.select_related("category"), ("slug",), paging)
    return Subcategories(items=_counted(request, found.items), next_cursor=found.next_cursor)


@router.get(
    "/subcategories/{slug}",
    auth=ApiKeyAuth("read"),
    response={200: SubcategoryOut, **errors(404)},
    summary="Read a subcategory",
)
def read_subcategory(request: HttpRequest, slug: Slug) -> SubcategoryOut:
    """With how many of its runs wait for a person, and how many were reviewed."""
    row = Subcategory.objects.select_related("category").filter(slug=slug).first()
    if row is None:
        raise Http404(_("There is no subcategory of this slug."))
    return _counted(request, [row])[0]


@router.put(
    "/subcategories/{slug}",
    auth=ApiKeyAuth("admin"),
    response={200: SubcategoryOut, 201: SubcategoryOut},
    summary="Make or rename a subcategory",
)
def put_subcategory(
    request: HttpRequest,
    slug: Slug,
    body: Body[SubcategoryIn],
) -> Status[SubcategoryOut]:
    """201 where it is new, 200 where it was there: its name and category are as given now."""
    if slug in RESERVED:
        raise BadInput.at("/slug", _("A page stands at {slug}: choose another slug.").format(slug=repr(slug)))
    with transaction.atomic():
        category, _made = Category.objects.get_or_create(name=body.category)
        row, is_new = Subcategory.objects.update_or_create(
            slug=slug, defaults={"name": body.name, "category": category}
        )
    return Status(201 if is_new else 200, _counted(request, [row])[0])


def _counted(request: HttpRequest, rows: list[Subcategory]) -> list[SubcategoryOut]:
    """Off the tallies, in one query for all rows together: no history makes it longer."""
    counts = Tally.objects.by_subcategory([row.pk for row in rows])
    return [
        SubcategoryOut(
            slug=row.slug,
            name=row.name,
            category=row.category.name,
            waiting=counts.get(row.pk, {}).get("waiting", 0),
            reviewed=counts.get(row.pk, {}).get("runs", 0),
            url=request.build_absolute_uri(reverse("api:read_subcategory", args=[row.slug])),
            web_url=request.build_absolute_uri(reverse("subcategory", args=[row.slug])),
        )
        for row in rows
    ]
