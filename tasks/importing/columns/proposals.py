"""The proposal for a file: what each of its columns is, how sure that is, and what is asked.

No Django but its translations.
"""

import re
from collections.abc import Iterator, Mapping as AnyMapping
from dataclasses import dataclass, replace
from itertools import chain

from django.utils.translation import gettext as _

from ..files.rows import Text, filled, printable
from ..files.values import BadValue
from .candidates import Candidate
from .choices import Certainty, ColumnChoice
from .deciding import FEW, Decision
from .items import entries_beside
from .layout import Layout
from .layouts import ALONE, BY_HAND, LAYOUTS, OWN
from .mapping import Mapping
from .names import Strength
from .profile import Profile
from .rating_columns import guessed_ratings
from .summary import cut, file_sentence
from .turns import chat
from .uses import ANSWERING, ASKING, PROMPTS, RATING, Use

CRITERIA = re.compile(r"(?:.*[._])?(?:criteria|rubrics?|checklist)(?:\W.*)?")
SEVERAL = (Use.RESPONSE, Use.CHAT, Use.MODEL, Use.UNUSED, Use.METADATA, *RATING)


@dataclass(frozen=True)
class Proposal:
    """A reading of a file: the mapping, how sure it is, and what to say of it."""

    layout: str  # its name in `layouts`
    label: Text
    mapping: Mapping
    choices: tuple[ColumnChoice, ...]
    remarks: tuple[str, ...]  # what the lead should know
    sentence: str  # all of it in short

    @property
    def is_own(self) -> bool:
        """True if it is our own shape, with metadata and no more."""
        own = LAYOUTS[OWN]
        return self.layout == OWN and all(
            choice.use is (own.use(choice.path) or Use.METADATA) for choice in self.choices
        )

    @property
    def open(self) -> tuple[ColumnChoice, ...]:
        """The choices that are to be made."""
        return tuple(each for each in self.choices if each.certainty is Certainty.OPEN)

    def sentences(self, profile: Profile) -> list[str]:
        """Return all that there is to say before the mapping is used."""
        faults = self.mapping.faults(profile.sample)
        return [self.sentence, *self.questions, *self.remarks, *faults]

    @property
    def questions(self) -> list[str]:
        """The open choices, in sentences."""
        words = _("“%(column)s”: %(question)s")
        return [
            printable(filled(words, column=each.path, question=each.question)) for each in self.open
        ]

    def as_yaml(self, profile: Profile) -> str:
        """Return the mapping as YAML, with all that there is to say in comments."""
        head = ("".join(filter(str.isprintable, line)) for line in self.sentences(profile))
        examples = {column.path: column.example for column in profile.sample.columns}
        return "".join(f"# {line}\n" for line in head) + self.mapping.as_yaml(examples)


def propose(profile: Profile, layout: str = "") -> Proposal:
    """Return what a file is taken for, in one layout or in the one that fits best."""
    name, outer = _recognised(profile, layout)
    inner = LAYOUTS[name]
    inside, beside = _candidates(profile, outer)
    known = [*_known(inner, inside, inner.more(profile.sample)), *_known(outer, beside, {})]
    decision = Decision(profile, inside, known)
    if inner.alone:
        decision.decide_rest()
    else:
        decision.decide()
    if name != OWN:
        _choose_id(decision, [*inside, *beside])
    _keep_rest(decision, profile)
    mapping, remarks = _rated(
        decision, name if name != BY_HAND or not outer.root else _name(outer), inner, outer
    )
    _doubt_repeats(decision, mapping)
    _doubt_layouts(decision, inner, outer)
    choices = tuple(decision.choices[path] for path in profile.columns)
    mapping = mapping.with_uses({each.path: each.use for each in choices})
    return Proposal(
        mapping.shape,
        LAYOUTS[mapping.shape].label,
        mapping,
        choices,
        tuple(map(printable, (*remarks, *_criteria(choices), *_entries(decision)))),
        file_sentence(profile, mapping, choices),
    )


def layouts_of(profile: Profile) -> list[str]:
    """Return the layouts that fit a file, the likeliest first, and columns of any kind."""
    fitting = [
        name
        for name, layout in LAYOUTS.items()
        if layout.needs and not layout.root and layout.has_all(profile.sample)
    ]
    fitting.sort(key=lambda name: (name != OWN, -len(LAYOUTS[name].needs)))
    return [*fitting, BY_HAND]


