"""What the signals of a review are called in each flow: the same six everywhere, each in the flow's own words.

`WORDS[flow][signal]` is the label and what it asks. What a flow leaves out reads as for items; a flow from
elsewhere brings its words along (`Flow.words`).
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from generation.flows import FLOWS, flow

Words = Mapping[str, tuple[str | Promise, str | Promise]]

WORDS: dict[str, Words] = {
    "item": {
        "information_present": (_("Information present"), _("enough data, no required field missing")),
        "information_present_low": (_("Information absent"), _("too little data")),
        "bad_format": (_("Bad format"), _("the form is off: schema, layout, language")),
        "wrong_information": (_("Wrong information"), _("a fact is wrong")),
        "wrong_physical_dimensions": (_("Wrong dimensions"), _("a size or its unit cannot be right")),
        "missing_spec": (_("Missing fields"), _("to look for first next time")),
    },
    "editorial": {
        "information_present": (_("Information present"), _("the topics give enough for this page")),
        "bad_format": (_("Bad layout"), _("blocks, headings, hashtags or language are off")),
        "wrong_information": (_("Wrong information"), _("a name, a date or an event is not so")),
        "wrong_physical_dimensions": (_("Wrong figures"), _("a price, a size or a count cannot be right")),
        "missing_spec": (_("Missing parts"), _("people, products, topics to bring in first next time")),
    },
    "question": {
        "information_present": (_("Information present"), _("the material covers what is asked")),
        "bad_format": (_("Bad form"), _("stem, options or key break the rules")),
        "wrong_information": (_("Wrong information"), _("a clinical fact, the key or an explanation is wrong")),
        "wrong_physical_dimensions": (_("Wrong values"), _("a dose, a lab value or its unit cannot be right")),
        "missing_spec": (_("Missing parts"), _("findings or explanations to give first next time")),
    },
    "change": {
        "information_present": (_("Information present"), _("the work item says enough to work from")),
        "bad_format": (_("Bad style"), _("code or commit break the project’s conventions")),
        "wrong_information": (_("Wrong behaviour"), _("it does not do what the work item asks")),
        "wrong_physical_dimensions": (_("Wrong scope"), _("far more or less is changed than was asked")),
        "missing_spec": (_("Missing parts"), _("tests, documents or cases to add first next time")),
    },
}


# What became of a record by each decision.
DECISIONS: Mapping[str, str | Promise] = {
    "approve": _("approved"),
    "revise": _("sent back"),
    "reject": _("rejected"),
}


def words(flow_name: str) -> Words:
    """Label and question of each signal, and of `information_present_low`, its opposite, a label alone."""
    own = flow(flow_name).words if flow_name in FLOWS else {}
    return {**WORDS["item"], **WORDS.get(flow_name, {}), **own}


def label(flow_name: str, signal: str) -> str:
    """What people read for a signal, or for the trigger of one; what is none stays as it is."""
    found = words(flow_name).get(signal.removesuffix("_trigger"))
    return str(found[0]) if found else signal


def label_of_missing(flow_name: str, name: str) -> str:
    """What people read for one missing field; a flow from elsewhere may call what is missing something else."""
    if flow_name in FLOWS and "missing_spec" in flow(flow_name).words:
        return f"{label(flow_name, 'missing_spec')}: {name}"
    return gettext("Missing: %s") % name


def described(signal: str) -> str:
    """A signal in the words of the flows that come with the application, for the document of the API."""
    by_flow = {name: words(name)[signal] for name in sorted(WORDS)}
    of_items, said = by_flow["item"], "; ".join(f"`{name}`: {why}" for name, (_label, why) in by_flow.items())
    return f"{of_items[0]}: {said}."
