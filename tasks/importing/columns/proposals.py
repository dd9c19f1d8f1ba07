"""The proposal for a file: what each of its columns is, how sure that is, and what is asked.

No Django but its translations.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.utils.translation import gettext as _

from ..files.rows import Text, fill_in, printable
from .choices import Certainty, ColumnChoice
from .deciding import Decision
from .history import turn_entries
from .id_choices import choose_id
from .item_doubts import ask_about_items
from .layouts import ALONE, BY_HAND, LAYOUTS, OWN
from .mapping import Mapping
from .other_columns import ask_all, choose_rest, keep_rest
from .profile import Profile
from .prompt_choices import choose_prompt, choose_prompt_by_texts
from .rating_columns import RatingProposal, propose_ratings
from .recognising import Recognised, candidates_of, known_choices, recognised
from .response_choices import (
    CRITERIA,
    choose_response_by_texts,
    choose_responses,
    doubt_responses,
)
from .scoring import Scoring
from .summary import cut, file_sentence
from .surveys import is_survey
from .uses import ANSWERING, ASKING, PROMPTS, Use


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
    """Return what a file is taken for, in one layout or in the one that fits best.

    The steps change one `Decision`. Ratings are looked for in what items leave. Questions need
    both. Metadata that differs within an item is left out last: a question may take away its group.
    """
    fit = recognised(profile, layout)
    decision = _decision_on_items(profile, fit)
    ratings, shape = _choose_ratings(decision, fit)
    ask_about_items(decision, fit, shape)
    varying = _leave_out_varying(decision)
    choices = tuple(decision.choices[path] for path in profile.columns)
    mapping = Mapping(
        shape=shape,
        columns={},
        models=decision.models,
        root="meta" if shape == OWN else fit.outer.root,
        packed=profile.packed,
        rating_keys=ratings.rating_keys,
        scoring=ratings.scoring,
    )
    mapping = mapping.with_uses({choice.path: choice.use for choice in choices})
    remarks = [
        *ratings.rating_remarks,
        *varying,
        *_on_criteria(choices),
        *_on_turns(decision),
        *_on_speakers(decision),
    ]
    return Proposal(
        layout=shape,
        label=LAYOUTS[shape].label,
        mapping=mapping,
        choices=choices,
        remarks=tuple(map(printable, remarks)),
        sentence=file_sentence(profile, mapping, choices),
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
    return Proposal(
        layout=earlier.shape,
        label=LAYOUTS[earlier.shape].label,
        mapping=earlier,
        choices=choices,
        remarks=(),
        sentence=file_sentence(profile, earlier, choices),
    )


def _decision_on_items(profile: Profile, fit: Recognised) -> Decision:
    """Return the choices without ratings: the texts of items, their ids, and all else."""
    inside, around = candidates_of(profile, fit.outer)
    known = [
        *known_choices(fit.inner, inside, fit.inner.more_uses(profile.sample)),
        *known_choices(fit.outer, around, {}),
    ]
    decision = Decision(profile, inside, known)
    if not fit.inner.alone:
        _choose_texts(decision)
    choose_rest(decision)
    if fit.name != OWN:
        choose_id(decision, [*inside, *around])
    keep_rest(decision)
    return decision


def _choose_texts(decision: Decision) -> None:
    """Choose prompts and responses: by their names, and where these say nothing, by the texts."""
    choose_responses(decision)
    choose_prompt(decision)
    if not decision.of(*ANSWERING):
        choose_response_by_texts(decision)
    if not decision.of(*ASKING):
        choose_prompt_by_texts(decision)
    doubt_responses(decision)


def _choose_ratings(decision: Decision, fit: Recognised) -> tuple[RatingProposal, str]:
    """Choose the columns of ratings. Return what else is known of them, and the file's shape."""
    has_texts = bool(decision.of(*ASKING, *ANSWERING, Use.UNDECIDED))
    if not has_texts and fit.name == BY_HAND and is_survey(decision.profile):
        return _survey(), fit.shape
    ratings = propose_ratings(decision.profile, decision.choices, fit.inner)
    decision.choices |= ratings.choices
    shape = fit.shape if has_texts else _shape_without_texts(decision, fit)
    if shape == ALONE:
        for path in decision.of(Use.METADATA):
            decision.leave_out(path, _("not of a rating"))
    return ratings, shape


def _survey() -> RatingProposal:
    """Return that the answers to a survey are no ratings, and what to do."""
    remark = _(
        "Each row looks like the answers of one person, and each column like an item. Write a row "
        "for each rating instead, with the item’s id, who rated, and the score."
    )
    return RatingProposal({}, {}, Scoring(), [remark])


def _shape_without_texts(decision: Decision, fit: Recognised) -> str:
    """Return the shape of a file in which no text has a name, and ask which one is which.

    Ratings need no texts: columns without a layout that hold no others are ratings alone.
    """
    if not decision.of(Use.SCORE, Use.CHECK):
        for path in decision.of(Use.METADATA):
            del decision.choices[path]
        ask_all(decision)
        keep_rest(decision)
        return fit.shape
    if fit.name != BY_HAND:
        return fit.shape
    kept = decision.chosen(Use.METADATA, Use.REFERENCE, Use.SOURCE, Use.CONTEXT)
    texts = [column for column in kept if column.has_sentences]
    if not texts:
        return ALONE
    decision.ask(texts, (Use.RESPONSE, Use.PROMPT, Use.METADATA), _("what is it?"))
    return fit.shape


def _leave_out_varying(decision: Decision) -> list[str]:
    """Leave out metadata that differs between the rows of an item. Return the remark on it.

    In a file of ratings `leave_rest` has done that.
    """
    items = decision.of(Use.GROUP, Use.SHARED)
    if not items or decision.of(Use.SCORE, Use.CHECK):
        return []
    follows = decision.profile.follows
    varying = [path for path in decision.of(Use.METADATA) if not follows(path, items[0])]
    for path in varying:
        decision.leave_out(path, _("differs between the responses of an item"))
    if not varying:
        return []
    words = _("Left out, as the responses of an item differ in it: %(columns)s.")
    return [fill_in(words, columns=cut(varying))]


def _on_turns(decision: Decision) -> Iterator[str]:
    """Yield what is kept of turns beside their texts."""
    words = _("Kept as metadata of the turns in %(column)s: %(names)s.")
    for path in decision.of(*ASKING, *ANSWERING):
        turns = chain.from_iterable(turn_entries(row.get(path)) for row in decision.texts)
        names = dict.fromkeys(chain.from_iterable(turns))
        if names:
            yield fill_in(words, column=path, names=cut(names))


def _on_speakers(decision: Decision) -> Iterator[str]:
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


def _on_criteria(choices: Sequence[ColumnChoice]) -> Iterator[str]:
    """Yield what becomes of the criteria of a judge."""
    words = _("The criteria in %(column)s are kept as metadata; the project’s rubric is asked.")
    for choice in choices:
        if choice.use is Use.METADATA and CRITERIA.fullmatch(choice.path):
            yield fill_in(words, column=choice.path)
