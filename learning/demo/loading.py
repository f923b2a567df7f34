"""Loading the demo content: some runs generated and reviewed, the others left for the worker and the newcomer."""

from collections import Counter

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, User

from generation.intake import parse
from generation.models import Category, Run, Subcategory
from generation.runs import create
from learning.demo import change, editorial, question
from learning.demo.content import CATEGORY, Product, products
from learning.demo.reviewer import review
from learning.demo.rounds import to_the_end
from learning.models import FieldSynonym

REVIEWERS = ("mira", "jonas")  # no passwords: nobody can sign in as one of them
REVIEWED = {"cordless-drills": 10, "label-printers": 7, "coffee-scales": 6}  # the rest waits in the queue

# Names that reviewers use for one field, merged as an admin would.
SYNONYMS = {
    "Ladezeit": "charging time",
    "Schalldruckpegel": "noise level",
    "Schnittstellen": "interface",
    "Druckauflösung": "print resolution",
    "Druckbreite": "print width",
    "Max. print width": "print width",
    "Schutzart": "protection class",
}


def load() -> Counter[str]:
    """Load everything; the count of runs by what became of them."""
    subcategories()
    for name, canonical in SYNONYMS.items():
        FieldSynonym.objects.get_or_create(flow="item", name=name, defaults={"canonical": canonical})
    people = reviewers()
    seen: Counter[str] = Counter()
    for product in products():
        run = create(parse(body_of(product)))
        seen[product.subcategory] += 1
        if seen[product.subcategory] <= REVIEWED[product.subcategory]:
            review_to_the_end(run, product, people[seen.total() % len(people)])
    editorial.load(people)
    question.load(people)
    change.load(people)
    return Counter(Run.objects.values_list("status", flat=True))


def subcategories(prefix: str = "") -> None:
    for slug, (name, category) in CATEGORY.items():
        parent, _ = Category.objects.get_or_create(name=category)
        Subcategory.objects.get_or_create(slug=prefix + slug, defaults={"name": name, "category": parent})


def reviewers() -> list[User]:
    group, _ = Group.objects.get_or_create(name="reviewer")
    people = []
    for name in REVIEWERS:
        person, made = get_user_model().objects.get_or_create(username=name)
        if made:
            person.set_unusable_password()
            person.save(update_fields=["password"])
            person.groups.add(group)
        people.append(person)
    return people


def body_of(product: Product) -> dict[str, object]:
    """The body of `POST /runs` for this product."""
    return {
        "flow": "item",
        "subcategory": product.subcategory,
        "source": product.source,
        "metadata": {"demo": True},
    }


def review_to_the_end(run: Run, product: Product, person: User) -> str:
    """Generate and review by the fixed rules, a second round where they ask for one; the first decision."""
    return to_the_end(run, lambda record, last: review(product.whole, record, last_round=last), person)
