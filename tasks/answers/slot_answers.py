"""All that is entered in a rating form, as values, and the names of its fields. No Django.

`Answers` is what a page sends, a draft stores, the evaluation judges and a rating is made of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from string import ascii_uppercase
from typing import NamedTuple

from rubrics.judging import parts as rubric_parts
from rubrics.judging.kinds import Without
from rubrics.judging.scales import BLANK

TICKED = "yes"
# Used in place of the code of a dimension.
COMMENT, FACT, WHOLE = rubric_parts.COMMENT, "fact", "response"
NOT_SURE = "not_sure"
REPLY = "reply"  # to the questions of leads about a rating that came back
# Parts of a check. With the code of the check, `.lines` is also how marked lines are stored.
ASKED, LINE, LINES = "asked", "line.", ".lines"
SHOWN = "shown"  # the answer about a corpus that the page was shown
# The score that was entered before a rule forced another one. It is no check, and not stored.
SCORE, OWN = "score", "own"
# Of responses by their place on the desk: A, B, …, Z, AA, AB and so on.
LABELS = ["".join(letters) for letters in product(("", *ascii_uppercase), ascii_uppercase)]


# Names are made and read here only. They are stable: pages, stored drafts and browsers use
# them. r1 is the first response shown, s1 a candidate set, and m1 the corpus of its model.
#
#     comment, not_sure, reply            of the whole item
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


# (check, part, value). Without a check it is the score, or the comment.
Entry = tuple[str, str, str]


@dataclass(frozen=True)  # without slots, because of cached_property
class SlotAnswers:
    """All that is entered at one slot: a dimension of one target. Equal ones are equal cache keys.

    A comment is the only value of its slot, and the claims of a response are one slot.
    """

    entries: tuple[Entry, ...] = ()  # sorted

    @classmethod
    def of(cls, raw_entries: Iterable[Entry]) -> SlotAnswers:
        """Return the answers among these entries, which may have empty values."""
        return cls(tuple(sorted(entry for entry in raw_entries if entry[2])))

    @classmethod
    def stored(
        cls, value: int | None, check_answers: Mapping[str, str], without: str = ""
    ) -> SlotAnswers:
        """Return the answers that are stored with a score, as `check_answers` has them.

        `without`: why there is no score.
        """
        score = "" if value is None else str(value)
        if without == Without.BLANK:
            score = BLANK
        entries = [("", "", score)]
        for code, answer in check_answers.items():
            check, is_lines, _ = code.partition(LINES)
            if is_lines:
                entries += ((check, f"{LINE}{line}", TICKED) for line in answer.split(","))
            else:
                entries.append((check, "", answer))
        return cls.of(entries)

    @cached_property
    def _values(self) -> dict[tuple[str, str], str]:
        return {(check, part): value for check, part, value in self.entries}

    def to(self, check: str = "", part: str = "") -> str:
        """Return the answer to a check, TICKED for a tick; "" for none."""
        return self._values.get((check, part), "")

    @property
    def typed_score(self) -> str:
        """The score that was entered, even if a rule forces another one since."""
        return self.to() or self.to(SCORE, OWN)

    def with_typed_score(self) -> SlotAnswers:
        """Return these answers with the score that was entered before one was forced."""
        return self | SlotAnswers.of([("", "", self.typed_score)])

    def lines(self, check: str) -> list[int]:
        """Return the numbers of the lines marked with an answer, from 1."""
        parts = (part for code, part, _value in self.entries if code == check)
        return sorted(int(part.removeprefix(LINE)) for part in parts if part.startswith(LINE))

    @property
    def checks(self) -> dict[str, str]:
        """The answers by the code of their check, as they are stored with the score.

        The answer to a question of the program is one, too. The numbers of marked lines stand
        under the code and `.lines`: "1,3".
        """
        answers_by_check: dict[str, str] = {}
        for check, part, value in self.entries:
            if check and part in ("", ASKED):
                answers_by_check[check] = value
        for check in list(answers_by_check):
            if lines := self.lines(check):
                answers_by_check[f"{check}{LINES}"] = ",".join(map(str, lines))
        return answers_by_check

    def __or__(self, newer: SlotAnswers) -> SlotAnswers:
        """Return these answers, updated by those of `newer`."""
        values = self._values | newer._values
        return SlotAnswers.of((*part, value) for part, value in values.items())


class Claim(NamedTuple):
    """A claim that the annotator looks up, as its fields have it."""

    claim: str = ""
    outcome: str = ""
    sources: str = ""  # addresses, one a line
    clock: str = ""  # the text of a `Clock`; "" for none

    @property
    def is_blank(self) -> bool:
        """True if nothing but a clock is there."""
        return not (self.claim.strip() or self.outcome or self.sources.strip())


@dataclass(frozen=True, slots=True)
class Answers:
    """All that is entered in a form."""

    slots: Mapping[tuple[str, str], SlotAnswers]  # by target and dimension

    @classmethod
    def of(cls, field_values: Iterable[tuple[FieldName, str]]) -> Answers:
        """Return the answers among these values of fields."""
        entries_by_slot: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        for (target, dimension, check, part), value in field_values:
            if value and (dimension or target in (COMMENT, NOT_SURE, REPLY)):
                entries_by_slot[target, dimension].append((check, part, value))
        return cls({slot: SlotAnswers.of(entries) for slot, entries in entries_by_slot.items()})

    @classmethod
    def read(cls, value_by_field: Mapping[str, str]) -> Answers:
        return cls.of((FieldName.read(name), value) for name, value in value_by_field.items())

    def fields(self) -> dict[str, str]:
        """Return the answers by the name of their field."""
        fields: dict[str, str] = {}
        for (target, dimension), slot in self.slots.items():
            for check, part, value in slot.entries:
                fields[str(FieldName(target, dimension, check, part))] = value
        return fields

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
