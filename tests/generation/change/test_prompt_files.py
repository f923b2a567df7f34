"""Which prompt a stage is asked with: the run's own file, the setting's, the live version, the shipped text."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from generation import prompts
from generation.models import Prompt, PromptVersion, Run
from tests.generation.change.conftest import new_change
from tests.generation.change.programs import Program
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """One prompt per role."""
    for role in ("developer", "reviewer"):
        (tmp_path / f"{role}.md").write_text(f"You are our {role}.\n")
    return {role: str(tmp_path / f"{role}.md") for role in ("developer", "reviewer")}


def asked(run: Run, stage: str) -> str:
    call = run.calls.get(stage=stage)
    return call.system + call.user


def test_shipped_then_live_then_file(
    shop: object, program: Program, reviewer: Scripted, settings: Settings, files: dict[str, str]
) -> None:
    assert "careful developer" in asked(generated(new_change()), "change")
    live = prompts.live("change", "change")
    version = prompts.save_version(
        Prompt.objects.get(pk=live.prompt_id), system="Our own wording.", user="<<SOURCE>>"
    )
    prompts.make_live(version, by=None, why="test")
    assert asked(generated(new_change()), "change").startswith("Our own wording.")
    settings.FOLDBACK_DEVELOPER_PROMPT = files["developer"]
    settings.FOLDBACK_REVIEWER_PROMPT = files["reviewer"]
    run = generated(new_change())
    assert asked(run, "change").startswith("You are our developer.")
    assert asked(run, "reviewer").startswith("You are our reviewer.")
    assert prompts.live("change", "change").pk == version.pk  # the file is not made live
    made = run.calls.get(stage="change").prompt_version
    assert made is not None and (made.number, made.note) == (3, "of the file developer.md")


def test_what_the_file_leaves_out_is_put_below_it(
    shop: object, program: Program, reviewer: Scripted, settings: Settings, files: dict[str, str]
) -> None:
    settings.FOLDBACK_REVIEWER_PROMPT = files["reviewer"]
    text = asked(generated(new_change()), "reviewer")
    assert "work item: shop-7" in text and "<diff>" in text and '"followUpPrompt": string' in text


def test_the_same_file_is_one_version(
    shop: object, program: Program, reviewer: Scripted, settings: Settings, files: dict[str, str]
) -> None:
    settings.FOLDBACK_DEVELOPER_PROMPT = files["developer"]
    generated(new_change())
    generated(new_change())
    assert PromptVersion.objects.filter(prompt__stage="change").count() == 2  # the shipped one and this
    Path(files["developer"]).write_text("Another wording.")
    generated(new_change())
    assert PromptVersion.objects.filter(prompt__stage="change").count() == 3


def test_a_file_with_two_parts(
    shop: object, program: Program, reviewer: Scripted, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "p.md").write_text("# system\nBe brief.\n\n# user\nDo:\n<<SOURCE>>\n")
    settings.FOLDBACK_DEVELOPER_PROMPT = str(tmp_path / "p.md")
    call = generated(new_change()).calls.get(stage="change")
    assert call.system == "Be brief." and call.user.startswith("Do:\n<source>")


@pytest.mark.parametrize(("content", "says"), [(None, "cannot be read"), ("Do <<SORCE>>", "unknown placeholder")])
def test_a_file_that_is_named_must_be_there_and_right(
    shop: object, program: Program, reviewer: Scripted, settings: Settings, tmp_path: Path, content: str, says: str
) -> None:
    path = tmp_path / "prompt.md"
    if content is not None:
        path.write_text(content)
    settings.FOLDBACK_DEVELOPER_PROMPT = str(path)
    run = generated(new_change())
    assert run.status == "failed" and run.error is not None
    assert run.error["code"] == "bad_input" and says in run.error["detail"]


# --- the command's flags --------------------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path, shop: object) -> str:
    path = tmp_path / "source.json"
    path.write_text('{"bead": {"id": "a", "title": "b", "status": "open"}, "repository": "shop"}')
    return str(path)


def test_flags_beat_settings(
    source: str, program: Program, reviewer: Scripted, settings: Settings, files: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "other.md").write_text("The installation's.")
    settings.FOLDBACK_DEVELOPER_PROMPT = settings.FOLDBACK_REVIEWER_PROMPT = str(tmp_path / "other.md")
    settings.FOLDBACK_REVIEW = False
    call_command(
        "generate", "--flow=change", f"--source={source}", "--review", "--review-max-fix-attempts=2",
        f"--developer-prompt={files['developer']}", f"--reviewer-prompt={files['reviewer']}", stdout=io.StringIO(),
    )  # fmt: skip
    for path in files.values():
        Path(path).unlink()  # a worker of another machine does not have them
    run = generated(Run.objects.get())
    assert asked(run, "change").startswith("You are our developer.")
    assert asked(run, "reviewer").startswith("You are our reviewer.")
    assert run.judge_outcome == "passed" and run.options["review_max_fix_attempts"] == 2


@pytest.mark.parametrize("flags", [[], ["--no-review"]])
def test_a_change_is_not_reviewed_by_default(
    source: str, program: Program, reviewer: Scripted, flags: list[str]
) -> None:
    call_command("generate", "--flow=change", f"--source={source}", *flags, stdout=io.StringIO())
    run = generated(Run.objects.get())
    assert (run.status, run.judge_outcome) == ("awaiting_review", "skipped")


def test_a_missing_file_makes_no_run(source: str, reviewer: Scripted) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("generate", flow="change", source=source, developer_prompt="/no/such/file")
    assert not Run.objects.exists()
