"""The administration's own navigation: our order, our names, and what each list is for."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django import template
from django.utils.translation import gettext_lazy as _

from generation.flows import label_of

register = template.Library()

# In this order; whatever another app registers comes after, under its own name.
GROUPS = {
    "generation": _("Generation"),
    "review": _("Review"),
    "learning": _("Learning"),
    "auth": _("People"),
}
PURPOSES = {
    "Prompt": _("What each stage is told: versions, and which of them is live."),
    "Run": _("Every record in the making, with its drafts, calls and judgements."),
    "Call": _("Every request to a provider, as it was sent, with its answer."),
    "Batch": _("Runs that were created together."),
    "Submission": _("What was handed to the provider for half the price, and whether it has ended."),
    "Category": _("What subcategories are grouped by."),
    "Subcategory": _("What learning is grouped by."),
    "Institution": _("Who records are for, with the quality they ask for."),
    "ApiKey": _("Programs that call the REST interface."),
    "WebhookEndpoint": _("Programs that are told when something happened."),
    "WebhookDelivery": _("Every message to them, and what came of it."),
    "Repository": _("Where the changes of the change flow are made; it is read, never written."),
    "ReviewEvent": _("The history of reviews. Nobody can change it."),
    "ReviewForm": _("What reviewers typed, half-filled and submitted."),
    "Claim": _("Which run is held by whom, and until when."),
    "ReviewPolicy": _("How many people review a run, and whether they see what the judge found."),
    "Proposal": _("What reviewers keep correcting, as a sentence for a prompt: accept it or decline it."),
    "Guidance": _("The influence map: which signal or trigger puts which words into which prompt."),
    "ThresholdSet": _("How many of ten switch a trigger on, per category and subcategory."),
    "FieldSynonym": _("Names of missing fields that mean the same."),
    "Switch": _("Where learning is switched off, by whom and why."),
    "PolicyChoice": _("What switches a trigger on and what lets it go, for the whole installation."),
    "User": _("Who may sign in, and as what."),
    "Group": _("What reviewers and adjudicators may do."),
}
FIRST = list(PURPOSES)


@register.simple_tag
def admin_groups(apps: Sequence[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """`available_apps` of the admin site as [{name, models: [{name, url, add_url, purpose}]}]."""
    order = list(GROUPS)
    known = sorted(
        apps or (),
        key=lambda app: order.index(app["app_label"]) if app["app_label"] in order else len(order),
    )
    return [{"name": GROUPS.get(app["app_label"], app["name"]), "models": _models(app["models"])} for app in known]


@register.filter
def by_flow(rows: Sequence[Any], objects: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    """The rows of a list of what has a flow, in its order, under the labels of their flows."""
    pairs = groupby(zip(objects, rows, strict=True), key=lambda pair: pair[0].flow)
    return [(label_of(flow), [row for _object, row in group]) for flow, group in pairs]


def _models(models: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    def place(model: dict[str, Any]) -> int:
        return FIRST.index(model["object_name"]) if model["object_name"] in FIRST else len(FIRST)

    return [
        {
            "name": model["name"],
            "url": model.get("admin_url"),
            "add_url": model.get("add_url"),
            "purpose": PURPOSES.get(model["object_name"], ""),
        }
        for model in sorted(models, key=place)
        if model.get("admin_url")
    ]