def _recognised(profile: Profile, layout: str) -> tuple[str, Layout]:
    """Return the name of the layout that fits best, and the layout around it if there is one."""
    names = [layout] if layout in LAYOUTS else layouts_of(profile)
    name = names[0] if layout or names[0] != OWN or _is_filled(profile) else names[1]
    if LAYOUTS[name].root:
        return BY_HAND, LAYOUTS[name]
    if name != BY_HAND or layout:
        return name, LAYOUTS[BY_HAND]
    for outer in LAYOUTS.values():
        if outer.root and outer.has_all(profile.sample) and not _is_whole(profile, outer):
            within = profile.sample.inside(outer.root)
            inner = [
                key
                for key, each in LAYOUTS.items()
                if each.needs and not (each.root or each.exact) and each.has_all(within)
            ]
            inner.sort(key=lambda key: -len(LAYOUTS[key].needs))
            return (*inner, BY_HAND)[0], outer
    return BY_HAND, LAYOUTS[BY_HAND]


def _is_filled(profile: Profile) -> bool:
    """Tell whether our names hold what they say, where another name may hold it, too."""
    inside, _beside = _candidates(profile, LAYOUTS[BY_HAND])
    for uses in (ASKING, ANSWERING):
        named = [each for each in inside if each.use in uses and each.column.filled]
        good = [each for each in named if not (each.is_template or each.is_constant)]
        if good and not any(each.strength == Strength.OURS for each in good):
            return False
    return True


def _is_whole(profile: Profile, outer: Layout) -> bool:
    """Tell whether a prompt and responses stand beside an object, and not in it."""
    _inside, beside = _candidates(profile, outer)
    uses = {each.use for each in beside if each.has_words and each.strength >= Strength.STRONG}
    return not uses.isdisjoint(ASKING) and not uses.isdisjoint(ANSWERING)


def _candidates(profile: Profile, outer: Layout) -> tuple[list[Candidate], list[Candidate]]:
    """Return the columns within what counts, and those beside it."""
    inside, beside = [], []
    start = f"{outer.root}." if outer.root else ""
    for path, column in profile.columns.items():
        if path.startswith(start):
            inside.append(Candidate(path.removeprefix(start), column, profile.rows))
        else:
            beside.append(Candidate(path, column, profile.rows))
    return inside, beside


def _known(
    layout: Layout, candidates: list[Candidate], more: AnyMapping[str, Use]
) -> Iterator[ColumnChoice]:
    """Yield what a layout knows of the columns."""
    seen: set[Use] = set()
    for candidate in candidates:
        use = more.get(candidate.name) or layout.use(candidate.name)
        if use is None or (use in seen and use not in SEVERAL and not layout.exact):
            continue
        seen.add(use)
        reason = _("named as ours") if layout.exact else str(layout.label)
        yield ColumnChoice(candidate.path, use, Certainty.SURE, reason)


def _name(layout: Layout) -> str:
    return next(name for name, each in LAYOUTS.items() if each is layout)


def _choose_id(decision: Decision, candidates: list[Candidate]) -> None:
    """Choose the column that names every row alone, or every prompt."""
    if decision.of(Use.ID, Use.GROUP):
        return
    free = {*(each.path for each in decision.free), *decision.of(Use.METADATA)}
    named = [
        each
        for each in candidates
        if each.path in (free if each in decision.candidates else {each.path: None})
        and each.is_named(Use.ID, Strength.STRONG)
        and "[*]" not in each.path
    ]
    unique = [each for each in named if each.is_unique]
    unique.sort(key=lambda each: (each not in decision.candidates, -each.strength))
    for candidate in unique[:1]:
        is_ours = candidate.strength == Strength.OURS
        certainty = Certainty.SURE if is_ours else Certainty.LIKELY
        reason = _("another one in every row")
        decision.choices[candidate.path] = ColumnChoice(candidate.path, Use.ID, certainty, reason)
        return
    prompts = decision.of(*PROMPTS, Use.CONVERSATION)
    for candidate in named:
        repeats = 1 < candidate.column.distinct < candidate.column.filled == candidate.rows
        if prompts and repeats and decision.profile.follows(prompts[0], candidate.path):
            decision.choices[candidate.path] = ColumnChoice(
                candidate.path, Use.GROUP, Certainty.LIKELY, _("the same for the same prompt")
            )
            return


def _keep_rest(decision: Decision, profile: Profile) -> None:
    """Keep what is not decided as metadata."""
    for path in profile.columns:
        decision.choices.setdefault(path, ColumnChoice(path, Use.METADATA, Certainty.SURE))


