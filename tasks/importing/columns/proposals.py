"""Which shapes a file may have, and what must be asked about it. No Django but its translations."""

import re
from collections.abc import Iterator, Mapping as AnyMapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _
from rapidfuzz.distance import Levenshtein

from ..files.rows import Text, filled, printable
from ..files.values import BadValue
from .items import ANSWERED
from .layout import ASKS, RESPONSE, FileShape, fits
from .layouts import SHAPES
from .mapping import OWN, Mapping
from .rating_columns import guessed_ratings
from .sample import FileColumn, Sample, is_turns
from .uses import ANSWERING, ASKING, LABELS, RATING, Use, as_ours, chat

# Columns that mean the same in every foreign shape.
COMMON = {
    "system|system_prompt|system_message": Use.SYSTEM,
    "context|contexts": Use.CONTEXT,
    "reference|reference_(answer|output)|ground_truth|gold|gold_answer": Use.REFERENCE,
    "ideal|expected_output|expectedOutput|target": Use.REFERENCE,
    "source": Use.SOURCE,
    "warning|content_warning": Use.WARNING,
    "persona|personality": Use.PERSONA,
    "model|model_name|model_id|generator": Use.MODEL,
}
# The first of these that names every row of the sample alone is the id.
IDS = (
    *("custom_id", "id", "uid", "uuid", "prompt_id", "question_id", "sample_id", "example_id"),
    *("item_id", "instance_id", "conversation_id", "conv_id", "doc_id", "HITId", "key", "row_idx"),
)
# Our own names, near which a column is asked about.
OURS = {
    "id": Use.ID,
    "prompt": Use.PROMPT,
    "messages": Use.CONVERSATION,
    "history": Use.CONVERSATION,
    "persona": Use.PERSONA,
    "system": Use.SYSTEM,
    "context": Use.CONTEXT,
    "reference": Use.REFERENCE,
    "source": Use.SOURCE,
    "warning": Use.WARNING,
    "response": Use.RESPONSE,
    "responses": Use.RESPONSE,
    "model": Use.MODEL,
}
ONE_MORE = r"(response|answer|output|completion)s?[ _-]?(\d+|[a-d])|chosen|rejected|responses?"
CRITERIA = re.compile(r"(?:.*[._])?(?:criteria|rubrics?|checklist)(?:\W.*)?")
ALONE = "ratings"  # the shape of ratings without texts
BY_HAND = "columns"  # the shape of what no other fits


@dataclass(frozen=True)
class Proposal:
    """A mapping for a file, with what to ask before it is used."""

    label: Text  # of the shape
    mapping: Mapping
    against: tuple[str, ...] = ()  # what speaks against the shape
    asked: AnyMapping[str, str] = field(default_factory=dict)  # questions about undecided columns
    told: tuple[str, ...] = ()  # what the lead should know
    weight: int = 0  # columns that the shape needs

    @property
    def is_own(self) -> bool:
        return self.mapping.shape == OWN and not self.mapping.repeats

    def sentences(self, sample: Sample) -> list[str]:
        """Return all that there is to say before the mapping is used."""
        said = [
            filled(_("It looks like %(shape)s."), shape=self.label),
            *self.against,
            *(
                filled(_("“%(column)s”: %(question)s"), column=path, question=question)
                for path, question in self.asked.items()
            ),
            *self.told,
            *self.mapping.faults(sample),
        ]
        return [printable(sentence) for sentence in said]

    def as_yaml(self, sample: Sample) -> str:
        """Return the mapping as YAML, with all that there is to say in comments."""
        said = ("".join(filter(str.isprintable, line)) for line in self.sentences(sample))
        comments = {column.path: column.example for column in sample.columns}
        return "".join(f"# {line}\n" for line in said) + self.mapping.as_yaml(comments)


def proposals(sample: Sample) -> list[Proposal]:
    """Return what a file may be, the likeliest first; at the end, that it must be said by hand."""
    found = _fitting(sample, FileShape("", ()))
    outer = next((each for each in SHAPES.values() if each.root and _has_all(each, sample)), None)
    # A file that fits as a whole has no outer shape, whatever else is in it.
    if outer and not any(each.weight for each in found):
        found = _fitting(sample.inside(outer.root), outer)
    return sorted(
        found,
        key=lambda each: (each.mapping.shape != OWN, -each.weight, each.mapping.shape == BY_HAND),
    )


def chosen(sample: Sample) -> Proposal | None:
    """Return the one proposal that nothing speaks against, or None if the lead is to choose."""
    first, *others = proposals(sample)
    ties = [each for each in others if not each.against and each.weight == first.weight]
    return None if first.against or (ties and first.mapping.shape != OWN) else first


def _fitting(sample: Sample, outer: FileShape) -> list[Proposal]:
    """Return the proposals of all shapes that a sample has, within an outer one."""
    return [
        _proposed(name, shape, sample, outer)
        for name, shape in SHAPES.items()
        if not shape.root and not (outer.root and name in (OWN, ALONE))
        if _has_all(shape, sample) and shape.judge(sample) is not None
    ]


