"""The fields of the forms of a part, from the document and as a form sent them.

A form has texts alone. They are as they were entered: `documents.document` says what is wrong.
Beside the text under "More" stand its `slips`: the faults for which it cannot be read.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class ConditionLine:
    """Several facts, and how many of them must hold."""

    how: str = ""
    facts: tuple[str, ...] = ()
    least: str = ""


@dataclass(frozen=True)
class ConditionFields:
    """A condition: its only fact, or a line for each kind of several. The last line is blank."""

    one: str = ""
    lines: tuple[ConditionLine, ...] = (ConditionLine(),)


@dataclass(frozen=True, kw_only=True)
class ListRow:
    """A row of a list."""

    number: int = 0  # where the form has it
    at: str = ""  # what it changes: a code, or the place of an example; "" for a new row
    more: str = ""
    slips: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerFields:
    """An answer to a question. One without a code is new."""

    at: str = ""
    wording: str = ""


@dataclass(frozen=True, kw_only=True)
class CheckRow(ListRow):
    """A question or a tick."""

    kind: str = "tick"
    wording: str = ""
    help: str = ""
    best: str = ""
    is_of_response: bool = False
    when: ConditionFields = ConditionFields()
    answers: tuple[AnswerFields, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RuleRow(ListRow):
    """A rule."""

    effect: str = "cap"
    reason: str = ""
    clause: str = ""
    score: str | None = None
    scores: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    when: ConditionFields = ConditionFields()
    needs: ConditionFields = ConditionFields()


@dataclass(frozen=True, kw_only=True)
class ExampleRow(ListRow):
    """An example. A field that it does not have is None."""

    score: str | None = None
    checks: tuple[str, ...] = ()
    why: str = ""
    prompt: str | None = ""
    response: str | None = ""


@dataclass(frozen=True)
class LevelLine:
    """A score with its texts. A form shows its colour, and if it is an end of the scale."""

    score: str = ""
    label: str = ""
    definition: str = ""
    is_end: bool = False
    shade: str = ""


@dataclass(frozen=True, kw_only=True)
class AboutFields:
    """The texts about the whole rubric."""

    title: str = ""
    summary: str = ""
    language: str = ""
    slug: str = ""
    more: str = ""
    slips: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ScaleFields:
    """The texts of a dimension, its scale and its levels.

    The last ones are only shown. `others` are the dimensions whose levels it may have: their codes
    and titles.
    """

    title: str = ""
    question: str = ""
    preset: str = ""
    lowest: str = ""
    highest: str = ""
    same: str = ""
    ends: bool = False
    better: str = ""
    may_not_apply: bool = False
    blank: str = ""
    levels: tuple[LevelLine, ...] = ()
    more: str = ""
    slips: tuple[str, ...] = ()
    code: str = ""
    is_long: bool = False  # too long for a line for each score
    others: tuple[tuple[str, str], ...] = ()
    sharing: tuple[str, ...] = ()  # titles of the dimensions that have its levels


@dataclass(frozen=True)
class CheckRows:
    """The questions and ticks of a part."""

    rows: tuple[CheckRow, ...] = ()


@dataclass(frozen=True)
class RuleRows:
    """The rules of a dimension."""

    rows: tuple[RuleRow, ...] = ()


@dataclass(frozen=True)
class ExampleRows:
    """The examples of a dimension."""

    rows: tuple[ExampleRow, ...] = ()


PartFields: TypeAlias = AboutFields | ScaleFields | CheckRows | RuleRows | ExampleRows
