"""Shapes: what a file looks like, and what each of its columns then is. Knows no Django.

They are in `shapes`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..files.rows import Text
from .sample import Sample, is_turns
from .scoring import Said
from .uses import TRANSCRIPT, Use

# Names under which many tools write one thing.
PROMPT = "prompt|question|instruction|query|input|user_prompt|user_input|user|problem"
CONVERSATION = "messages|history|conversations?|dialog|dialogue|chat_history"
RESPONSE = (
    "response|answer|output|completion|generation|reply|model_output|model_response|generated_text"
)
# Names of responses that have a number or a letter behind them.
NUMBERED = "(response|answer|output|completion|generation|reply|assistant|text|model_output)"
ASKS = f"{PROMPT}|{CONVERSATION}"
ASKING = {PROMPT: Use.PROMPT, CONVERSATION: Use.CONVERSATION}


@dataclass(frozen=True)
class FileShape:
    """A shape. Its names of columns are patterns in which `[*]` and dots mean themselves."""

    label: Text
    needs: tuple[str, ...]  # a column of each; the shape with the most of them is the likeliest
    uses: Mapping[str, Use] = field(default_factory=dict)  # the first that fits decides
    # With so many columns of responses they have the names of models, if no other has; 0: never.
    named: int = 0
    alone: bool = False  # its responses come without a prompt
    # An object within which the file has one of the other shapes. Then `uses` are of what is
    # beside it.
    root: str = ""
    # What speaks against a sample that has all that is needed, or None if it has not.
    judge: Callable[[Sample], "Text | None"] = lambda sample: ""
    more: Callable[[Sample], Mapping[str, Use]] = lambda sample: {}  # uses read off the sample
    said: Callable[[Sample], Mapping[str, Said]] = lambda sample: {}  # of what its ratings are
    rater: str = ""  # who rated, where no column says it


def fits(pattern: str, path: str) -> bool:
    """Tell whether a column has one of a pattern's names."""
    return bool(re.fullmatch(pattern.replace("[*]", r"\[\*\]"), path))


def chats(sample: Sample, pattern: str) -> dict[str, Use]:
    """Return the columns whose every value is a conversation that ends with the response."""
    return {
        column.name: Use.CHAT
        for column in sample.columns
        if fits(pattern, column.name)
        and column.filled
        and all(
            len(value) > 1
            if isinstance(value, list) and is_turns(value)
            else (isinstance(value, str) and TRANSCRIPT.match(value))
            for value in column.filled
        )
    }
