"""One line of the influence map."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One line of the map, for one stage.

    signal: the field of a review that raises it, by the value `raised_by`. trigger: the window's; "" where only
    the own review may speak. fills: the name of the `{…}` in the text that takes what a person wrote, as quoted
    data. steers: the boolean of `Guidance` that it turns, beside its words. rank: where the budget is too small,
    what has the highest rank gives way first.
    """

    signal: str
    stage: str
    text: str
    trigger: str = ""
    raised_by: bool = True
    fills: str = ""
    steers: str = ""
    rank: int = 5
    name: str = ""  # in its key, where a signal has two lines for one stage

    @property
    def key(self) -> str:
        return f"{self.name or self.signal}.{self.stage}"
