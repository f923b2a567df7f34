"""The worktree of one call: a copy of a registered repository's files, and afterwards what changed in it.

The agent gets a git folder of its own, which borrows the repository's objects and writes nothing into it. What
changed is read with a second git folder that the agent never sees, so that nothing which it writes into its own
(hooks, filters, an index) has a say in the diff.
"""

import base64
import os
import shutil
import stat
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from generation.ends import Ends
from generation.providers.command.git import GitError, git
from generation.providers.command.scratch import remove, scratch, unlocked

# Over whatever .gitattributes say: bytes as they are, and a text is shown as a text.
ATTRIBUTES = "* -text !eol !ident !filter !diff !merge !working-tree-encoding\n"
LONGEST_DIFF = 300_000  # characters of a diff as people see it
LARGEST_PATCH = 8 * 1024 * 1024  # bytes of a change that can be kept
KINDS = {"A": "added", "D": "deleted", "R": "renamed", "M": "modified", "T": "modified", "C": "added"}


@dataclass(frozen=True)
class Origin:
    """The beginning. path: of a registered repository, "" for an empty one. base: the commit, if known."""

    path: str = ""
    branch: str = ""
    base: str = ""
    patch: str = ""  # what was changed so far, as `Changes.patch`


@dataclass(frozen=True)
class ChangedFile:
    """One file of a change. Lines are unknown where it is binary."""

    path: str
    change: str  # added, modified, deleted, renamed
    was: str = ""  # the path before it was renamed
    added: int | None = None
    removed: int | None = None


@dataclass(frozen=True)
class Changes:
    """What differs from the base. patch: all of it, byte for byte: git's binary patch, packed, in base64."""

    base: str
    files: tuple[ChangedFile, ...]
    diff: str
    patch: str
    inner: tuple[str, ...] = ()  # folders that were repositories of their own; their files are shown as files


class TooLarge(Exception):
    """More changed than can be kept."""


class Folder:
    """An empty folder: `work` is the agent's, `home` its home and its folder for temporary files."""

    def __init__(self, place: Path) -> None:
        self.work, self.home = place / "work", place / "home"
        self.work.mkdir()
        self.home.mkdir()
        self.objects: Path | None = None  # of the repository whose objects the worktree borrows

    def changes(self) -> Changes:
        raise NotImplementedError("nothing was there that could change")