def _rated(
    decision: Decision, name: str, inner: Layout, outer: Layout
) -> tuple[Mapping, tuple[str, ...]]:
    """Decide on columns of ratings. Return the mapping, and what to tell of it."""
    profile, choices = decision.profile, decision.choices
    uses = {path: choices[path].use for path in profile.columns}
    for path, choice in choices.items():
        if choice.use is Use.METADATA and choice.reason == str(inner.label):
            uses[path] = Use.UNUSED  # the layout knows that it is no rating
    sample = profile.sample.inside(outer.root) if outer.root else profile.sample
    known, said, scoring, unclear, told = guessed_ratings(sample, uses, inner)
    for path, use in known.items():
        if choices[path].use is not use:
            choices[path] = ColumnChoice(path, use, Certainty.LIKELY, _("looks like ratings"))
    if Use.SHARED in known.values():
        for path in decision.of(Use.ID):
            choices[path] = replace(choices[path], use=Use.METADATA)
    for path, question in unclear.items():
        options = (Use.SCORE, Use.COMMENT, Use.METADATA)
        choices[path] = ColumnChoice(
            path, Use.UNDECIDED, Certainty.OPEN, "", options, str(question)
        )
    has_texts = decision.of(*ASKING, *ANSWERING, Use.UNDECIDED)
    rated = not {Use.SCORE, Use.CHECK}.isdisjoint(known.values())
    if not (has_texts or rated):
        for path in decision.of(Use.METADATA):
            del choices[path]
        decision.ask_all()
        _keep_rest(decision, profile)
    if rated and not has_texts and name in (BY_HAND, ALONE):
        name = ALONE
        for path in decision.of(Use.METADATA):
            choices[path] = ColumnChoice(path, Use.UNUSED, Certainty.LIKELY, _("not of a rating"))
    root = "meta" if name == OWN else outer.root
    models = decision.models
    return Mapping(name, {}, models, root, profile.packed, said=said, scoring=scoring), tuple(told)


def _doubt_repeats(decision: Decision, mapping: Mapping) -> None:
    """Ask whether rows with the same prompt are one item."""
    paths = decision.of(Use.PROMPT)
    if not paths or decision.of(Use.ID, Use.GROUP, Use.SHARED):
        return
    column = decision.profile.columns[paths[0]]
    if column.filled - column.distinct <= FEW * column.filled:
        return
    models = decision.of(Use.MODEL)
    if len(models) == 1 and _is_key(decision.profile, paths[0], models[0]):
        reason = _("a row for each model")
        choice = ColumnChoice(paths[0], Use.SHARED, Certainty.LIKELY, reason)
    else:
        question = _("several rows have the same: is each an item of its own, or are they one?")
        options = (Use.SHARED, Use.PROMPT)
        choice = ColumnChoice(paths[0], Use.UNDECIDED, Certainty.OPEN, "", options, question)
    decision.choices[paths[0]] = choice


def _is_key(profile: Profile, *paths: str) -> bool:
    return profile.combinations(*paths) == len(profile.marks)


def _doubt_layouts(decision: Decision, inner: Layout, outer: Layout) -> None:
    """Ask about responses that are empty, or against which something speaks."""
    sample = decision.profile.sample
    against = str(outer.doubt(sample)) or str(inner.doubt(sample))
    for path in decision.of(*ANSWERING):
        choice = decision.choices[path]
        column = decision.profile.columns[path]
        question = against or _unended(decision, choice)
        if not column.filled and not any(
            decision.profile.columns[other].filled for other in decision.of(*ANSWERING)
        ):
            question = _("is it a response? It is empty in every row")
        if question and choice.certainty is not Certainty.OPEN:
            options = (choice.use, Use.CONVERSATION, Use.METADATA)
            decision.choices[path] = replace(
                choice,
                use=Use.UNDECIDED,
                certainty=Certainty.OPEN,
                options=options,
                question=question,
            )
        against = ""


def _unended(decision: Decision, choice: ColumnChoice) -> str:
    """Return what speaks against a chat that does not end with a response."""
    if choice.use is Use.CHAT:
        try:
            for row in decision.texts:
                if row.get(choice.path):
                    chat(row[choice.path], choice.path)
        except BadValue as bad:
            return filled(_("%(column)s %(fault)s."), column=choice.path, fault=bad.reason)
    return ""


def _entries(decision: Decision) -> Iterator[str]:
    """Yield what is kept of turns beside their texts."""
    words = _("Kept as metadata of the turns in %(column)s: %(names)s.")
    for path in decision.of(*ASKING, *ANSWERING):
        turns = chain.from_iterable(entries_beside(row.get(path)) for row in decision.texts)
        names = dict.fromkeys(chain.from_iterable(turns))
        if names:
            yield filled(words, column=path, names=cut(names))


def _criteria(choices: tuple[ColumnChoice, ...]) -> Iterator[str]:
    words = _("The criteria in %(column)s are kept as metadata; the project’s rubric is asked.")
    for choice in choices:
        if choice.use is Use.METADATA and CRITERIA.fullmatch(choice.path):
            yield filled(words, column=choice.path)
