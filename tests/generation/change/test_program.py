"""An agent program and what holds it: its time, its output, its environment, its worktree."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from pytest_django.fixtures import Settings

from generation.providers.base import Answer, ProviderError, Request, Workspace
from generation.providers.command import PROVIDER, jail, running
from tests.generation.change.programs import Program
from tests.generation.change.repositories import repository

CONFINED = pytest.mark.skipif(jail.landlock_abi() < 6, reason="the kernel has no Landlock that knows signals")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop")


def ask(shop: Path, role: str = "implementer", prompt: str = "do it", keeps: bool = True) -> Answer:
    return PROVIDER.answer(
        Request(
            flow="change", stage=role, system="system", stable=prompt, volatile="", model="", role=role,
            workspace=Workspace(str(shop), keeps=keeps),
        )
    )  # fmt: skip


def refused(shop: Path) -> ProviderError:
    with pytest.raises(ProviderError) as error:
        ask(shop)
    return error.value


def test_it_hears_its_prompt_and_its_role_and_works_in_the_repositorys_files(shop: Path, program: Program) -> None:
    program.play(implementer="print(prompt, role, sorted(os.listdir('.')), sys.argv[1:])")
    answer = ask(shop, prompt="a prompt\n" * 20_000)
    assert answer.text.startswith("system\n\na prompt\n")
    assert answer.text.endswith("implementer ['.git', 'README.md', 'shop'] ['implementer']\n")
    assert (answer.model, answer.sent["exit_status"], answer.sent["role"]) == ("agent.py", 0, "implementer")


def test_it_may_talk_long_before_it_has_heard_all(shop: Path, program: Program, settings: Settings) -> None:
    settings.FOLDBACK_AGENT_SECONDS = 20
    program.path.write_text(
        "import os, sys, time\nfirst = len(os.read(0, 8192))\ntime.sleep(0.5)\n"
        "print('x' * 2_000_000, flush=True)\nprint(first + len(sys.stdin.read()))\n"
    )
    settings.FOLDBACK_AGENT_COMMAND = [sys.executable, str(program.path)]
    assert ask(shop, prompt="p" * 1_000_000).text.endswith("\n1000008\n")


def test_it_fills_no_disk_with_one_file_or_with_a_core(
    shop: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LARGEST_FILE", 1 << 20)
    program.play(
        implementer="import resource\nprint(resource.getrlimit(resource.RLIMIT_CORE))\n"
        "try: put('big', 'x' * (2 << 20))\nexcept OSError as error: print(error.strerror)"
    )
    assert ask(shop).text == "(0, 0)\nFile too large\n"


def test_its_changes_are_told_and_its_folder_is_gone(shop: Path, program: Program) -> None:
    program.play(implementer="put('new.txt', 'new\\n')\nprint(os.getcwd())")
    answer = ask(shop)
    assert [file["path"] for file in answer.sent["change"]["files"]] == ["new.txt"]
    assert not Path(answer.text.strip()).exists()


def test_a_reviewers_changes_are_not_kept_and_its_complaints_stand_apart(shop: Path, program: Program) -> None:
    program.play(reviewer="put('new.txt', 'x')\nprint('noise', file=sys.stderr)\nprint('answer')")
    answer = ask(shop, "reviewer", keeps=False)
    assert (answer.text, answer.sent["complaint"]) == ("answer\n", "noise\n") and "change" not in answer.sent


def test_without_a_workspace_it_has_an_empty_folder(program: Program) -> None:
    program.path.write_text("import os, sys\nprint(os.listdir('.'), sys.argv[-1])")
    answer = PROVIDER.answer(
        Request(flow="item", stage="extraction", system="", stable="x", volatile="", model="")
    )
    assert answer.text == "[] extraction\n"


def test_200_000_characters_keep_both_ends(shop: Path, program: Program) -> None:
    program.play(implementer="print('begin' + 'ä' * 199_992 + 'end')")
    text = ask(shop).text
    assert len(text) <= 50_000 and text.startswith("beginä") and text.endswith("äend\n")
    assert "characters left out" in text


def test_endless_output_is_read_in_bounded_memory(shop: Path, program: Program, settings: Settings) -> None:
    settings.FOLDBACK_AGENT_SECONDS = 1
    program.play(implementer="while True: sys.stdout.write('x' * 65536)")
    error = refused(shop)
    assert error.code == "timeout" and len(error.answer) <= 50_000


def test_errors_and_output_come_in_their_order(shop: Path, program: Program) -> None:
    program.play(implementer="print('one', flush=True)\nprint('two', file=sys.stderr, flush=True)\nprint('three')")
    assert ask(shop).text == "one\ntwo\nthree\n"


def test_a_program_that_does_not_read_its_prompt_is_none_the_worse(shop: Path, program: Program) -> None:
    program.path.write_text("print('deaf')")
    assert ask(shop, prompt="x" * 3_000_000).text == "deaf\n"


def test_it_may_say_nothing(shop: Path, program: Program) -> None:
    program.play(implementer="put('new.txt', 'x')")
    assert ask(shop).text == ""


@pytest.mark.parametrize(
    ("body", "detail", "status"),
    [
        ("print('half'); sys.exit(3)", "ended with exit status 3", 3),
        ("print('half', flush=True); os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9", 137),
        ("print('half'); raise RuntimeError", "ended with exit status 1", 1),
    ],
)
def test_another_exit_than_0_is_told_with_the_output(
    shop: Path, program: Program, body: str, detail: str, status: int
) -> None:
    program.play(implementer=body)
    error = refused(shop)
    assert (error.code, error.retryable, error.sent["exit_status"]) == ("agent_failed", False, status)
    assert detail in error.detail and error.answer.startswith("half")


HANG = """
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        put('children', '%d ' % os.getpid(), 'a')
        time.sleep(60)
    put('children', '%d ' % os.getpid(), 'a')
    time.sleep(60)