def _proposed(name: str, shape: FileShape, sample: Sample, outer: FileShape) -> Proposal:
    patterns = {**shape.uses, **({} if name == OWN else COMMON)}
    read = shape.more(sample)
    uses: dict[str, Use] = {}
    for column in sample.columns:
        known, as_named = (patterns, column.name) if column.name else (outer.uses, column.path)
        use = read.get(column.name) or next(
            (use for pattern, use in known.items() if fits(pattern, as_named)), Use.METADATA
        )
        several = (Use.RESPONSE, Use.CHAT, Use.MODEL, Use.UNUSED, *RATING)
        taken = use in uses.values() and use not in several
        uses[column.path] = Use.METADATA if taken and name != OWN else use
    if name != OWN:
        uses |= _id(sample)
    # In translation and speech, a system is a model.
    systems = [each.path for each in sample.columns if uses[each.path] is Use.SYSTEM]
    if Use.MODEL not in uses.values() and name != OWN:
        uses |= {path: Use.MODEL for path in systems if _has_names(sample, path)}
    root = "meta" if name == OWN else outer.root
    rated, said, scoring, unclear, told = guessed_ratings(sample, uses, shape)
    uses |= rated
    mapping = Mapping(name, {}, {}, root, sample.packed, said=said, scoring=scoring)
    mapping = mapping.with_uses(uses)
    asked = {**dict(_questions(mapping, sample)), **unclear}
    against = (str(outer.judge(sample)), str(shape.judge(sample)), *_unended(mapping, sample))
    within = filled(_("%(outer)s with %(inner)s"), outer=outer.label, inner=shape.label)
    return Proposal(
        within if outer.root else shape.label,
        replace(mapping, columns={**uses, **dict.fromkeys(asked, Use.UNDECIDED)}),
        tuple(filter(None, against)),
        asked,
        (
            *told,
            *(
                filled(
                    _(
                        "The criteria in %(column)s are kept as metadata; the project’s rubric is "
                        "asked."
                    ),
                    column=column.path,
                )
                for column in sample.columns
                if CRITERIA.fullmatch(column.name) and uses[column.path] is Use.METADATA
            ),
        ),
        len(shape.needs),
    )


def _has_names(sample: Sample, path: str) -> bool:
    """Tell whether a column's values are names such as `heron-8b`."""
    values = next(each.filled for each in sample.columns if each.path == path)
    return bool(values) and all(re.fullmatch(r"[\w.:/-]{1,60}", str(each)) for each in values)


def _has_all(shape: FileShape, sample: Sample) -> bool:
    """Tell whether a sample has all columns that a shape needs.

    Names in other letters count: they are asked about.
    """
    return all(
        any(fits(f"(?i:{need})", column.name) for column in sample.columns) for need in shape.needs
    )


def _id(sample: Sample) -> dict[str, Use]:
    """Return the column that names every row alone, if there is one."""
    ids = [
        (not column.name, IDS.index(column.name or column.path), column.path)
        for column in sample.columns
        if (column.name or column.path) in IDS
        and len(set(map(str, column.filled))) == len(sample.rows)
    ]
    return {path: Use.ID for _beside, _place, path in sorted(ids)[:1]}


def _questions(mapping: Mapping, sample: Sample) -> Iterator[tuple[str, str]]:
    """Yield the columns that nobody can be sure about, each with a question."""
    more = ONE_MORE if mapping.shape == OWN else f"{ONE_MORE}|{RESPONSE}"
    asks, ids = mapping.of(*ASKING), mapping.of(Use.ID, Use.GROUP)
    asks_alone = mapping.of(Use.RESPONSE) and not mapping.of(Use.PROMPT)
    for column in sample.columns:
        use, name = mapping.columns[column.path], column.name
        kept, ours = use is Use.METADATA, _near(name)
        near = filled(_("is “%(column)s” %(use)s?"), column=name, use=LABELS[ours or use])
        repeats = len(set(map(str, column.filled))) < len(column.filled)
        doubts = (
            (kept and ours, near),
            (
                kept and re.fullmatch(more, name.lower()) and column.holds_words,
                _("is it one more response?"),
            ),
            (
                kept and not asks and fits(f"(?i:{ASKS})", name),
                _("is it the prompt or the conversation?"),
            ),
            (kept and name and mapping.shape == BY_HAND, _("what is it?")),
            (
                use is Use.PROMPT and not ids and repeats,
                _("several rows have the same: is each an item of its own, or are they one?"),
            ),
            (
                use in ANSWERING and not column.filled and [] not in column.values,
                _("is it a response? It is empty in the first rows"),
            ),
            (
                use is Use.CONVERSATION and asks_alone and _ends(column),
                _("it ends with the assistant’s turn: is this a response, or before one?"),
            ),
        )
        yield from [(column.path, question) for doubt, question in doubts if doubt][:1]


def _near(name: str) -> Use | None:
    """Return what a column is if its name is nearly one of ours."""
    letters = re.sub(r"[^a-z]", "", name.lower())
    near = (
        use
        for ours, use in OURS.items()
        if letters == ours or (len(letters) > 4 and Levenshtein.distance(name.lower(), ours) == 1)
    )
    # "preference" is a word of its own.
    return None if name in {*OURS, "preference"} else next(near, None)


def _ends(column: FileColumn) -> bool:
    """Tell whether most conversations in the column end with the assistant's turn."""
    ends = [as_ours(value[-1])["role"] == ANSWERED for value in column.filled if is_turns(value)]
    return sum(ends) * 2 > len(ends)


def _unended(mapping: Mapping, sample: Sample) -> Iterator[str]:
    """Yield what speaks against chats that do not end with a response."""
    for column in sample.columns:
        if mapping.columns[column.path] is Use.CHAT:
            try:
                for value in column.filled:
                    chat(value, column.path)
            except BadValue as bad:
                yield filled(_("%(column)s %(fault)s."), column=column.path, fault=bad.reason)
