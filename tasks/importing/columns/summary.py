"""A file in a few sentences, as a lead would say it.

Such as:

    8 items, each with one response by heron-7b. Annotators see “question” as the prompt and
    “answer” as the response. Kept from them: topic. 16 scores by 2 people: Anna, Ben, in “fluency”
    from 1 to 5. To be chosen: “notes”. 7 columns: 2 shown, 1 kept from annotators, 3 of ratings,
    1 to be chosen.

`file_sentence` has the sentences in their order. Each is a function, which returns "" where there
is nothing to say. No Django but its translations.
"""

from collections import Counter
from collections.abc import Iterable, Mapping as AnyMapping, Sequence
from typing import TypeAlias

from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext

from ..files.rows import Text, fill_in, printable
from .choices import Certainty, ColumnChoice
from .file_counts import FileCounts, estimated_counts
from .layouts import ALONE
from .mapping import Mapping
from .profile import Profile
from .score_columns import ScoreColumn
from .scoring import FILE
from .uses import ANSWERING, RATING, Use

MOST_NAMES = 6  # in a list; of more the rest is counted
# What annotators see, in the order in which it is told.
WORDS_OF_VISIBLE: AnyMapping[Use, Text] = {
    Use.PROMPT: gettext_lazy("%(columns)s as the prompt"),
    Use.SHARED: gettext_lazy("%(columns)s as the prompt"),
    Use.CONVERSATION: gettext_lazy("%(columns)s as the conversation"),
    Use.CHAT: gettext_lazy("%(columns)s as the conversation with the response"),
    Use.RESPONSE: gettext_lazy("%(columns)s as the response"),
    Use.PERSONA: gettext_lazy("%(columns)s as the persona"),
    Use.SYSTEM: gettext_lazy("%(columns)s as the system prompt"),
    Use.CONTEXT: gettext_lazy("%(columns)s as the context"),
    Use.REFERENCE: gettext_lazy("%(columns)s as the reference"),
    Use.SOURCE: gettext_lazy("%(columns)s as the source"),
    Use.WARNING: gettext_lazy("%(columns)s as the warning"),
}
# What becomes of columns, in the order in which it is told. Each column is counted once.
VISIBLE = gettext_lazy("%(number)s shown")
HIDDEN = gettext_lazy("%(number)s kept from annotators")
NAMING = gettext_lazy("%(number)s of ids and models")
RATED = gettext_lazy("%(number)s of ratings")
LEFT_OUT = gettext_lazy("%(number)s not kept")
TO_BE_CHOSEN = gettext_lazy("%(number)s to be chosen")
COUNT_WORDS: AnyMapping[Use, Text] = {
    **dict.fromkeys(WORDS_OF_VISIBLE, VISIBLE),
    Use.METADATA: HIDDEN,
    Use.ID: NAMING,
    Use.GROUP: NAMING,
    Use.MODEL: NAMING,
    **dict.fromkeys(RATING, RATED),
    Use.UNUSED: LEFT_OUT,
    Use.UNDECIDED: TO_BE_CHOSEN,
}
ChoicesByUse: TypeAlias = AnyMapping[Use, Sequence[ColumnChoice]]  # has every use


def file_sentence(
    profile: Profile,
    mapping: Mapping,
    choices: Sequence[ColumnChoice],
    counts: FileCounts | None = None,
) -> str:
    """Return what a file holds, in the sentences that the module names.

    `counts` are those of an import, where there was one. Without them the profile tells how many
    items there may be.
    """
    counts = counts or estimated_counts(profile, mapping)
    by_use = _by_use(choices)
    parts = [
        _items_sentence(profile, mapping, counts),
        _visible_sentence(by_use),
        _hidden_sentence(by_use),
        _ratings_sentence(profile, mapping, counts.scores),
        _undecided_sentence(by_use),
        _columns_sentence(by_use),
    ]
    return printable(" ".join(filter(None, parts)))


