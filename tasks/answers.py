"""All that is entered in a rating form, as values, and the names of its fields. No Django.

`Answers` is what a page sends, a draft stores, the evaluation judges and a rating is made of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

TICKED = "yes"
NONE_OF_THESE = "none_of_these"
# In the place of a dimension.
COMMENT, FACT = "comment", "fact"
NOT_SURE = "not_sure"
# Parts of a check. With the code of the check, `.lines` is also how marked lines are stored.
ASKED, LINE, LINES = "asked", "line.", ".lines"
NOTHING: Mapping[Any, Any] = MappingProxyType({})


# Names are made and read here only. They are stable: they stand on pages, in stored drafts and in
# browsers. r1 is the first response shown, s1 a candidate set, and m1 the corpus of its model.
#
#     comment, not_sure                   of the whole item
#     r1.comment                          of a response
#     r1.quality                          a score
#     r1.quality.honest                   the answer to a check, or its tick
#     r1.quality.repeats_itself.asked     the answer to a question that the program asked
#     r1.consistency.contradicts.line.3   a line of the persona that an answer is about
#     m1.diversity.corpus_high            an answer about a corpus
#     r1.fact.1.claim                     a field of the first claim looked up
class FieldName(NamedTuple):
    """The name of a field, by its parts; `str` joins them."""

    target: str  # r1, s1 or m1; of the whole item the name itself
    dimension: str = ""  # its code, COMMENT or FACT
    check: str = ""  # its code, or the number of a claim
    part: str = ""  # ASKED, LINE and a number, or a field of `Claim`

    def __str__(self) -> str:
        return ".".join(filter(None, self))

    @classmethod
    def read(cls, name: str) -> FieldName:
        return cls(*name.split(".", 3))


@dataclass(frozen=True)  # without slots, because of cached_property
class SlotAnswers:
    """The answers at one slot: a dimension of one target. Equal ones are equal cache keys."""

    # (check, part, value), sorted. Without a check it is the score.
    given: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of(cls, given: Iterable[tuple[str, str, str]]) -> SlotAnswers:
        return cls(tuple(sorted(each for each in given if each[2])))

    @classmethod
    def stored(
        cls, value: int, checks: Mapping[str, str], asked: Mapping[str, str] = NOTHING
    ) -> SlotAnswers:
        """Return the answers that a score is stored with, see `checks`.

        `asked` are the answers to questions of the program, by the code of their check.
        """
        given = [("", "", str(value)), *((code, ASKED, said) for code, said in asked.items())]
        for code, said in checks.items():
            if code.endswith(LINES):
                numbers = said.split(",")
                given += ((code.removesuffix(LINES), f"{LINE}{each}", TICKED) for each in numbers)
            elif code not in asked:
                given.append((code, "", said))
        return cls.of(given)

    @cached_property
    def _values(self) -> dict[tuple[str, str], str]:
        return {(check, part): value for check, part, value in self.given}

    @property
    def score(self) -> str:
        return self.to("")

    def to(self, check: str, part: str = "") -> str:
        """Return the answer to a check, TICKED for a tick; "" for none."""
        return self._values.get((check, part), "")

    def lines(self, check: str) -> tuple[int, ...]:
        """Return the numbers of the lines marked with an answer, from 1."""
        parts = (part for code, part, _value in self.given if code == check)
        return tuple(sorted(int(part[len(LINE) :]) for part in parts if part.startswith(LINE)))

    @property
    def checks(self) -> dict[str, str]:
        """The answers by the code of their check, as they are stored with the score.

        The answer to a question of the program is one, too. The numbers of marked lines stand
        under the code and `.lines`: "1,3".
        """
        found = {check: value for check, part, value in self.given if check and part in ("", ASKED)}
        marked = {check: self.lines(check) for check in found}
        return found | {
            f"{check}{LINES}": ",".join(map(str, lines)) for check, lines in marked.items() if lines
        }

    @property
    def asked(self) -> dict[str, str]:
        """The answers to questions of the program, by the code of their check."""
        return {check: value for check, part, value in self.given if part == ASKED}

    def __or__(self, other: SlotAnswers) -> SlotAnswers:
        """Return these answers, and those of `other` in place of the same ones."""
        values = self._values | other._values
        return SlotAnswers.of((*place, value) for place, value in values.items())


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that the annotator looks up, as its fields have it."""

    claim: str = ""
    outcome: str = ""
    sources: str = ""  # addresses, one a line
    clock: str = ""  # the text of a `Clock`; "" for none

    @property
    def blank(self) -> bool:
        return not (self.claim.strip() or self.outcome or self.sources.strip())


CLAIM_FIELDS = tuple(each.name for each in fields(Claim))
EMPTY = SlotAnswers()


@dataclass(frozen=True, slots=True)
class Answers:
    """All that is entered in a form."""

    # By target and dimension; claims by target and number, from 1; comments by target.
    slots: Mapping[tuple[str, str], SlotAnswers] = field(default_factory=dict)
    claims: Mapping[tuple[str, int], Claim] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    comment: str = ""
    not_sure: bool = False

    @classmethod
    def read(cls, sent: Mapping[str, str]) -> Answers:
        """Return the answers in fields, by their names. Other fields are left out."""
        slots: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
        claims: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
        comments = {}
        for name, value in sent.items():
            target, dimension, check, part = FieldName.read(name)
            if dimension == FACT and part in CLAIM_FIELDS:
                claims[target, int(check)][part] = value
            elif dimension == COMMENT:
                comments[target] = value
            elif dimension:
                slots[target, dimension].append((check, part, value))
        return cls(
            {place: SlotAnswers.of(given) for place, given in slots.items()},
            {place: Claim(**given) for place, given in claims.items()},
            comments,
            sent.get(COMMENT, ""),
            NOT_SURE in sent,
        )

    def fields(self) -> dict[str, str]:
        """Return the answers by the name of their field, without empty ones."""
        return {str(name): value for name, value in self._fields() if value}

    def _fields(self) -> Iterator[tuple[FieldName, str]]:
        yield FieldName(COMMENT), self.comment
        yield FieldName(NOT_SURE), TICKED if self.not_sure else ""
        for target, text in self.comments.items():
            yield FieldName(target, COMMENT), text
        for place, slot in self.slots.items():
            yield from (
                (FieldName(*place, check, part), value) for check, part, value in slot.given
            )
        for (target, number), claim in self.claims.items():
            for part in CLAIM_FIELDS:
                yield FieldName(target, FACT, str(number), part), getattr(claim, part)

    def at(self, target: str, dimension: str) -> SlotAnswers:
        return self.slots.get((target, dimension), EMPTY)
