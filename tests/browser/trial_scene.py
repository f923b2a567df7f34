"""A shop that has learned, a draft version, and two trials of it: one over, one under way."""

from django.contrib.auth.models import User

from generation import prompts, runs
from generation.intake import parse
from generation.models import Status, Subcategory, TriedRun
from generation.trials import starting
from generation.trials.past import candidates
from generation.trials.working import work_on
from learning import facts
from learning.demo import content, loading


def trials(me: User) -> dict[str, str]:
    """The addresses of their pages, by name. The demo's own provider answers."""
    loading.load()
    live = prompts.live("item", "extraction")
    wording = f"{live.user}\nGive the unit in its own field."
    version = prompts.save_version(
        live.prompt, system=live.system, user=wording, author=me, note="The unit in a field of its own"
    )
    prompts.make_live(version, by=me, why="units")
    for product in content.products()[-6:]:
        run = runs.create(parse(loading.body_of(product)))
        loading.review_to_the_end(run, product, me)
    drills = Subcategory.objects.get(slug="cordless-drills")
    past = candidates("item", drills)
    over = starting.start(version, drills, past[:10], me)
    for one in over.runs.all():
        work_on(one.pk)
    open_ = starting.start(version, drills, past, me)
    for one in open_.runs.all()[:7]:
        work_on(one.pk)
    eighth = open_.runs.all()[7]
    TriedRun.objects.filter(pk=eighth.pk).update(status=Status.GENERATING, stage="extraction")
    facts.fold()
    return {
        "achieved": f"/admin/studio/prompts/{live.prompt_id}/achieved/",
        "trial-start": f"/admin/studio/prompts/{live.prompt_id}/trial/",
        "trial-over": f"/admin/studio/trials/{over.pk}/",
        "trial-open": f"/admin/studio/trials/{open_.pk}/",
        "trial-run": f"/admin/studio/trials/{over.pk}/1/",
        "trial-none": f"/admin/studio/prompts/{prompts.live('change', 'change').prompt_id}/trial/",
    }