def _by_use(column_choices: Iterable[ColumnChoice]) -> ChoicesByUse:
    """Return the choices by use, an empty list where there is none.

    A column that is asked about has no use yet, whatever was proposed.
    """
    by_use: dict[Use, list[ColumnChoice]] = {use: [] for use in Use}
    for choice in column_choices:
        is_undecided = choice.certainty is Certainty.DOUBTFUL
        use = Use.UNDECIDED if is_undecided else choice.use
        by_use[use].append(choice)
    return by_use


def _items_sentence(profile: Profile, mapping: Mapping, counts: FileCounts) -> str:
    """Return how many items there are, with how many responses, and by which models."""
    items = _number_of_items(counts)
    lacks_texts = mapping.lacks_texts and not mapping.of(Use.UNDECIDED)
    if lacks_texts or mapping.shape == ALONE:
        return fill_in(_("%(items)s, without texts."), items=items)
    has_responses = counts.responses and mapping.of(*ANSWERING)
    if counts.are_more or not has_responses:
        return f"{items}."
    responses_per_item, rest = divmod(counts.responses, counts.items or 1)
    if rest:
        words = _("%(items)s with %(responses)s%(models)s.")
        responses = _number_of_responses(counts.responses)
    elif counts.items == 1:
        words = _("One item with %(responses)s%(models)s.")
        responses = _number_of_responses(responses_per_item)
    else:
        words = _("%(items)s, each with %(responses)s%(models)s.")
        responses = _number_of_responses(responses_per_item)
    has_single_responses = responses_per_item == 1 and not rest
    models = _models(profile, mapping, has_single_responses=has_single_responses)
    return fill_in(words, items=items, responses=responses, models=models)


def _number_of_items(counts: FileCounts) -> str:
    """Return how many items there are, in words: "8 items"."""
    number = counts.items
    words = ngettext("%(number)s item", "%(number)s items", number)
    if counts.are_more:
        words = _("More than %(number)s items")
    return fill_in(words, number=number)


def _number_of_responses(number: int) -> str:
    """Return a number of responses in words: "one response"."""
    if number == 1:
        return pgettext("of an item: with one response", "one response")
    words = ngettext("%(number)s response", "%(number)s responses", number)
    return fill_in(words, number=number)


def _models(profile: Profile, mapping: Mapping, *, has_single_responses: bool) -> str:
    """Return the model or the number of models, as words after a number of responses.

    `has_one_each`: each item has one response, so one of the models gave it.
    """
    names = {*mapping.models.values(), *_values(profile, mapping, Use.MODEL)}
    number = len(names)
    if number == 0:
        return ""
    if number == 1:
        return fill_in(_(" by %(model)s"), model=names.pop())
    words = (
        _(" by one of %(number)s models") if has_single_responses else _(" by %(number)s models")
    )
    return fill_in(words, number=number)


def _visible_sentence(by_use: ChoicesByUse) -> str:
    """Return what annotators see."""
    parts = []
    for use, words in WORDS_OF_VISIBLE.items():
        paths = [quoted(choice.path.removesuffix("[*].text")) for choice in by_use[use]]
        if paths:
            parts.append(fill_in(words, columns=cut(paths)))
    if not parts:
        return ""
    *most, last = parts
    if most:
        last = fill_in(_("%(columns)s and %(last)s"), columns=", ".join(most), last=last)
    return fill_in(_("Annotators see %(columns)s."), columns=last)


def _hidden_sentence(by_use: ChoicesByUse) -> str:
    """Return what annotators do not see. First comes what looks like more, with its reason."""
    with_reasons = []
    plain = []
    for choice in by_use[Use.METADATA]:
        if choice.certainty is Certainty.LIKELY and choice.reason:
            with_reasons.append(f"{quoted(choice.path)} ({choice.reason})")
        else:
            plain.append(choice.path)
    names = [*with_reasons, *plain]
    if not names:
        return ""
    return fill_in(_("Kept from them: %(columns)s."), columns=cut(names))


def _undecided_sentence(by_use: ChoicesByUse) -> str:
    """Return the columns that are asked about."""
    names = [quoted(choice.path) for choice in by_use[Use.UNDECIDED]]
    if not names:
        return ""
    return fill_in(_("To be chosen: %(columns)s."), columns=cut(names))


