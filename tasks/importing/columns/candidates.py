"""A column as a candidate for a use: its name within what counts, and what it holds."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from .column_profile import WORDS, ColumnProfile, ValueKind
from .history import SPEAKER, speaker_in, transcript
from .model_names import MODEL_NAME
from .name_tables import Meaning, Strength
from .names import listed_meaning, meaning
from .spelling import variant
from .turn_keys import is_turns, role_of
from .turns import as_ours, exchange, is_transcript
from .uses import ANSWERED, ASKED, Use

LABEL = 30  # characters of a text that may be a label
MOST_LABELS = 12
LONGEST_NAME = 60  # of a model, in characters
PROSE = 20  # characters of longer texts, on average
ANSWERS = frozenset(
    ["yes", "no", "true", "false", "ja", "nein", "oui", "non", "a", "b", "c", "d", "e", "maybe"]
)
PLACEHOLDER = re.compile(r"\{\{?\s*[\w.]*\s*\}?\}|<[a-z_]+>|%s|\[[A-Z_]+\]")
NUMBERS = frozenset(ValueKind) - frozenset(WORDS)
SIDES = {ASKED: Use.PROMPT, ANSWERED: Use.RESPONSE}
NO_NAMES = {ASKED, ANSWERED, "system", ""}  # of speakers
HEX = re.compile(r"[0-9a-f]+(?:-[0-9a-f]+)*", re.IGNORECASE)
# Letters of Thai to Burmese, Khmer, Japanese and Chinese, which are written without blanks.
WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
A_NAME = re.compile(r"[\w.:/@+ -]{1,80}")
BY_CHANCE = 0.02  # the share of values that may repeat others by chance


@dataclass(frozen=True, eq=False)
class Candidate:
    """A column that may be used."""

    name: str  # its path within what counts
    profile: ColumnProfile
    rows: int  # of the file

    @property
    def path(self) -> str:
        """The name in the file."""
        return self.profile.path

    @property
    def filled(self) -> int:
        """How many values are not empty."""
        return self.profile.filled

    @cached_property
    def mark(self) -> str:
        """The number or letter in its name, or ""."""
        return variant(self.name)[1]

    @cached_property
    def meaning(self) -> Meaning | None:
        """The meaning of its name, also with a number or a letter in it."""
        known = meaning(self.name) or listed_meaning(variant(self.name)[0])
        is_model = MODEL_NAME.search(self.name) or (known and known.use is not Use.MODEL)
        if not (is_model or self.may_name_models) and self.profile.mean_length >= PROSE:
            use = SIDES.get(role_of(self.name))  # columns that are called `user` and `bot`
            return Meaning(use, Strength.WEAK) if use else known
        return known

    @property
    def use(self) -> Use | None:
        """The use that its name says."""
        return self.meaning and self.meaning.use

    @property
    def strength(self) -> int:
        """How surely its name says so."""
        return self.meaning.strength if self.meaning else 0

    @cached_property
    def has_words(self) -> bool:
        """True if it holds texts, lists of them, or turns."""
        return self.filled > 0 and self.profile.share(*WORDS) >= 0.5

    @cached_property
    def has_turns(self) -> bool:
        """True if most of its values are conversations."""
        return self.profile.share(ValueKind.TURNS) >= 0.5

    @cached_property
    def has_lists(self) -> bool:
        """True if most of its values are lists of texts, or conversations."""
        return self.profile.share(ValueKind.TEXTS, ValueKind.TURNS) >= 0.5

    @cached_property
    def has_numbers(self) -> bool:
        """True if most of its values are numbers."""
        return self.profile.share(*NUMBERS) > 0.5

    @cached_property
    def is_constant(self) -> bool:
        """True if it holds the same in every row."""
        return self.profile.distinct == 1 and self.filled > 1

    @cached_property
    def is_label(self) -> bool:
        """True if its values are short and few, such as yes and no."""
        values = self.profile.list_entries or self.profile
        if values.mean_length > LABEL or values.marks or not values.filled:
            return False
        if all(value.strip().casefold() in ANSWERS for value in values.counts):
            return True
        return 1 < values.distinct <= MOST_LABELS and values.distinct * 2 <= values.filled

    @cached_property
    def is_template(self) -> bool:
        """True if its few texts have marks such as {question} for what is put in."""
        few = self.profile.distinct == 1 or self.profile.distinct * 2 <= self.filled
        texts = [str(example) for example in self.profile.examples]
        return few and bool(texts) and all(map(PLACEHOLDER.search, texts))

    @cached_property
    def is_prose(self) -> bool:
        """True if it has longer texts, most of them different."""
        varies = self.profile.distinct * 2 > self.filled
        is_long = self.profile.mean_length >= PROSE
        return self.has_words and varies and is_long and not self.is_template

    @property
    def has_sentences(self) -> bool:
        """True if it has longer texts of several words, which rows may repeat."""
        is_long = self.has_words and self.profile.mean_length >= PROSE
        return is_long and not (self.is_word or self.is_constant or self.is_template)

    @cached_property
    def is_key(self) -> bool:
        """True if it has long words that are hexadecimal or of one length, as no prose is."""
        texts = [str(example) for example in self.profile.examples]
        is_long = self.profile.mean_length >= PROSE
        if not (is_long and self.is_word):
            return False
        is_even = self.profile.letters == len(texts[0]) * self.filled and self.filled > 1
        return is_even or all(map(HEX.fullmatch, [*texts, *self.profile.counts]))

    @cached_property
    def is_short(self) -> bool:
        """True if its values are names, such as `heron-8b`."""
        values = self.profile.list_entries or self.profile
        return all(A_NAME.fullmatch(str(example)) for example in values.examples)

    @cached_property
    def is_word(self) -> bool:
        """True if its values are single words; a whole text in Chinese has no blanks, either."""
        texts = [str(example).strip() for example in self.profile.examples]
        return not any(" " in text or WITHOUT_BLANKS.search(text) for text in texts)

    @property
    def may_name_models(self) -> bool:
        """True if its values are single words, however long, or short texts with a model's name."""
        texts = [str(example) for example in self.profile.examples]
        has_names = all(len(text) <= LONGEST_NAME and MODEL_NAME.search(text) for text in texts)
        return self.is_word or has_names

    @cached_property
    def is_unique(self) -> bool:
        """True if it has another value in every row."""
        return self.filled == self.profile.distinct == self.rows

    @property
    def repeats(self) -> bool:
        """True if more rows have a value of another row than may by chance."""
        return self.filled - self.profile.distinct > BY_CHANCE * self.filled

    @cached_property
    def has_speakers(self) -> bool:
        """True if its texts say line by line who speaks, or are transcripts."""
        texts = [example for example in self.profile.examples if isinstance(example, str)]
        return bool(texts) and all(speaker_in(text) or is_transcript(text) for text in texts)

    @cached_property
    def has_exchanges(self) -> bool:
        """True if each of its texts is a question with its answer, marked by these words."""
        texts = [example for example in self.profile.examples if isinstance(example, str)]
        return (
            self.filled > 0
            and len(texts) == len(self.profile.examples)
            and all(map(exchange, texts))
        )

    @cached_property
    def lacks_speakers(self) -> bool:
        """True if it holds lists of texts, and nothing says who speaks."""
        lists = [example for example in self.profile.examples if isinstance(example, list)]
        texts = [text for texts in lists for text in texts]
        return bool(texts) and all(isinstance(text, str) and not speaker_in(text) for text in texts)

    @property
    def is_conversation(self) -> bool:
        """True if it holds turns, or lines with speakers, or lists under such a name."""
        by_name = self.has_lists and self.use is Use.CONVERSATION
        return self.has_turns or self.has_speakers or by_name

    @cached_property
    def last_speakers(self) -> list[str]:
        """Our names of who speaks last in its conversations, "" for nobody."""
        speakers = []
        for example in self.profile.examples:
            if is_turns(example):
                speakers.append(str(as_ours(example[-1])["role"]))
            elif isinstance(example, str):
                speakers.append(_last_speaker(example))
            elif isinstance(example, list) and example:
                speakers.append(role_of(speaker_in(str(example[-1]))))
        return speakers

    @property
    def is_chat(self) -> bool:
        """True if most of its conversations end with the assistant's turn."""
        return self.last_speakers.count(ANSWERED) * 2 > len(self.last_speakers)

    @property
    def ends_with_a_name(self) -> bool:
        """True if its conversations end with a speaker of whom it is not known who that is."""
        return bool(self.last_speakers) and NO_NAMES.isdisjoint(self.last_speakers)

    def means(self, use: Use, strength: Strength = Strength.WEAK) -> bool:
        """Tell whether its name says a use, at least so strongly."""
        return self.use is use and self.strength >= strength


def well_filled(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates that have at least half as many values as the best one."""
    several = [candidate for candidate in candidates if candidate.filled]
    most = max((candidate.filled for candidate in several), default=0)
    return [candidate for candidate in several if candidate.filled * 2 >= most]


def _last_speaker(text: str) -> str:
    lines = transcript(text.strip().splitlines()) or [""]
    speakers = [speaker for speaker in map(speaker_in, lines) if speaker]
    if not speakers or SPEAKER.fullmatch(lines[-1]):
        return ""
    return role_of(speakers[-1])
