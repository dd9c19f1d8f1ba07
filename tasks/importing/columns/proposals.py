"""The proposal for a file: what each of its columns is, how sure that is, and what is asked.

No Django but its translations.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.utils.translation import gettext as _

from ..files.rows import Text, fill_in, printable
from ..files.values import BadValue
from .candidates import Candidate
from .choices import Certainty, ColumnChoice
from .deciding import Decision
from .gaps import doubt_gaps, doubt_speakers
from .history import turn_entries
from .layouts import ALONE, BY_HAND, LAYOUTS, OWN
from .mapping import Mapping
from .model_names import has_answer
from .names import Strength
from .other_columns import ask_all, choose_rest, keep_rest
from .profile import Profile, ValueKind
from .prompt_choices import choose_prompt, choose_prompt_by_texts
from .rating_columns import propose_ratings
from .rating_names import use_of
from .recognising import Recognised, candidates_of, known_choices, recognised
from .response_choices import (
    CRITERIA,
    choose_response_by_texts,
    choose_responses,
    doubt_responses,
)
from .summary import cut, file_sentence
from .surveys import is_survey
from .turns import chat
from .uses import ANSWERING, ASKING, PROMPTS, Use

AN_ID = re.compile(r"(^|[ _.-])[A-Za-z]?(id|Id|ID)$|[a-z]I[Dd]$")
FEW = 0.02  # the share of prompts that may repeat by chance


@dataclass(frozen=True)
class Proposal:
    """A reading of a file: the mapping, how sure it is, and what to say of it."""

    layout: str  # its name in `layouts`
    label: Text
    mapping: Mapping
    choices: Sequence[ColumnChoice]
    remarks: tuple[str, ...]  # what the lead should know
    sentence: str  # all of it in short

    @property
    def is_our_shape(self) -> bool:
        """True if it is our own shape, with metadata and no more."""
        return self.mapping.is_our_shape

    @property
    def doubtful(self) -> tuple[ColumnChoice, ...]:
        """The choices about which the lead is asked."""
        return tuple(choice for choice in self.choices if choice.certainty is Certainty.DOUBTFUL)

    @property
    def questions(self) -> list[str]:
        """The questions about doubtful choices, in sentences."""
        words = _("“%(column)s”: %(question)s")
        return [
            printable(fill_in(words, column=choice.path, question=choice.question))
            for choice in self.doubtful
        ]

    def sentences(self, profile: Profile) -> list[str]:
        """Return all that there is to say before the mapping is used."""
        faults = self.mapping.faults(profile.sample)
        return [self.sentence, *self.questions, *self.remarks, *faults]

    def as_yaml(self, profile: Profile) -> str:
        """Return the mapping as YAML, with all that there is to say in comments."""
        head = ("".join(filter(str.isprintable, line)) for line in self.sentences(profile))
        examples = {column.path: column.example for column in profile.sample.columns}
        return "".join(f"# {line}\n" for line in head) + self.mapping.as_yaml(examples)


def propose(profile: Profile, layout: str = "") -> Proposal:
    """Return what a file is taken for, in one layout or in the one that fits best."""
    fit = recognised(profile, layout)
    inside, around = candidates_of(profile, fit.outer)
    more = fit.inner.more_uses(profile.sample)
    known = [
        *known_choices(fit.inner, inside, more),
        *known_choices(fit.outer, around, {}),
    ]
    decision = Decision(profile, inside, known)
    if not fit.inner.alone:
        _choose_texts(decision)
    choose_rest(decision)
    if fit.name != OWN:
        _choose_id(decision, [*inside, *around])
    keep_rest(decision)
    mapping, remarks = _with_ratings(decision, fit)
    _doubt_repeats(decision)
    _doubt_judge_prompts(decision)
    _doubt_layouts(decision, fit)
    doubt_speakers(decision)
    has_fault = fit.name != BY_HAND and not decision.of(*ANSWERING) and decision.of(Use.PROMPT)
    if not (fit.inner.alone or mapping.shape == ALONE or has_fault):  # a fault tells it
        doubt_gaps(decision)
    remarks += _leave_out(decision)
    choices = tuple(decision.choices[path] for path in profile.columns)
    mapping = mapping.with_uses({choice.path: choice.use for choice in choices})
    remarks = [*remarks, *_criteria(choices), *_entries(decision), *_speakers(decision)]
    return Proposal(
        mapping.shape,
        LAYOUTS[mapping.shape].label,
        mapping,
        choices,
        tuple(map(printable, remarks)),
        file_sentence(profile, mapping, choices),
    )


def propose_again(profile: Profile, earlier: Mapping) -> Proposal | None:
    """Return a mapping that was chosen for a file of the same columns; None if they are others."""
    if {*earlier.columns} != {*profile.columns}:
        return None
    reason = _("as in a file with the same columns")
    choices = tuple(
        ColumnChoice(path, earlier.columns[path], Certainty.SURE, reason)
        for path in profile.columns
    )
    sentence = file_sentence(profile, earlier, choices)
    label = LAYOUTS[earlier.shape].label
    return Proposal(earlier.shape, label, earlier, choices, (), sentence)


def _choose_texts(decision: Decision) -> None:
    choose_responses(decision)
    choose_prompt(decision)
    if not decision.of(*ANSWERING):
        choose_response_by_texts(decision)
    if not decision.of(*ASKING):
        choose_prompt_by_texts(decision)
    doubt_responses(decision)


def _choose_id(decision: Decision, candidates: Sequence[Candidate]) -> None:
    """Choose the column that names every row alone, or every prompt."""
    if decision.of(Use.ID, Use.GROUP):
        return
    ids = [column for column in candidates if column.means(Use.ID, Strength.STRONG)]
    ids = [column for column in ids if _is_free(decision, column)]
    unique = [column for column in ids if column.is_unique]
    unique.sort(key=lambda column: (column not in decision.candidates, -column.strength))
    if unique:
        is_ours = unique[0].strength == Strength.OURS
        decision.take(unique[0], Use.ID, "" if is_ours else _("another one in every row"))
        return
    prompts = decision.of(*PROMPTS, Use.CONVERSATION)
    for column in ids:
        repeats = 1 < column.profile.distinct < column.filled == column.rows
        if prompts and repeats and decision.profile.follows(prompts[0], column.path):
            decision.take(column, Use.GROUP, _("the same for the same prompt"))
            return
    if not any(map(_repeats, decision.chosen(*PROMPTS))):
        ids = [column for column in candidates if _may_be_id(column) and _is_free(decision, column)]
        for column in ids[:1]:
            decision.take(column, Use.ID, _("another one in every row"))
            return
    pair = decision.profile.pair
    if prompts and pair and pair.is_unique:
        parts = [column for column in candidates if column.path in pair.paths]
        _choose_id_parts(decision, parts)


def _may_be_id(column: Candidate) -> bool:
    """Tell whether a column is another short word in every row, and is named as an id: `pid`."""
    is_name = column.is_short and column.is_word and not column.profile.share(ValueKind.DECIMAL)
    has_id_name = AN_ID.search(column.name) and use_of(column.name) is not Use.RATER
    return bool(has_id_name) and is_name and column.is_unique


def _choose_id_parts(decision: Decision, id_parts: Sequence[Candidate]) -> None:
    """Choose the columns that name every row together."""
    if not all(_is_free(decision, column) for column in id_parts):
        return
    words = _("with “%(column)s” another one in every row")
    for column, other in zip(id_parts, reversed(id_parts), strict=True):
        decision.take(column, Use.ID, fill_in(words, column=other.path))


def _is_free(decision: Decision, column: Candidate) -> bool:
    """Tell whether nothing is decided of a column, or it is metadata beside what counts."""
    known = decision.choices.get(column.path)
    is_outside = column not in decision.candidates and known and known.use is Use.METADATA
    return "[*]" not in column.path and (is_outside or known is None)


def _with_ratings(decision: Decision, fit: Recognised) -> tuple[Mapping, list[str]]:
    """Decide on columns of ratings. Return the mapping, and what to tell of it."""
    profile, choices = decision.profile, decision.choices
    root, shape = fit.outer.root, fit.shape
    has_texts = bool(decision.of(*ASKING, *ANSWERING, Use.UNDECIDED))
    if not has_texts and fit.name == BY_HAND and is_survey(profile):
        return Mapping(shape, {}, root=root, packed=profile.packed), [_survey()]
    rated = propose_ratings(profile, choices, fit.inner)
    choices |= rated.choices
    if not has_texts:
        unasked = decision.chosen(Use.METADATA, Use.REFERENCE, Use.SOURCE, Use.CONTEXT)
        texts = [column for column in unasked if column.has_sentences]
        if decision.of(Use.SCORE, Use.CHECK) and texts and fit.name == BY_HAND:
            decision.ask(texts, (Use.RESPONSE, Use.PROMPT, Use.METADATA), _("what is it?"))
        elif decision.of(Use.SCORE, Use.CHECK):
            shape = ALONE if fit.name == BY_HAND else shape
        else:
            for path in decision.of(Use.METADATA):
                del choices[path]
            ask_all(decision)
            keep_rest(decision)
    if shape == ALONE:
        for path in decision.of(Use.METADATA):
            choices[path] = ColumnChoice(path, Use.UNUSED, Certainty.LIKELY, _("not of a rating"))
    root = "meta" if shape == OWN else root
    mapping = Mapping(
        shape,
        {},
        decision.models,
        root,
        profile.packed,
        rating_keys=rated.rating_keys,
        scoring=rated.scoring,
    )
    return mapping, [*rated.rating_remarks]


def _survey() -> str:
    return _(
        "Each row looks like the answers of one person, and each column like an item. Write a row "
        "for each rating instead, with the item’s id, who rated, and the score."
    )


def _doubt_repeats(decision: Decision) -> None:
    """Ask whether rows with the same prompt are one item."""
    profile, prompts = decision.profile, decision.chosen(Use.PROMPT)
    if not prompts or decision.of(Use.ID, Use.GROUP, Use.SHARED):
        return
    [prompt, *_others] = prompts
    around = decision.of(Use.CONTEXT, Use.CONVERSATION, Use.SYSTEM, Use.PERSONA)
    # A text to be translated is asked with its prompt; the name of a data set is not.
    sources = decision.chosen(Use.SOURCE)
    around += [source.path for source in sources if source.has_sentences]
    if not _repeats(prompt) or _differ(decision, [prompt.path, *around]):
        return
    models = decision.of(Use.MODEL)
    if len(models) == 1 and profile.combinations(prompt.path, models[0]) == len(profile.marks):
        decision.take(prompt, Use.SHARED, _("a row for each model"))
        return
    question = _("several rows have the same: is each an item of its own, or are they one?")
    decision.ask([prompt], (Use.SHARED, Use.PROMPT), question)


def _repeats(prompt: Candidate) -> bool:
    """Tell whether more rows have the same prompt than may by chance."""
    return prompt.filled - prompt.profile.distinct > FEW * prompt.filled


def _differ(decision: Decision, paths: Sequence[str]) -> bool:
    """Tell whether all rows differ in what annotators see before the responses."""
    return decision.profile.combinations(*paths) == len(decision.profile.marks)


def _leave_out(decision: Decision) -> Iterator[str]:
    """Leave out what differs within an item, of whose rows each must say the same of it."""
    groups = decision.of(Use.GROUP, Use.SHARED)
    if not groups or decision.of(Use.SCORE, Use.CHECK):
        return
    paths = [
        path for path in decision.of(Use.METADATA) if not decision.profile.follows(path, groups[0])
    ]
    reason = _("differs between the responses of an item")
    for path in paths:
        decision.choices[path] = ColumnChoice(path, Use.UNUSED, Certainty.LIKELY, reason)
    if paths:
        words = _("Left out, as the responses of an item differ in it: %(columns)s.")
        yield fill_in(words, columns=cut(paths))


INSTRUCTIONS = 20  # characters at least that tell a judge what to do with a response


def _doubt_judge_prompts(decision: Decision) -> None:
    """Ask about a prompt that holds the responses: a judge was asked that, and not the model."""
    answers = [column for column in decision.candidates if column.is_prose]
    chosen = decision.of(*ANSWERING)
    answers = [column for column in answers if column.path in chosen or has_answer(column.name)]
    for prompt in decision.chosen(*PROMPTS):
        for answer in answers:
            if decision.stands_in(answer, prompt, longer_by=INSTRUCTIONS):
                words = _("was a judge asked this? It holds the texts of “%(column)s”")
                question = fill_in(words, column=answer.path)
                decision.ask([prompt], (Use.METADATA, Use.PROMPT), question)
                break


def _doubt_layouts(decision: Decision, fit: Recognised) -> None:
    """Ask about responses that are empty, or against which something speaks."""
    sample = decision.profile.sample
    doubt = fit.outer.doubt(sample) or fit.inner.doubt(sample)
    columns = decision.chosen(*ANSWERING)
    is_empty = not any(column.filled for column in columns)
    for column in columns:
        use = decision.choices[column.path].use
        question = doubt or _unended(decision, column.path, use)
        if is_empty:
            question = _("is it a response? It is empty in every row")
        if question:
            decision.ask([column], (use, Use.CONVERSATION, Use.METADATA), question)
        doubt = ""


def _unended(decision: Decision, path: str, use: Use) -> str:
    """Return what speaks against a chat that does not end with a response."""
    if use is not Use.CHAT:
        return ""
    try:
        for row in decision.texts:
            if row.get(path):
                chat(row[path], path)
    except BadValue as bad:
        return fill_in(_("%(column)s %(fault)s."), column=path, fault=bad.reason)
    return ""


def _entries(decision: Decision) -> Iterator[str]:
    """Yield what is kept of turns beside their texts."""
    words = _("Kept as metadata of the turns in %(column)s: %(names)s.")
    for path in decision.of(*ASKING, *ANSWERING):
        turns = chain.from_iterable(turn_entries(row.get(path)) for row in decision.texts)
        names = dict.fromkeys(chain.from_iterable(turns))
        if names:
            yield fill_in(words, column=path, names=cut(names))


def _speakers(decision: Decision) -> Iterator[str]:
    """Yield what is guessed of who speaks."""
    for column in decision.chosen(Use.CONVERSATION, Use.CHAT):
        words = ""
        if column.lacks_speakers:
            words = _("Nothing says who speaks in %(column)s: user and assistant take turns.")
        elif column.ends_with_a_name and decision.of(*PROMPTS):
            words = _(
                "%(column)s does not say who the user is: its speakers take turns, and the one who "
                "did not speak last says the prompt."
            )
        if words:
            yield fill_in(words, column=column.path)


def _criteria(choices: Sequence[ColumnChoice]) -> Iterator[str]:
    words = _("The criteria in %(column)s are kept as metadata; the project’s rubric is asked.")
    for choice in choices:
        if choice.use is Use.METADATA and CRITERIA.fullmatch(choice.path):
            yield fill_in(words, column=choice.path)