print(os.getcwd(), flush=True)
"""


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the processes that the agent started, read before its folder is taken away."""
    found: list[int] = []
    end = running._end

    def look_then_end(process: object) -> None:
        folders = Path(django_settings.DATA_DIR).glob("agents/call-*/work/children")
        found.extend(int(pid) for path in folders for pid in path.read_text().split())
        end(process)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "_end", look_then_end)
    return found


@pytest.mark.parametrize("stubborn", [True, False])
def test_a_hang_ends_with_all_that_was_started(
    shop: Path,
    program: Program,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    seen: list[int],
    stubborn: bool,
) -> None:
    monkeypatch.setattr(running, "GRACE", 0.5)
    ignoring = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if stubborn else ""
    program.play(implementer=f"{ignoring}{HANG}time.sleep(60)")
    for seconds in (1, 5, 20):  # more where it had not started all of them by then
        seen.clear()
        settings.FOLDBACK_AGENT_SECONDS = seconds
        begun = time.monotonic()
        error = refused(shop)
        took = time.monotonic() - begun
        if len(seen) == 2:
            break
    assert (error.code, error.retryable) == ("timeout", False) and f"within {seconds} seconds" in error.detail
    assert took < seconds + 30, "as long as it sleeps"
    assert len(seen) == 2 and all(gone(pid) for pid in seen)


def test_what_it_leaves_running_is_ended_with_it(shop: Path, program: Program, seen: list[int]) -> None:
    both = "put('children', '', 'a')\nwhile len(open('children').read().split()) < 2: time.sleep(0.02)"
    program.play(implementer=HANG + both)
    ask(shop)
    assert len(seen) == 2 and all(gone(pid) for pid in seen)


