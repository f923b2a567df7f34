"""What the stage of a prompt means for its trial."""

from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.models import Prompt


def judges(prompt: Prompt) -> bool:
    """A judge's prompt is tried on the records that there are; any other makes the record anew."""
    stages = flow_named(prompt.flow).stages if prompt.flow in FLOWS else {}
    return prompt.stage in stages and stages[prompt.stage].judges
