"""A diff as pages show it: files, hunks, numbers of both sides, whatever stands in its lines."""

from typing import Any

import pytest
from django.test import Client

from generation.models import Draft, Run
from review.pages.diff import FOLDED_FROM, LAST_LINES, MOST_LINES, DiffFile, diff_files, output
from review.pages.reading import reading
from review.pages.record import sheet
from tests import people
from tests.factories import DraftFactory, RunFactory

DIFF = """diff --git a/old name.py b/new name.py
similarity index 80%
rename from old name.py
rename to new name.py
index 16d0375..fa9daeb 100644
--- a/old name.py
+++ b/new name.py
@@ -1,3 +1,3 @@ def first():
 one
-two
+zwei
 three
@@ -10,2 +10,3 @@
 ten
+ten and a half
 eleven
\\ No newline at end of file
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..fa9daeb
Binary files /dev/null and b/logo.png differ
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index fa9daeb..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-last
"""
FILES = [
    {"path": "new name.py", "change": "renamed", "was": "old name.py", "added": 2, "removed": 1},
    {"path": "logo.png", "change": "added", "was": "", "added": None, "removed": None},
    {"path": "gone.txt", "change": "deleted", "was": "", "added": 0, "removed": 1},
]


def shown(file: DiffFile) -> list[tuple[str, int | None, int | None, str]]:
    return [(line.kind, line.old, line.new, line.text) for line in file.lines]


def test_files_hunks_and_numbers() -> None:
    renamed, logo, gone = diff_files({"files": FILES, "diff": DIFF})
    assert shown(renamed) == [
        ("gap", None, None, "def first():"),
        ("same", 1, 1, "one"),
        ("removed", 2, None, "two"),
        ("added", None, 2, "zwei"),
        ("same", 3, 3, "three"),
        ("gap", None, None, ""),
        ("same", 10, 10, "ten"),
        ("added", None, 11, "ten and a half"),
        ("same", 11, 12, "eleven"),
    ]
    assert (renamed.was, renamed.index) == ("old name.py", 0)
    assert logo.is_binary and logo.lines == []
    assert shown(gone) == [("gap", None, None, ""), ("removed", 1, None, "last")]


def test_lines_that_look_like_gits_own_are_lines() -> None:
    changed = ["-- a/other", "+++ b/other", "+diff --git a/y b/y", "+@@ -1 +1 @@"]
    text = "\n".join(["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1,3 @@", *changed, ""])
    (file,) = diff_files({"files": [{"path": "x", "change": "modified", "added": 3, "removed": 1}], "diff": text})
    assert [line.sign.replace("−", "-") + line.text for line in file.lines[1:]] == changed


def test_a_cut_is_told_and_what_follows_has_no_numbers() -> None:
    text = DIFF.replace("+zwei\n", "+zw\n[… 1,234 characters left out …]\nei und mehr\n+drei\n")
    renamed, _, gone = diff_files({"files": FILES, "diff": text})
    assert ("gap", None, None, "[… 1,234 characters left out …]") in shown(renamed)
    assert ("added", None, None, "drei") in shown(renamed)
    assert shown(gone)[-1] == ("removed", 1, None, "last")


def test_a_file_that_the_list_does_not_name_is_shown_all_the_same() -> None:
    files = diff_files({"files": FILES[1:], "diff": DIFF})
    assert [file.index for file in files] == [0, 1, None] and len(files[2].lines) == 9


def test_what_cannot_be_seen_is_shown() -> None:
    text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+if a: \u202e} return\r\n"
    (file,) = diff_files({"files": [], "diff": text})
    assert file.lines[1].text == "if a: ⟨U+202E⟩} return"


def test_large_diffs_are_folded_and_bounded() -> None:
    lines = "\n".join(f"+line {number}" for number in range(MOST_LINES + 500))
    text = f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,{MOST_LINES + 500} @@\n{lines}\n"
    (file,) = diff_files({"files": [{"path": "x", "change": "added", "added": 1, "removed": 0}], "diff": text})
    assert file.is_folded and len(file.lines) == MOST_LINES and file.left_out == 501 and MOST_LINES > FOLDED_FROM


@pytest.mark.parametrize("diff", ["", "\n", "no diff at all", "diff --git", "@@ -1,99 +1,99 @@\n+x"])
def test_no_text_breaks_it(diff: str) -> None:
    assert isinstance(diff_files({"files": [], "diff": diff}), list)


@pytest.mark.parametrize(("count", "folded"), [(1, 0), (LAST_LINES + 2, 0), (LAST_LINES + 3, 3), (500, 490)])
def test_an_output_shows_its_last_lines(count: int, folded: int) -> None:
    told = output("\n".join(f"line {number}" for number in range(count)) + "\n")
    assert told.folded == folded and told.last.endswith(f"line {count - 1}")
    assert (told.before + "\n" + told.last).strip().count("line") == count


# --- the page -------------------------------------------------------------------------------------

RECORD: dict[str, Any] = {
    "repository": "shop",
    "base": "cfdb8956" * 5,
    "files": FILES,
    "diff": DIFF,
    "output": "<b>done</b>",
}
SOURCE = {
    "bead": {"id": "shop-7", "title": "Say <i>when</i>", "status": "open", "priority": 0, "description": "Now."}
}
FINDINGS = [{"field": "/files/1", "code": "binary_file", "severity": "warning", "detail": "logo.png is binary"}]


def html(record: dict[str, Any], source: dict[str, Any] = SOURCE) -> str:
    run, draft = Run(flow="change", source=source, title="x"), Draft(content=record, findings=FINDINGS)
    return reading(run, draft, sheet(record, source, findings=FINDINGS, sourced=())).html


def test_the_page_shows_item_output_and_diff() -> None:
    page = html(RECORD)
    assert (
        "shop-7" in page
        and "priority 0" in page
        and "Say &lt;i&gt;when" in page
        and "@cfdb8956<" in page.replace("</span>", "<")
    )
    assert "&lt;b&gt;done" in page and "3 files changed" in page
    assert '<tr class="added"><td class="ln"></td><td class="ln">2</td><td class="sign">+</td>' in page
    assert '<td class="sign">−</td><td class="code">two</td>' in page
    assert page.count("logo.png is binary") == 1 and page.index("logo.png is binary") > page.index('id="file-2"')


def test_the_page_of_nothing() -> None:
    page = html({"files": [], "diff": "", "output": ""}, {})
    assert "no work item" in page and "The agent changed no file." in page and "It said nothing." in page


@pytest.mark.django_db
@pytest.mark.parametrize("status", ["awaiting_review", "approved"])
def test_it_is_the_page_of_a_run(status: str) -> None:
    run = RunFactory(flow="change", source=SOURCE, status=status)
    DraftFactory(run=run, content=RECORD, made_by="change")
    client: Client = people.reviewer()
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert 'class="change-diff"' in page and "css/records/change.css" in page


@pytest.mark.django_db
def test_a_large_change_is_shown_in_time(django_assert_max_num_queries: Any) -> None:
    lines = "\n".join(f"+line {number} with some words in it" for number in range(7000))
    text = f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,7000 @@\n{lines}\n"
    files = [{"path": "x", "change": "added", "was": "", "added": 7000, "removed": 0}]
    run = RunFactory(flow="change", source=SOURCE)
    DraftFactory(run=run, content=RECORD | {"files": files, "diff": text, "output": "o" * 50_000})
    client = people.reviewer()
    with django_assert_max_num_queries(40):
        assert client.get(f"/runs/{run.pk}/").status_code == 200
