"""Open event streams on one web process, over real HTTP: what they cost in silence, and how late they tell."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from uuid import UUID

from tests.benchmarks.application import start
from tests.benchmarks.measuring import report

start()
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from generation import progress  # noqa: E402
from generation.access import make_key  # noqa: E402
from generation.models import Run, Status  # noqa: E402
from tests.ports import free_port  # noqa: E402

SETTLES = 3
AT_ONCE = 50  # streams that are opened in the same moment
TICK = os.sysconf("SC_CLK_TCK")


class Web:
    """The one web process of an installation, on a port of its own."""

    def __init__(self) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(self.port)]
        environment = {**os.environ, "FOLDBACK_API_CALLS_PER_MINUTE": "0"}
        self.process = subprocess.Popen([*command, "--no-access-log"], env=environment)
        while self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError("the web process ended")

    @property
    def mib(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    @property
    def cpu_seconds(self) -> float:
        told = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / TICK

    @property
    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def follow(port: int, run_id: UUID, secret: str) -> Stream:
    """An open stream, its head read."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"GET /api/v1/runs/{run_id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {secret}\r\n\r\n"
    )
    writer.write(head.encode())
    answer = await reader.readuntil(b"\r\n\r\n")
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(answer.decode())
    return reader, writer


async def told(reader: asyncio.StreamReader, word: bytes) -> float:
    """When the stream says it."""
    while word not in (line := await reader.readline()):
        if not line:
            raise RuntimeError("the stream ended")
    return time.perf_counter()


def connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def statements() -> int:
    """Transactions that the database has ended, each of which is a statement where nothing groups them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


async def measure(web: Web, ids: list[UUID], secret: str, seconds: float) -> None:
    await asyncio.to_thread(Run.objects.count)
    (await follow(web.port, ids[0], secret))[1].close()  # what the process keeps for all is there by now
    await asyncio.sleep(SETTLES)
    memory = web.mib
    began = time.perf_counter()
    streams: list[Stream] = []
    for at in range(0, len(ids), AT_ONCE):
        streams += await asyncio.gather(*(follow(web.port, run_id, secret) for run_id in ids[at : at + AT_ONCE]))
    opened = time.perf_counter() - began
    await asyncio.sleep(SETTLES)
    cpu, asked = web.cpu_seconds, await asyncio.to_thread(statements)
    await asyncio.sleep(seconds)
    cpu, asked = web.cpu_seconds - cpu, await asyncio.to_thread(statements) - asked
    facts = {"threads": web.threads, "database_connections": await asyncio.to_thread(connections)}
    waiting = [asyncio.ensure_future(told(reader, b"extraction")) for reader, _ in streams]
    sent = await asyncio.to_thread(_enter_all, ids)
    late = sorted(await asyncio.wait_for(asyncio.gather(*waiting), 60))
    report(
        f"{len(ids)} open streams on one web process",
        held=len(late),
        opened_per_second=round(len(ids) / opened),
        mib=round(web.mib),
        mib_before=round(memory),
        kib_per_stream=round((web.mib - memory) * 1024 / len(ids), 1),
        cpu_percent=round(100 * cpu / seconds, 1),
        statements_per_second=round(asked / seconds, 1),
        p50_ms=round(1000 * (late[len(late) // 2] - sent)),
        last_ms=round(1000 * (late[-1] - sent)),
        **facts,
    )
    for _, writer in streams:
        writer.close()


def _enter_all(ids: list[UUID]) -> float:
    """Every run enters a stage, all in one moment; when that was."""
    with transaction.atomic():
        for run_id in ids:
            progress.entered(run_id, "extraction", badge="", round=1, attempt=1)
    return time.perf_counter()


def main(count: int, seconds: float) -> None:
    call_command("migrate", verbosity=0)
    runs = [Run(flow="item", source={"title": str(n)}, status=Status.GENERATING) for n in range(count)]
    ids = [run.pk for run in Run.objects.bulk_create(runs)]
    _key, secret = make_key("bench", scopes=["read"])
    web = Web()
    try:
        asyncio.run(measure(web, ids, secret, seconds))
    finally:
        web.stop()


if __name__ == "__main__":
    main(*((20, 1.0) if "short" in sys.argv else (500, 10.0)))
