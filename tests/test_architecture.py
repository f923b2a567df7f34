"""The house stands as it was drawn: who imports whom, what start-up loads, and how large a file may grow."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("config", "generation", "review", "learning")
ABOVE = {  # who must not be imported from here: imports run learning → review → generation, config wires
    "generation": {"review", "learning", "config", "tests"},
    "review": {"learning", "config", "tests"},
    "learning": {"config", "tests"},
    "config": {"tests"},
}
HEAVY = ("anthropic", "opentelemetry", "pint", "uvicorn", "pytest", "playwright")
LONGEST_FILE = 400


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in sorted((ROOT / folder).rglob("*.py")) if "migrations" not in path.parts)


def imported(path: Path) -> set[str]:
    """The top-level packages that a file imports, inside functions too; dotted paths in texts are not imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found.add((node.module or "").split(".")[0])
    return found


@pytest.mark.parametrize("app", ABOVE)
def test_imports_run_one_way(app: str) -> None:
    wrong = {
        str(path.relative_to(ROOT)): sorted(up) for path in sources(app) if (up := imported(path) & ABOVE[app])
    }
    assert wrong == {}


def test_the_wrong_way_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "inside.py"
    file.write_text("def late():\n    from learning.window import window\n    import review.queue\n")
    assert imported(file) == {"learning", "review"}


# There is one of each, since copies drift: reader of JSON, normaliser, sanitizer, bounded loop.
ONCE = {
    "raw_decode": "generation/reading.py",
    "to_bool": "review/normalise.py",
    "to_names": "review/normalise.py",
    "harmless": "generation/sanitizer.py",
    "quote": "generation/sanitizer.py",
    "loop": "generation/loop.py",
}


@pytest.mark.parametrize("name", ONCE)
def test_there_is_one_of_each(name: str) -> None:
    places = set()
    for path in sources(*APPS):
        for node in ast.walk(ast.parse(path.read_text())):
            made = isinstance(node, ast.FunctionDef) and node.name == name
            if made or (isinstance(node, ast.Attribute) and node.attr == name == "raw_decode"):
                places.add(str(path.relative_to(ROOT)))
    assert places == {ONCE[name]}


def test_start_up_loads_nothing_heavy() -> None:
    program = (
        "import sys, django, os\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'\n"
        "django.setup()\n"
        "import config.urls\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("folder", [*APPS, "tests"])
def test_every_module_says_what_it_is(folder: str) -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in sources(folder)
        if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


@pytest.mark.parametrize("folder", [*APPS, "tests", "static", "templates"])
def test_no_file_grows_beyond_reading(folder: str) -> None:
    ours = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".js", ".html")]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in ours}
    vendored = {name for name in lengths if "/vendor/" in name or "/migrations/" in name}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE and name not in vendored} == {}
