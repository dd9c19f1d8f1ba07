"""A column as a candidate for a use: its name within what counts, and what it holds."""

import re
from dataclasses import dataclass
from functools import cached_property

from .items import SPEAKER
from .names import TABLE, Meaning, Strength, meaning, variant
from .profile import WORDS, ColumnProfile, ValueKind
from .turns import TRANSCRIPT, as_ours
from .uses import ANSWERED, Use

LABEL = 30  # characters of a text that may be a label
MOST_LABELS = 12
PROSE = 20  # characters of longer texts, on average
ANSWERS = frozenset(
    ["yes", "no", "true", "false", "ja", "nein", "oui", "non", "a", "b", "c", "d", "e", "maybe"]
)
PLACEHOLDER = re.compile(r"\{\{?\s*[\w.]*\s*\}?\}|<[a-z_]+>|%s|\[[A-Z_]+\]")
A_NAME = re.compile(r"[\w.:/@+ -]{1,80}")


@dataclass(frozen=True)
class Candidate:
    """A column that may be used."""

    name: str  # its path within what counts
    column: ColumnProfile
    rows: int  # of the file

    @property
    def path(self) -> str:
        return self.column.path

    @cached_property
    def meaning(self) -> Meaning | None:
        """The meaning of its name, also with a number or a letter in it."""
        return meaning(self.name) or TABLE.get(variant(self.name)[0])

    @property
    def use(self) -> Use | None:
        return self.meaning and self.meaning.use

    @property
    def strength(self) -> int:
        return self.meaning.strength if self.meaning else 0

    @cached_property
    def has_words(self) -> bool:
        """True if it holds texts, lists of them, or turns."""
        return self.column.filled > 0 and self.column.share(*WORDS) >= 0.5

    @cached_property
    def has_turns(self) -> bool:
        return self.column.share(ValueKind.TURNS) >= 0.5

    @cached_property
    def is_constant(self) -> bool:
        return self.column.distinct == 1 and self.column.filled > 1

    @cached_property
    def is_label(self) -> bool:
        """True if its values are short and few, such as yes and no."""
        column = self.column
        if column.mean_length > LABEL or column.marks or not column.filled:
            return False
        if all(value.strip().casefold() in ANSWERS for value in column.counts):
            return True
        return 1 < column.distinct <= MOST_LABELS and column.distinct * 2 <= column.filled

    @cached_property
    def is_template(self) -> bool:
        """True if its few texts have marks such as {question} for what is put in."""
        column = self.column
        few = column.distinct == 1 or column.distinct * 2 <= column.filled
        texts = [str(example) for example in column.examples]
        return few and bool(texts) and all(map(PLACEHOLDER.search, texts))

    @cached_property
    def is_prose(self) -> bool:
        """True if it has longer texts, most of them different."""
        column = self.column
        texts = self.has_words and column.distinct * 2 > column.filled
        return texts and column.mean_length >= PROSE and not self.is_template

    @cached_property
    def is_short(self) -> bool:
        """True if its values are names, such as `heron-8b`."""
        return all(A_NAME.fullmatch(str(example)) for example in self.column.examples)

    @cached_property
    def is_word(self) -> bool:
        """True if its values are single words."""
        return all(" " not in str(example).strip() for example in self.column.examples)

    @cached_property
    def is_unique(self) -> bool:
        """True if it has another value in every row."""
        return self.column.filled == self.column.distinct == self.rows

    @cached_property
    def has_speakers(self) -> bool:
        """True if its texts say line by line who speaks, or are transcripts."""
        texts = [example for example in self.column.examples if isinstance(example, str)]
        return bool(texts) and all(SPEAKER.match(text) or TRANSCRIPT.match(text) for text in texts)

    @cached_property
    def is_chat(self) -> bool:
        """True if most of its conversations end with the assistant's turn."""
        return sum(self.ends) * 2 > len(self.ends)

    @cached_property
    def ends(self) -> list[bool]:
        """For the first of its conversations: whether it ends with the assistant's turn."""
        ends = []
        for example in self.column.examples:
            if isinstance(example, str):
                ends.append(bool(re.search(r"\n\nAssistant: ?\S", example)))
            elif isinstance(example, list) and isinstance(example[-1], dict):
                ends.append(as_ours(example[-1])["role"] == ANSWERED)
        return ends

    def is_named(self, use: Use, strength: Strength = Strength.WEAK) -> bool:
        """Tell whether its name says a use, at least so strongly."""
        return self.use is use and self.strength >= strength
