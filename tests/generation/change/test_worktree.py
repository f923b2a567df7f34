"""The worktree of an agent: what it leaves is told whole, nothing of it is run, the repository stays as it was."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from generation.providers.command import worktree as worktrees
from generation.providers.command.git import GitError
from generation.providers.command.scratch import scratch
from generation.providers.command.worktree import Changes, Origin, TooLarge, Worktree, commit_of, worktree
from tests.generation.change.repositories import NOBODY, git, repository


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop")


def git_in(place: Worktree, *arguments: str) -> str:
    return git(place.work, *arguments)


def kinds(changes: Changes) -> dict[str, str]:
    return {file.path: file.change for file in changes.files}


def test_every_kind_of_change_is_told(shop: Path) -> None:
    with worktree(Origin(str(shop))) as place:
        (place.work / "new.txt").write_text("new\n")
        (place.work / "shop" / "prices.py").write_text("RATE = 7\n")
        (place.work / "shop" / "basket.py").unlink()
        (place.work / "README.md").rename(place.work / "READ ME.md")
        (place.work / "logo.png").write_bytes(bytes(range(256)))
        changes = place.changes()
    assert kinds(changes) == {
        "READ ME.md": "renamed", "logo.png": "added", "new.txt": "added",
        "shop/basket.py": "deleted", "shop/prices.py": "modified",
    }  # fmt: skip
    by_path = {file.path: file for file in changes.files}
    assert by_path["READ ME.md"].was == "README.md"
    assert (by_path["logo.png"].added, by_path["logo.png"].removed) == (None, None)
    assert (by_path["shop/prices.py"].added, by_path["shop/prices.py"].removed) == (1, 5)
    assert "+RATE = 7" in changes.diff and "Binary files /dev/null and b/logo.png differ" in changes.diff
    assert "+++ b/new.txt" in changes.diff and "rename to READ ME.md" in changes.diff


def test_nothing_changed_is_nothing(shop: Path) -> None:
    with worktree(Origin(str(shop))) as place:
        changes = place.changes()
    assert (changes.files, changes.diff, changes.patch, changes.inner) == ((), "", "", ())


def test_without_a_repository_everything_is_new() -> None:
    with worktree(Origin()) as place:
        (place.work / "a.txt").write_text("a\n")
        first = place.changes()
    assert kinds(first) == {"a.txt": "added"}
    with worktree(Origin(base=first.base, patch=first.patch)) as place:
        assert (place.work / "a.txt").read_text() == "a\n"
        assert place.changes().diff == first.diff


def test_what_was_changed_comes_back_byte_for_byte(shop: Path) -> None:
    binary, latin = os.urandom(5000), "Größe\r\nohne Ende".encode("latin-1")
    with worktree(Origin(str(shop))) as place:
        (place.work / "logo.png").write_bytes(binary)
        (place.work / "old.txt").write_bytes(latin)
        (place.work / "run.sh").write_text("#!/bin/sh\n")
        (place.work / "run.sh").chmod(0o755)
        (place.work / "shop" / "basket.py").unlink()
        os.symlink("run.sh", place.work / "link")
        first = place.changes()
    with worktree(Origin(str(shop), base=first.base, patch=first.patch)) as place:
        assert (place.work / "logo.png").read_bytes() == binary
        assert (place.work / "old.txt").read_bytes() == latin
        assert (place.work / "run.sh").stat().st_mode & stat.S_IXUSR
        assert os.readlink(place.work / "link") == "run.sh"
        assert not (place.work / "shop" / "basket.py").exists()
        assert place.changes() == first
        assert "logo.png" in git_in(place, "status", "--porcelain")  # the agent's own git sees it too


def test_it_begins_where_the_run_began_though_the_branch_moved(shop: Path) -> None:
    base = commit_of(Origin(str(shop)))
    (shop / "README.md").write_text("moved on\n")
    git(shop, "commit", "--quiet", "--all", "--message=on")
    with worktree(Origin(str(shop), base=base)) as place:
        assert (place.work / "README.md").read_text().startswith("# Shop")
    git(shop, "branch", "old", base)
    with worktree(Origin(str(shop), branch="old")) as place:
        assert place.base == base


def test_commits_and_the_agents_index_hide_nothing(shop: Path) -> None:
    with worktree(Origin(str(shop))) as place:
        (place.work / "new.txt").write_text("new\n")
        git_in(place, "add", "--all")
        git_in(place, "commit", "--quiet", "--message=mine")
        (place.work / "README.md").write_text("other\n")
        git_in(place, "update-index", "--assume-unchanged", "README.md")
        assert kinds(place.changes()) == {"README.md": "modified", "new.txt": "added"}
    with worktree(Origin(str(shop))) as place:
        shutil.rmtree(place.work / ".git")
        (place.work / ".git").write_text("gitdir: /nowhere\n")
        (place.work / "new.txt").write_text("new\n")
        assert kinds(place.changes()) == {"new.txt": "added"}


def test_attributes_hide_nothing_and_change_nothing(shop: Path) -> None:
    with worktree(Origin(str(shop))) as place:
        (place.work / ".gitattributes").write_text("* binary -diff\n*.py filter=evil diff=evil text eol=crlf\n")
        (place.work / "new.py").write_text("evil = 1\n")
        changes = place.changes()
    assert "+evil = 1" in changes.diff and {file.added for file in changes.files} == {1, 2}


@pytest.mark.parametrize(
    "setting",
    ["core.fsmonitor", "core.hooksPath", "filter.evil.clean", "diff.external", "core.pager", "core.editor"],
)
def test_nothing_that_the_agent_sets_up_is_run(shop: Path, tmp_path: Path, setting: str) -> None:
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    with worktree(Origin(str(shop))) as place:
        git_in(place, "config", setting, str(trap))
        git_in(place, "config", "filter.evil.required", "true")
        hooks = place.work / ".git" / "hooks"
        hooks.mkdir()
        for name in ("post-checkout", "pre-commit", "post-index-change"):
            shutil.copy(trap, hooks / name)
        (place.work / ".gitattributes").write_text("* filter=evil diff=evil\n")
        (place.work / "new.py").write_text("new\n")
        assert kinds(place.changes()) == {".gitattributes": "added", "new.py": "added"}
    assert not sprung.exists()


def test_links_are_told_as_links(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("the-secret\n")
    with worktree(Origin(str(shop))) as place:
        os.symlink(tmp_path / "secret", place.work / "folder")
        os.symlink(tmp_path / "secret" / "key", place.work / "file")
        os.mkfifo(place.work / "pipe")
        changes = place.changes()
    assert kinds(changes) == {"folder": "added", "file": "added"}
    assert "the-secret" not in changes.diff and f"+{tmp_path}/secret/key" in changes.diff
    assert (tmp_path / "secret" / "key").exists()


def test_a_repository_within_hides_no_files(shop: Path) -> None:
    with worktree(Origin(str(shop))) as place:
        for name, commits in (("empty", False), ("full", True)):
            inner = place.work / name
            inner.mkdir()
            git(inner, "init", "--quiet")
            (inner / "hidden.py").write_text("hidden\n")
            if commits:
                git(inner, "add", "--all")
                git(inner, "commit", "--quiet", "--message=x")
        changes = place.changes()
    assert kinds(changes) == {"empty/hidden.py": "added", "full/hidden.py": "added"}
    assert set(changes.inner) == {"empty", "full"}


def test_submodules_stay_what_they_were(shop: Path, tmp_path: Path) -> None:
    library = repository(tmp_path / "library", {"a.py": "a\n"})
    subprocess.run(
        ["git", *NOBODY, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "lib"],
        cwd=shop, check=True, capture_output=True,
    )  # fmt: skip
    git(shop, "commit", "--quiet", "--message=library")
    with worktree(Origin(str(shop))) as place:
        assert not list((place.work / "lib").iterdir())
        (place.work / "lib" / "b.py").write_text("b\n")
        (place.work / "new.txt").write_text("new\n")
        assert kinds(place.changes()) == {"new.txt": "added"}


def test_the_repository_is_only_read(shop: Path) -> None:
    before = git(shop, "for-each-ref"), sorted(path.name for path in (shop / ".git").iterdir())
    count = git(shop, "count-objects")
    with worktree(Origin(str(shop))) as place:
        (place.work / "new.txt").write_text("new\n")
        git_in(place, "add", "--all")
        git_in(place, "commit", "--quiet", "--message=mine")
        git_in(place, "branch", "--force", "main", "HEAD")
        place.changes()
    assert (git(shop, "for-each-ref"), sorted(path.name for path in (shop / ".git").iterdir())) == before
    assert git(shop, "count-objects") == count and git(shop, "status", "--porcelain") == ""


def test_what_nobody_may_read_or_enter_is_told_and_taken_away(shop: Path) -> None:
    with worktree(Origin(str(shop))) as place:
        (place.work / "locked").mkdir()
        (place.work / "locked" / "file").write_text("x\n")
        (place.work / "locked" / "file").chmod(0)
        (place.work / "locked").chmod(0)
        assert kinds(place.changes()) == {"locked/file": "added"}
        (place.work / "locked").chmod(0)
    assert not place.work.exists() and not place.home.exists()


def test_a_worktree_that_was_replaced_is_refused(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with worktree(Origin(str(shop))) as place:
        shutil.rmtree(place.work)
        os.symlink(tmp_path / "other", place.work)
        with pytest.raises(GitError, match="replaced"):
            place.changes()
    assert (tmp_path / "other").exists()


def test_a_long_diff_keeps_both_ends_and_the_change_all_of_it(shop: Path) -> None:
    lines = "".join(f"line {number}\n" for number in range(60_000))
    with worktree(Origin(str(shop))) as place:
        (place.work / "long.txt").write_text(lines)
        changes = place.changes()
    assert len(changes.diff) <= worktrees.LONGEST_DIFF
    assert "+line 0\n" in changes.diff and "+line 59999" in changes.diff and "left out" in changes.diff
    with worktree(Origin(str(shop), base=changes.base, patch=changes.patch)) as place:
        assert (place.work / "long.txt").read_text() == lines


def test_a_change_that_is_too_large_is_refused(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worktrees, "LARGEST_PATCH", 1024)
    with worktree(Origin(str(shop))) as place:
        (place.work / "noise").write_bytes(os.urandom(5000))
        with pytest.raises(TooLarge):
            place.changes()


@pytest.mark.parametrize(
    ("origin", "says"),
    [
        (Origin("/no/such/folder"), "there is no /no/such/folder"),
        (Origin("/"), "not a git repository"),
        (Origin(branch="no-such-branch"), ""),
        (Origin(branch="--help"), ""),
        (Origin(base="0" * 40), ""),
    ],
)
def test_what_cannot_be_made_is_told(shop: Path, origin: Origin, says: str) -> None:
    wanted = origin if origin.path else Origin(str(shop), origin.branch, origin.base)
    with pytest.raises(GitError, match=says or "."), worktree(wanted):
        pass


def test_what_a_killed_worker_left_goes_with_the_next_call() -> None:
    parent = Path(settings.DATA_DIR) / "agents"
    parent.mkdir(exist_ok=True)
    left, young = parent / "call-left", parent / "call-young"
    for place in (left, young):
        (place / "work").mkdir(parents=True)
        (place / "lock").touch()
    os.utime(left, (0, 0))
    with scratch() as used:
        os.utime(used, (0, 0))
        with scratch():
            assert used.exists() and young.exists() and not left.exists()
        assert stat.S_IMODE(used.stat().st_mode) == 0o700
    shutil.rmtree(young)