def test_a_run_that_nobody_wants_any_more_ends_its_agent(
    shop: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LOOK_EVERY", 0.1)
    program.play(implementer="time.sleep(60)")

    def cancelled() -> None:
        raise InterruptedError

    request = Request("change", "change", "", "x", "", "", role="implementer", still_wanted=cancelled)
    begun = time.monotonic()
    with pytest.raises(InterruptedError):
        PROVIDER.answer(request)
    assert time.monotonic() - begun < 30, "as long as it sleeps"


# --- what it can reach ----------------------------------------------------------------------------


def test_its_environment_is_an_allowlist(
    shop: Path, program: Program, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SECRET_KEY", "DATABASE_URL", "ANTHROPIC_API_KEY", "CELERY_BROKER_URL", "MY_AGENT_KEY", "OTHER"):
        monkeypatch.setenv(name, f"value of {name}")
    settings.FOLDBACK_AGENT_ENVIRONMENT = ["MY_AGENT_KEY", "SECRET_KEY", "DATABASE_URL"]
    program.play(implementer="print(json.dumps(dict(os.environ)))")
    text = ask(shop).text
    assert text.count("value of ") == 1 and "value of MY_AGENT_KEY" in text
    assert "FOLDBACK_DATA_DIR" not in text


ATTEMPT = """
def attempt(name, act):
    try:
        print(name, 'DID', str(act())[:40])
    except Exception as error:
        print(name, 'refused', type(error).__name__)
"""


@CONFINED
def test_it_cannot_leave_its_worktree(
    shop: Path, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIDDEN_VARIABLE", "hidden")
    (tmp_path / "secret").write_text("secret")
    inside = "/".join([".."] * 12)
    program.play(
        implementer=f"""{ATTEMPT}
attempt('read', lambda: open({str(tmp_path / "secret")!r}).read())
attempt('dots', lambda: open({inside + str(tmp_path / "secret")!r}).read())
os.symlink({str(tmp_path / "secret")!r}, 'link')
attempt('link', lambda: open('link').read())
attempt('hard', lambda: os.link({str(tmp_path / "secret")!r}, 'hard'))
attempt('write', lambda: open({str(tmp_path / "written")!r}, 'w'))
attempt('remove', lambda: os.remove({str(tmp_path / "secret")!r}))
attempt('rename', lambda: os.rename({str(tmp_path / "secret")!r}, 'mine'))
attempt('shop', lambda: open({str(shop / ".git" / "config")!r}, 'a'))
attempt('hook', lambda: open({str(shop / ".git" / "hooks" / "post-commit")!r}, 'w'))
attempt('parent', lambda: open('../git/config', 'a'))
attempt('list', lambda: os.listdir({str(tmp_path)!r}))
attempt('settings', lambda: open({str(Path.cwd() / ".env.example")!r}).read())
attempt('environ', lambda: open('/proc/{os.getpid()}/environ').read())
attempt('launcher', lambda: open('/proc/%d/environ' % os.getppid()).read())
attempt('memory', lambda: open('/proc/{os.getpid()}/mem', 'rb'))
attempt('kill', lambda: os.kill({os.getpid()}, 0))
attempt('unix', lambda: socket.socket(socket.AF_UNIX))
attempt('child', lambda: subprocess.run(['cat', {str(tmp_path / "secret")!r}], check=True, capture_output=True))
put('fine.txt', 'fine')
attempt('home', lambda: open(os.path.join(os.environ['HOME'], 'cache'), 'w').write('x'))
attempt('own', lambda: subprocess.run(['git', 'log', '-1'], check=True, capture_output=True).returncode)
"""
    )
    lines = dict(line.split(" ", 1) for line in ask(shop).text.splitlines())
    assert {name for name, said in lines.items() if said.startswith("DID")} == {"home", "own"}, lines
    assert len(lines) == 20
    assert (tmp_path / "secret").read_text() == "secret" and not (tmp_path / "written").exists()


@CONFINED
def test_more_places_may_be_named(shop: Path, program: Program, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "text").write_text("of use")
    settings.FOLDBACK_AGENT_PATHS = [str(tmp_path / "library")]
    reading = "attempt('read', lambda: open(path).read())\nattempt('write', lambda: open(path, 'w'))"
    program.play(implementer=f"{ATTEMPT}path = {str(tmp_path / 'library' / 'text')!r}\n{reading}")
    assert ask(shop).text == "read DID of use\nwrite refused PermissionError\n"


def test_it_has_no_privileges(shop: Path, program: Program) -> None:
    program.play(implementer="print(open('/proc/self/status').read())")
    status = dict(line.split(":\t", 1) for line in ask(shop).text.splitlines() if ":\t" in line)
    assert (status["NoNewPrivs"], int(status["CapEff"], 16), int(status["CapBnd"], 16)) == ("1", 0, 0)


# --- what is missing ------------------------------------------------------------------------------


@pytest.mark.parametrize(("argv", "says"), [([], "FOLDBACK_AGENT_COMMAND"), (["no-such-agent"], "no-such-agent")])
def test_it_is_off_until_it_is_configured(shop: Path, settings: Settings, argv: list[str], says: str) -> None:
    settings.FOLDBACK_AGENT_COMMAND = argv
    error = refused(shop)
    assert (error.code, error.retryable) == ("not_configured", False) and says in error.detail


def test_no_shell_reads_its_argv(shop: Path, settings: Settings, tmp_path: Path) -> None:
    settings.FOLDBACK_AGENT_COMMAND = [sys.executable, "-c", "import sys; print(sys.argv[1:])", "$(id); `id` && *"]
    assert ask(shop).text == "['$(id); `id` && *', 'implementer']\n"


def test_a_repository_that_is_gone_is_told(tmp_path: Path, program: Program) -> None:
    with pytest.raises(ProviderError) as error:
        ask(tmp_path / "gone")
    assert error.value.code == "no_worktree" and "there is no" in error.value.detail


def test_a_worker_that_dies_takes_its_agent_along(shop: Path, program: Program, tmp_path: Path) -> None:
    """The launcher's parent is killed; nothing of the agent is left."""
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import subprocess, sys, json, time, os\n"
        f"plan = {{'reads': [], 'writes': [{str(tmp_path)!r}], 'grace': 0.2, 'file_size': 1000000}}\n"
        f"launch = [sys.executable, '-I', '-S', {str(running.LAUNCHER)!r}, json.dumps(plan), '--']\n"
        f"subprocess.Popen([*launch, 'sh', '-c', 'echo $$ > {tmp_path}/pid; sleep 60'])\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, str(worker)])
    pid_file = tmp_path / "pid"
    until = time.monotonic() + 50
    while not (pid_file.exists() and pid_file.read_text().strip()) and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    pid = int(pid_file.read_text())
    while not gone(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert gone(pid)
