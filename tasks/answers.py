"""All that is entered in a rating form, as values, and the names of its fields. No Django.

`Answers` is what a page sends, a draft stores, the evaluation judges and a rating is made of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import NamedTuple

from rubrics import schema
from rubrics.scales import BLANK

TICKED = "yes"
NONE_OF_THESE = "none_of_these"
# Used in place of the code of a dimension.
COMMENT, FACT, WHOLE = schema.COMMENT, "fact", "response"
NOT_SURE = "not_sure"
# Parts of a check. With the code of the check, `.lines` is also how marked lines are stored.
ASKED, LINE, LINES = "asked", "line.", ".lines"
SHOWN = "shown"  # the answer about a corpus that the page was shown
# The score that was entered before a rule forced another one. It is no check, and not stored.
SCORE, OWN = "score", "own"
# Of responses by their place on the desk: A, B, …, Z, AA, AB and so on.
LABELS = [first + last for first in ("", *ascii_uppercase) for last in ascii_uppercase]


# Names are made and read here only. They are stable: pages, stored drafts and browsers use
# them. r1 is the first response shown, s1 a candidate set, and m1 the corpus of its model.
#
#     comment, not_sure                   of the whole item
#     r1.comment                          of a response
#     r1.response.harmful                 the answer to a check of the whole response
#     r1.quality                          a score; "-" for the answer without one
#     r1.quality.score.own                the score that was entered before one was forced
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
    part: str = ""  # ASKED, SHOWN, OWN, LINE and a number, or a field of `Claim`

    def __str__(self) -> str:
        return ".".join(filter(None, self))

    @classmethod
    def read(cls, name: str) -> FieldName:
        return cls(*name.split(".", 3))


@dataclass(frozen=True)  # without slots, because of cached_property
class SlotAnswers:
    """All that is entered at one slot: a dimension of one target. Equal ones are equal cache keys.

    A comment is the only value of its slot, and the claims of a response are one slot.
    """

    # (check, part, value), sorted. Without a check it is the score, or the comment.
    given: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of(cls, given: Iterable[tuple[str, str, str]]) -> SlotAnswers:
        return cls(tuple(sorted(each for each in given if each[2])))

    @classmethod
    def stored(cls, value: int | None, checks: Mapping[str, str], without: str = "") -> SlotAnswers:
        """Return the answers that are stored with a score, as `checks` has them.

        `without`: why there is no score.
        """
        score = "" if value is None else str(value)
        given = [("", "", BLANK if without == schema.Without.BLANK else score)]
        for code, said in checks.items():
            check, is_lines, _ = code.partition(LINES)
            if is_lines:
                given += ((check, f"{LINE}{line}", TICKED) for line in said.split(","))
            else:
                given.append((check, "", said))
        return cls.of(given)

    @cached_property
    def _values(self) -> dict[tuple[str, str], str]:
        return {(check, part): value for check, part, value in self.given}

    def to(self, check: str = "", part: str = "") -> str:
        """Return the answer to a check, TICKED for a tick; "" for none."""
        return self._values.get((check, part), "")

    @property
    def own_score(self) -> str:
        """The score that was entered, even if a rule forces another one since."""
        return self.to() or self.to(SCORE, OWN)

    def with_own_score(self) -> SlotAnswers:
        """Return these answers with the score that was entered before one was forced."""
        return self | SlotAnswers.of([("", "", self.own_score)])

    def lines(self, check: str) -> list[int]:
        """Return the numbers of the lines marked with an answer, from 1."""
        parts = (part for code, part, _value in self.given if code == check)
        return sorted(int(part.removeprefix(LINE)) for part in parts if part.startswith(LINE))

    @property
    def checks(self) -> dict[str, str]:
        """The answers by the code of their check, as they are stored with the score.

        The answer to a question of the program is one, too. The numbers of marked lines stand
        under the code and `.lines`: "1,3".
        """
        found = {check: value for check, part, value in self.given if check and part in ("", ASKED)}
        marked = {f"{check}{LINES}": ",".join(map(str, self.lines(check))) for check in found}
        return found | {code: lines for code, lines in marked.items() if lines}

    def __or__(self, other: SlotAnswers) -> SlotAnswers:
        """Return these answers, updated by those of `other`."""
        values = self._values | other._values
        return SlotAnswers.of((*part, value) for part, value in values.items())


class Claim(NamedTuple):
    """A claim that the annotator looks up, as its fields have it."""

    claim: str = ""
    outcome: str = ""
    sources: str = ""  # addresses, one a line
    clock: str = ""  # the text of a `Clock`; "" for none


@dataclass(frozen=True, slots=True)
class Answers:
    """All that is entered in a form."""

    slots: Mapping[tuple[str, str], SlotAnswers]  # by target and dimension

    @classmethod
    def of(cls, given: Iterable[tuple[FieldName, str]]) -> Answers:
        """Return the answers among these values of fields."""
        slots: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
        for (target, dimension, check, part), value in given:
            if value and (dimension or target in (COMMENT, NOT_SURE)):
                slots[target, dimension].append((check, part, value))
        return cls({slot: SlotAnswers.of(given) for slot, given in slots.items()})

    @classmethod
    def read(cls, fields: Mapping[str, str]) -> Answers:
        return cls.of((FieldName.read(name), value) for name, value in fields.items())

    def fields(self) -> dict[str, str]:
        """Return the answers by the name of their field."""
        return {
            str(FieldName(*names, check, part)): value
            for names, slot in self.slots.items()
            for check, part, value in slot.given
        }

    def at(self, target: str, dimension: str = "") -> SlotAnswers:
        """Return what is entered at one slot."""
        return self.slots.get((target, dimension)) or SlotAnswers()

    def claim(self, target: str, number: int) -> Claim:
        """Return a claim about a response, by its number."""
        slot = self.at(target, FACT)
        return Claim(*(slot.to(str(number), part) for part in Claim._fields))

    @property
    def has_claims(self) -> bool:
        return any(dimension == FACT for _target, dimension in self.slots)


NO_ANSWERS = Answers({})
