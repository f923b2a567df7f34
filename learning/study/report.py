"""The study as a document: its tables and its figure, all of one seed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from django.template import Context, Engine

from generation.tokens import tokens_about
from learning.guidance import shipped_text
from learning.policies import borrowing, evidence
from learning.policies.steady import LOOK_BACK
from learning.study import frank, memory, scenarios, thin
from learning.study.figure import svg
from learning.study.scenarios import GRID, GRID_POLICIES, NOTHING, ORACLE, POLICIES, WORLDS, Met, Point, met
from learning.study.trial import Counts, run, total, uplift
from learning.study.world import World

TEXT = Path(__file__).with_name("study.md.txt")
GUIDANCE = "wrong_information.extraction"  # whose length stands for all
STEADY, WINDOW = "`steady`", "`window`"
Tick = Callable[[str], None]


@dataclass(frozen=True)
class Study:
    """repeats: of each world under each policy; what takes long is repeated a third as often."""

    worlds: list[Met]
    grid: list[Met]
    points: list[Point]
    thin: dict[str, dict[str, Counts]]
    agreement: dict[float, float]
    frank: dict[str, Counts]
    streams: int
    repeats: int
    seed: int

    def met(self, world: World) -> Met:
        return next(one for one in self.worlds if one.world is world)


def study(repeats: int, seed: int, data: Path | None, tick: Tick = lambda done: None) -> Study:
    """data: the labels of FRANK; left out where they are absent."""
    fewer = max(1, repeats // 3)
    worlds = []
    for world in WORLDS:
        worlds.append(met(world, repeats, seed))
        tick(world.name)
    grid = [met(world, fewer, seed, GRID_POLICIES) for world in GRID]
    tick("grid")
    points = scenarios.frontier(repeats, seed)
    tick("frontier")
    lent = {
        name: {policy: thin.run(rates, make, fewer, seed) for policy, make in thin.THIN.items()}
        for name, rates in thin.CATEGORIES.items()
    }
    tick("thin")
    agreement = {rate: memory.agreement(rate, max(1, repeats // 15), seed) for rate in memory.RATES}
    tick("look back")
    streams = frank.streams(data) if data and data.is_file() else []
    real = {
        name: total(run(stream, make, max(1, repeats // 15), seed) for stream in streams)
        for name, make in (POLICIES.items() if streams else ())
    }
    tick("FRANK")
    return Study(worlds, grid, points, lent, agreement, real, len(streams), repeats, seed)


def write(found: Study, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.md").write_text(document(found), encoding="utf-8")
    (folder / "study.svg").write_text(svg(found.points, f"{evidence.BOUNDS.enter:g}"), encoding="utf-8")


def document(found: Study) -> str:
    words = {
        "goals": _goals(found),
        "worlds": _worlds(found),
        "points": _points(found),
        "grid": _grid(found),
        "thin": _thin(found),
        "agreement": table(
            ["true rate", *(f"{rate:.0%}" for rate in found.agreement)],
            [["same state", *(f"{share:.1%}" for share in found.agreement.values())]],
        ),
        "frank": _frank(found) if found.frank else "",
        "streams": found.streams,
        "repeats": found.repeats,
        "fewer": max(1, found.repeats // 3),
        "seed": found.seed,
        "bounds": evidence.BOUNDS,
        "look_back": LOOK_BACK,
        "borrowed": evidence.BORROWED_REVIEWS,
        "lenders": borrowing.LENDERS,
        "lent": borrowing.LENT,
        "memory": memory,
        "tokens": _tokens(),
    }
    return (
        Engine(autoescape=False)
        .from_string(TEXT.read_text(encoding="utf-8"))
        .render(Context(words, autoescape=False))
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [list(head), *map(list, rows)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * len(cells[0]), *lines[1:]])


def _tokens() -> int:
    return tokens_about(shipped_text("item", GUIDANCE))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _reviews(delay: float | None) -> str:
    return "–" if delay is None else f"{delay:.1f}"


def _goals(found: Study) -> str:
    common, rare, jump = (found.met(one) for one in (scenarios.COMMON, scenarios.RARE, scenarios.JUMP))
    rows: list[tuple[str, str, Callable[[str], str]]] = [
        ("share of the oracle's uplift at 40 %", "at least 95 %", lambda name: _percent(common.uplift(name))),
        ("errors outside the holdout at 40 %", "", lambda name: _percent(common.by[name].error_rate)),
        (
            "switches per 100 reviews at 40 %",
            "at most 3",
            lambda name: f"{common.by[name].switches_per_100:.2f}",
        ),
        ("reviews on at a true 10 %", "at most 2 %", lambda name: _percent(rare.by[name].share_on)),
        ("mean delay after a jump", "at most 22", lambda name: _reviews(jump.by[name].delay)),
    ]
    return table(
        ["", "asked", STEADY, WINDOW],
        ([what, asked, of(STEADY), of(WINDOW)] for what, asked, of in rows),
    )


def _worlds(found: Study) -> str:
    def row(one: Met, name: str) -> list[str]:
        counts = one.by[name]
        return [
            one.world.name,
            name,
            _percent(counts.error_rate),
            _percent(one.uplift(name)),
            f"{counts.switches_per_100:.2f}",
            _percent(counts.share_on),
            _percent(counts.share_needless),
            f"{_tokens() * 100 * counts.share_guided:.0f}",
            _reviews(counts.delay),
        ]

    head = ["world", "policy", "errors", "uplift", "switches", "on", "needless", "tokens", "delay"]
    return table(head, (row(one, name) for one in found.worlds for name in one.by))


def _points(found: Study) -> str:
    return table(
        ["enters at", "uplift", "needless at 10 %", "delay", "to let go"],
        (
            [
                one.label,
                _percent(one.uplift),
                f"{100 * one.needless:.2f} %",
                _reviews(one.delay),
                _reviews(one.let_go),
            ]
            for one in found.points
        ),
    )


def _grid(found: Study) -> str:
    def row(one: Met) -> list[str]:
        both = [one.by[name] for name in (WINDOW, STEADY)]
        return [
            one.world.name,
            *(_percent(one.by[name].error_rate) for name in (NOTHING, WINDOW, STEADY, ORACLE)),
            *(f"{counts.switches_per_100:.2f}" for counts in both),
            *(_percent(counts.share_on) for counts in both),
        ]

    head = [
        "unguided to guided",
        NOTHING,
        WINDOW,
        STEADY,
        ORACLE,
        "switches, `window`",
        "`steady`",
        "on, `window`",
        "`steady`",
    ]
    return table(head, map(row, found.grid))


def _thin(found: Study) -> str:
    return table(
        ["category", "policy", "errors", "switches", "on", "needless"],
        (
            [
                category,
                name,
                _percent(counts.error_rate),
                f"{counts.switches_per_100:.2f}",
                _percent(counts.share_on),
                _percent(counts.share_needless),
            ]
            for category, by in found.thin.items()
            for name, counts in by.items()
        ),
    )


def _frank(found: Study) -> str:
    return table(
        ["policy", "flagged", "uplift", "switches", "on", "needless"],
        (
            [
                name,
                _percent(counts.error_rate),
                _percent(uplift(counts, found.frank[NOTHING], found.frank[ORACLE])),
                f"{counts.switches_per_100:.2f}",
                _percent(counts.share_on),
                _percent(counts.share_needless),
            ]
            for name, counts in found.frank.items()
        ),
    )