class Worktree(Folder):
    """A folder with a repository's files."""

    def __init__(self, place: Path, origin: Origin) -> None:
        super().__init__(place)
        self._ours = place / "git"
        self.base = self._begin(origin)
        if origin.patch:
            patch = zlib.decompress(base64.b64decode(origin.patch))
            git("apply", "--binary", "--whitespace=nowarn", "-", at=self.work, git_dir=self._ours, input=patch)
        self._lend()
        self._same = _identity(self.work)

    def _begin(self, origin: Origin) -> str:
        """Our git folder and the files of the base; the commit's id."""
        init = ["init", "--quiet", "--bare", "--template="]
        if not origin.path:
            git(*init, str(self._ours), at=self.home)
            self._attributes()
            tree = git("write-tree", at=self.work, git_dir=self._ours).decode().strip()
            base = git("commit-tree", "-m", "empty", tree, at=self.work, git_dir=self._ours).decode().strip()
        else:
            source = Path(origin.path)
            base = origin.base or commit_of(origin)
            kind, objects, shallow = _facts(source)
            git(*init, f"--object-format={kind}", str(self._ours), at=self.home)
            self._attributes()
            self.objects = objects
            (self._ours / "objects" / "info").mkdir(exist_ok=True)
            (self._ours / "objects" / "info" / "alternates").write_text(f"{objects}\n")
            if shallow.exists():
                shutil.copy(shallow, self._ours / "shallow")
        git("checkout", "--quiet", "--force", "--detach", base, at=self.work, git_dir=self._ours)
        return base

    def _attributes(self) -> None:
        (self._ours / "info").mkdir(exist_ok=True)
        (self._ours / "info" / "attributes").write_text(ATTRIBUTES)

    def _lend(self) -> None:
        """The agent's own git folder: ours, copied as it is now."""
        own = self.work / ".git"
        shutil.copytree(self._ours, own)
        with open(own / "config", "a") as config:
            config.write("[core]\n\tbare = false\n[user]\n\tname = Agent\n\temail = agent@localhost\n")

    def changes(self) -> Changes:
        """What the agent left, new files too; its commits are changes like any other.

        Raises TooLarge, and GitError where the worktree is not there any more or cannot be read.
        """
        if _identity(self.work) != self._same:
            raise GitError("the worktree was replaced by something else")
        unlocked(self.work)
        links = self._links()
        inner = self._laid_open(links)
        kept = [f":(exclude,literal,top){link}" for link in links]
        self._ask("add", "--all", "--", ":/", *kept)
        return Changes(self.base, self._files(), self._diff(), self._patch(), inner)

    def _ask(self, *arguments: str) -> bytes:
        return git(*arguments, at=self.work, git_dir=self._ours)

    def _links(self) -> list[str]:
        """The submodules of the base: what is in their folders is another repository's."""
        entries = self._ask("ls-files", "--stage", "-z").split(b"\0")
        return [os.fsdecode(entry.partition(b"\t")[2]) for entry in entries if entry.startswith(b"160000 ")]

    def _laid_open(self, links: list[str]) -> tuple[str, ...]:
        """Folders made into repositories would hide their files: they become plain ones. Returns them."""
        found = []
        for folder, folders, files in os.walk(self.work):
            where = os.path.relpath(folder, self.work)
            folders[:] = [name for name in folders if os.path.normpath(os.path.join(where, name)) not in links]
            if where != "." and ".git" in (*folders, *files):
                found.append(where)
                remove(Path(folder) / ".git")
            folders[:] = [name for name in folders if name != ".git"]
        return tuple(found)

    def _files(self) -> tuple[ChangedFile, ...]:
        listed = self._ask(*_DIFF, "--find-renames", "--raw", "--numstat", "-z", self.base)
        return tuple(_files(listed.decode(errors="replace")))

    def _diff(self) -> str:
        ends = Ends(LONGEST_DIFF)
        with self._written("--find-renames") as path, open(path, "rb") as file:
            while chunk := file.read(1 << 20):
                ends.add(chunk)
        return ends.text

    def _patch(self) -> str:
        with self._written("--no-renames", "--binary", "--full-index") as path:
            if path.stat().st_size > LARGEST_PATCH:
                raise TooLarge(f"the change has more than {LARGEST_PATCH // 1024 // 1024} MiB")
            patch = path.read_bytes()
        return base64.b64encode(zlib.compress(patch)).decode() if patch else ""

    @contextmanager
    def _written(self, *options: str) -> Iterator[Path]:
        path = self._ours / "diff"
        self._ask(*_DIFF, *options, f"--output={path}", self.base)
        yield path
        path.unlink()


_DIFF = ("diff", "--cached", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all")


def _files(listed: str) -> Iterator[ChangedFile]:
    """Read off `--raw --numstat -z`: first how each file changed, then their lines, in the same order."""
    parts = deque(listed.split("\0"))
    found: list[tuple[str, str, str]] = []  # letter, path, path before
    while parts[0].startswith(":"):
        letter = parts.popleft().split(" ")[-1][0]
        was = parts.popleft() if letter in "RC" else ""
        found.append((letter, parts.popleft(), was))
    for letter, path, was in found:
        added, removed, named = parts.popleft().split("\t")
        if not named:  # both names of a renamed file follow by themselves
            parts.popleft()
            parts.popleft()
        yield ChangedFile(path, KINDS.get(letter, "modified"), was, _number(added), _number(removed))


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)


def _identity(folder: Path) -> tuple[int, int]:
    try:
        found = os.lstat(folder)
    except OSError:
        return 0, 0
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else (0, 0)


def _facts(repository: Path) -> tuple[str, Path, Path]:
    """The kind of its ids, and where its objects and its list of grafts are; it may be a worktree itself."""
    asked = ("--show-object-format", "--path-format=absolute", "--git-path", "objects", "--git-path", "shallow")
    kind, objects, shallow = git("rev-parse", *asked, at=repository).splitlines()
    return kind.decode(), Path(os.fsdecode(objects)), Path(os.fsdecode(shallow))


def commit_of(origin: Origin) -> str:
    """The commit at which changes of this repository begin now. Raises GitError."""
    name = f"{origin.branch or 'HEAD'}^{{commit}}"
    return git("rev-parse", "--verify", "--end-of-options", name, at=Path(origin.path)).decode().split()[-1]


@contextmanager
def folder() -> Iterator[Folder]:
    """An empty folder that is gone afterwards."""
    with scratch() as place:
        yield Folder(place)


@contextmanager
def worktree(origin: Origin) -> Iterator[Worktree]:
    """A worktree that is gone afterwards, whatever happened. Raises GitError where it cannot be made."""
    with scratch() as place:
        yield Worktree(place, origin)
