"""The backtest: what other thresholds would have made of the reviews that there are. It writes nothing."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from learning.acts import Scene, said
from learning.names import Synonyms
from learning.policies import WINDOW, policy
from learning.replay import Act, Past, Said, read_said
from learning.rules import Own, Rules, synonyms_at
from learning.thresholds import of_sets
from learning.triggers import THRESHOLDS, Triggers, decide
from learning.window import Loan, Window, WindowRun

SPANS = 400  # of a trigger that are kept to be drawn, the newest; they are counted all
TOLD_EVERY = 2000  # events

State = Mapping[str, Any]  # a run's trigger state as it was stored


@dataclass
class Lane:
    """One trigger by one set of thresholds. spans: [from, to] while it was on, to None where it still is."""

    of_ten: int
    reviews: int = 0  # after how many reviews it was on
    runs: int = 0  # in how many generated runs it was on
    changes: int = 0
    spans: list[list[str | None]] = field(default_factory=list)
    on: bool = False

    def move(self, on: bool, at: str) -> None:
        if on == self.on:
            return
        self.on = on
        self.changes += 1
        if on:
            self.spans = [*self.spans[1 - SPANS :], [at, None]]
        else:
            self.spans[-1][1] = at


@dataclass
class Compared:
    """One trigger: as it is today, as it would be, and how often the two are not the same."""

    today: Lane
    new: Lane
    other_reviews: int = 0
    other_runs: int = 0


@dataclass
class Result:
    """One subcategory. runs: generated here with a trigger state that tells what it came from; same: those of them
    for which exactly what was stored comes out at what was in force; untold: those stored before that was kept, or
    by a policy that looked at fewer runs than one of those compared."""

    triggers: dict[str, Compared]
    reviews: int = 0
    runs: int = 0
    same: int = 0
    untold: int = 0
    first: str | None = None
    last: str | None = None
    other_reviews: int = 0  # after which any trigger would be another one
    other_runs: int = 0
    policies: tuple[str, str] = (WINDOW, WINDOW)  # today's, and the one that was tried

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def compare(
    scene: Scene, today: Own, new: Own, rules: Rules, *, policy: str = "", tick: Callable[[int], None]
) -> Result:
    """Both sets of thresholds over one subcategory's whole history, today's by the policy in force, the new ones
    by `policy` or by the same. Nothing is borrowed. tick: how many of its events are done, now and then; it may
    raise to end it."""
    read_by = [
        Window((), rules.synonyms, scene.flow, own, rules.mark, policy=name)
        for own, name in ((today, rules.policy), (new, policy or rules.policy))
    ]
    result = Result({name: Compared(_lane(name, today), _lane(name, new)) for name in THRESHOLDS})
    result.policies = read_by[0].policy, read_by[1].policy
    past, then = Past(rules.synonyms), Then(scene.flow)
    for number, act in enumerate(scene.acts(), start=1):
        past.apply(act)
        if act.said is not None:
            then.reviews[act.said["id"]] = act.said
        _step(result, act, *(decide(past.window(one)) for one in read_by))
        if number % TOLD_EVERY == 0:
            tick(number)
    for number, state in enumerate(scene.states(), start=1):
        _generated(result, state, then, read_by)
        if number % TOLD_EVERY == 0:
            tick(0)
    return result


def _lane(name: str, own: Own) -> Lane:
    return Lane(own.of_ten.get(name, THRESHOLDS[name][1]))


def _step(result: Result, act: Act, today: Triggers, new: Triggers) -> None:
    """What one act moved. Only a review counts as one; what takes one back may switch a trigger, too."""
    at, counts = act.at.isoformat(), act.said is not None
    result.reviews += counts
    result.first, result.last = result.first or at, at
    result.other_reviews += counts and today.fired != new.fired
    for name, compared in result.triggers.items():
        both = today[name].fired, new[name].fired
        for lane, on in zip((compared.today, compared.new), both, strict=True):
            lane.move(on, at)
            lane.reviews += on and counts
        compared.other_reviews += counts and both[0] is not both[1]


def _generated(result: Result, state: State, then: "Then", read_by: list[Window]) -> None:
    """One run that was generated here: what its prompt carried, and would have carried."""
    looked = policy(_policy_of(state)).look_back if "basis" in state else None
    if looked is None or any(policy(one.policy).look_back.newest > looked.newest for one in read_by):
        result.untold += 1
        return
    result.runs += 1
    result.same += reproduced(state, then).as_json() == stored(state)
    events = then.events(state)
    today, new = (decide(one.over([read_said(said, one.synonyms) for said in events])) for one in read_by)
    result.other_runs += today.fired != new.fired
    for name, compared in result.triggers.items():
        compared.today.runs += today[name].fired
        compared.new.runs += new[name].fired
        compared.other_runs += today[name].fired is not new[name].fired


def _policy_of(state: State) -> str:
    """That of a stored state; those from before there was another one name none."""
    return str(state["basis"].get("policy", WINDOW))


def reproduced(state: State, then: "Then") -> Triggers:
    """The triggers of a stored state once more: its reviews, by the policy, thresholds and names in force then."""
    basis = state["basis"]
    synonyms = then.synonyms(basis["synonyms"])
    runs: list[WindowRun] = [read_said(said, synonyms) for said in then.events(state)]
    read_by = Window(
        (),
        synonyms,
        then.flow,
        then.thresholds(tuple(basis["thresholds"])),
        basis["synonyms"],
        policy=_policy_of(state),
        loan=Loan.from_json(basis["loan"]) if "loan" in basis else Loan(),
    )
    return decide(read_by.over(runs))


def stored(state: State) -> dict[str, Any]:
    """A stored state without what it came from."""
    return {name: value for name, value in state.items() if name != "basis"}


@dataclass
class Then:
    """What stored states name, each read once: reviews, sets of thresholds, merged names. None of it changes."""

    flow: str
    reviews: dict[int, Said] = field(default_factory=dict)
    _synonyms: dict[int, Synonyms] = field(default_factory=dict)
    _thresholds: dict[tuple[int, ...], Own] = field(default_factory=dict)

    def events(self, state: State) -> list[list[Said]]:
        """The reviews of a state's runs, oldest run first."""
        groups: list[list[int]] = state["basis"]["events"]
        lost = [key for group in groups for key in group if key not in self.reviews]
        self.reviews |= said(lost) if lost else {}  # of runs that are elsewhere now
        return [[self.reviews[key] for key in group] for group in groups]

    def synonyms(self, mark: int) -> Synonyms:
        if mark not in self._synonyms:
            self._synonyms[mark] = synonyms_at(self.flow, mark)
        return self._synonyms[mark]

    def thresholds(self, sets: tuple[int, ...]) -> Own:
        if sets not in self._thresholds:
            self._thresholds[sets] = of_sets(list(sets))
        return self._thresholds[sets]