def _columns_sentence(by_use: ChoicesByUse) -> str:
    """Return how many columns there are, and what becomes of them."""
    numbers = Counter[Text]()
    for use, count_words in COUNT_WORDS.items():
        numbers[count_words] += len(by_use[use])
    parts = []
    for count_words, number in numbers.items():
        if number:
            parts.append(fill_in(count_words, number=number))
    total = numbers.total()
    words = ngettext("%(number)s column", "%(number)s columns", total)
    columns = fill_in(words, number=total)
    return fill_in(_("%(columns)s: %(parts)s."), columns=columns, parts=", ".join(parts))


def _ratings_sentence(profile: Profile, mapping: Mapping, number: int) -> str:
    """Return how many scores there are, by whom, and on which scales."""
    if not mapping.repeats:
        return ""
    words = ngettext("%(number)s score", "%(number)s scores", number)
    scores = fill_in(words, number=number)
    people = _by_people(profile, mapping)
    scales = _scales(mapping)
    if not scales:
        return f"{scores}{people}."
    ends = fill_in(_("in %(scales)s"), scales=cut(scales))
    return f"{scores}{people}, {ends}."


def _by_people(profile: Profile, mapping: Mapping) -> str:
    """Return who rated, as words after a number of scores."""
    people = _people(profile, mapping)
    number = len(people)
    if number == 0:
        return ""
    by = ngettext("by %(number)s person", "by %(number)s people", number)
    if mapping.scoring.slots:
        by = ngettext("in %(number)s slot", "in %(number)s slots", number)
    words = f" {fill_in(by, number=number)}"
    # Addresses are not told, and the mark for the name of the file is none.
    names = [name for name in people if "@" not in name and name != FILE]
    return f"{words}: {cut(names)}" if names else words


def _scales(mapping: Mapping) -> list[str]:
    """Return the scale of each dimension, in words."""
    titles = mapping.rated_columns.titles
    words = _("“%(dimension)s” from %(lowest)s to %(highest)s")
    scales = []
    for code, (lowest, highest) in mapping.scoring.scales.items():
        title = titles.get(code, code)
        scales.append(fill_in(words, dimension=title, lowest=lowest, highest=highest))
    return scales


def _people(profile: Profile, mapping: Mapping) -> list[str]:
    """Return the names of who rated, sorted, each in the spelling that stands for all."""
    names = _names_in_columns(profile, mapping) or _numbers_in_lists(profile, mapping)
    merged = mapping.scoring.merged
    people = set()
    for name in names:
        plain_name = " ".join(name.split())
        people.add(merged.get(plain_name, plain_name))
    return sorted(people)


def _names_in_columns(profile: Profile, mapping: Mapping) -> set[str]:
    """Return the names of who rated that the mapping or a column of the file says."""
    names = {mapping.scoring.rater}
    for path in mapping.of(Use.SCORE):
        if key := mapping.rating_keys.get(path):
            names.add(key.rater)
    names |= _values(profile, mapping, Use.RATER)
    return names - {""}


def _numbers_in_lists(profile: Profile, mapping: Mapping) -> set[str]:
    """Return the numbers of raters in the longest list of scores: 1 to 3 of three scores."""
    longest = 0
    for path in mapping.of(Use.SCORE):
        column = ScoreColumn(profile.columns[path], profile.rows)
        longest = max(longest, *column.list_lengths, 0)
    return {str(number) for number in range(1, longest + 1)}


def _values(profile: Profile, mapping: Mapping, use: Use) -> set[str]:
    """Return the different values of the columns of a use."""
    values = set[str]()
    for path in mapping.of(use):
        if column := profile.columns.get(path):
            entries = column.list_entries or column
            values.update(entries.counts)
    return values


def quoted(path: str) -> str:
    """Return a column in the quotation marks of the language."""
    return fill_in(_("“%(column)s”"), column=path)


def cut(names: Iterable[str]) -> str:
    """Return names as a list in words, cut after some."""
    several = [*names]
    if len(several) <= MOST_NAMES + 1:
        return ", ".join(several)
    rest = len(several) - MOST_NAMES
    more = fill_in(_("and %(number)s more"), number=rest)
    first = ", ".join(several[:MOST_NAMES])
    return f"{first} {more}"
