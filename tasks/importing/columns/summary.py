"""A file in one sentence: its items, what annotators see, what is kept from them, its ratings.

No Django but its translations.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping as AnyMapping, Sequence
from typing import TypeAlias

from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext

from ..files.rows import Text, filled, printable
from .choices import Certainty, ColumnChoice
from .file_counts import FileCounts, estimated_counts
from .layouts import ALONE
from .mapping import Mapping
from .profile import Profile
from .score_columns import ScoreColumn
from .scoring import FILE
from .uses import ANSWERING, RATING, Use

MOST_NAMES = 6
AS: AnyMapping[Use, Text] = {
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
# What becomes of columns, by their uses. Each column is counted once.
VISIBLE = gettext_lazy("%(number)s shown")
HIDDEN = gettext_lazy("%(number)s kept from annotators")
NAMING = gettext_lazy("%(number)s of ids and models")
RATED = gettext_lazy("%(number)s of ratings")
LEFT_OUT = gettext_lazy("%(number)s not kept")
ASKED = gettext_lazy("%(number)s to be chosen")
FATES: AnyMapping[Use, Text] = {
    **dict.fromkeys(AS, VISIBLE),
    Use.METADATA: HIDDEN,
    Use.ID: NAMING,
    Use.GROUP: NAMING,
    Use.MODEL: NAMING,
    **dict.fromkeys(RATING, RATED),
    Use.UNUSED: LEFT_OUT,
    Use.UNDECIDED: ASKED,
}
ChoicesByUse: TypeAlias = AnyMapping[Use, Sequence[ColumnChoice]]


def file_sentence(
    profile: Profile,
    mapping: Mapping,
    choices: Sequence[ColumnChoice],
    counts: FileCounts | None = None,
) -> str:
    """Return what a file holds as a lead would say it.

    `counts` are those of an import, where there was one.
    """
    counts = counts or estimated_counts(profile, mapping)
    by_use = _by_use(choices)
    parts = [
        _items(profile, mapping, counts),
        _seen(by_use),
        _hidden(by_use),
        _ratings(profile, mapping, counts.scores),
        _open(by_use),
        _column_counts(by_use),
    ]
    return printable(" ".join(filter(None, parts)))


def _by_use(choices: Iterable[ColumnChoice]) -> ChoicesByUse:
    """Return the choices of columns by their uses. One that is open has none yet."""
    by_use = defaultdict[Use, list[ColumnChoice]](list)
    for choice in choices:
        is_open = choice.certainty is Certainty.OPEN
        use = Use.UNDECIDED if is_open else choice.use
        by_use[use].append(choice)
    return by_use


def _items(profile: Profile, mapping: Mapping, counts: FileCounts) -> str:
    items = _number_of_items(counts)
    lacks_texts = mapping.lacks_texts and not mapping.of(Use.UNDECIDED)
    if lacks_texts or mapping.shape == ALONE:
        return filled(_("%(items)s, without texts."), items=items)
    if counts.are_more or not (counts.responses and mapping.of(*ANSWERING)):
        return f"{items}."
    number, rest = divmod(counts.responses, counts.items or 1)
    is_one = number == 1 and not rest
    words = _("%(items)s, each with %(responses)s%(models)s.")
    if counts.items == 1:
        words = _("One item with %(responses)s%(models)s.")
    if rest:
        words = _("%(items)s with %(responses)s%(models)s.")
        number = counts.responses
    responses = _number_of_responses(number)
    models = _models(profile, mapping, is_one=is_one)
    return filled(words, items=items, responses=responses, models=models)


def _number_of_items(counts: FileCounts) -> str:
    number = counts.items
    words = ngettext("%(number)s item", "%(number)s items", number)
    if counts.are_more:
        words = _("More than %(number)s items")
    return filled(words, number=number)


def _number_of_responses(number: int) -> str:
    if number == 1:
        return pgettext("of an item: with one response", "one response")
    words = ngettext("%(number)s response", "%(number)s responses", number)
    return filled(words, number=number)


def _models(profile: Profile, mapping: Mapping, *, is_one: bool) -> str:
    names = {*mapping.models.values(), *_values(profile, mapping, Use.MODEL)}
    number = len(names)
    if not names:
        return ""
    if number == 1:
        return filled(_(" by %(model)s"), model=names.pop())
    words = _(" by one of %(number)s models") if is_one else _(" by %(number)s models")
    return filled(words, number=number)


def _seen(by_use: ChoicesByUse) -> str:
    parts = []
    for use, words in AS.items():
        paths = [quoted(choice.path.removesuffix("[*].text")) for choice in by_use[use]]
        if paths:
            parts.append(filled(words, columns=cut(paths)))
    if not parts:
        return ""
    *most, last = parts
    if most:
        last = filled(_("%(columns)s and %(last)s"), columns=", ".join(most), last=last)
    return filled(_("Annotators see %(columns)s."), columns=last)


def _hidden(by_use: ChoicesByUse) -> str:
    """Return what annotators do not see; what looks like more first."""
    reasoned, names = [], []
    for choice in by_use[Use.METADATA]:
        if choice.certainty is Certainty.LIKELY and choice.reason:
            reasoned.append(f"{quoted(choice.path)} ({choice.reason})")
        else:
            names.append(choice.path)
    names = [*reasoned, *names]
    if not names:
        return ""
    return filled(_("Kept from them: %(columns)s."), columns=cut(names))


def _open(by_use: ChoicesByUse) -> str:
    names = [quoted(choice.path) for choice in by_use[Use.UNDECIDED]]
    if not names:
        return ""
    return filled(_("To be chosen: %(columns)s."), columns=cut(names))


def _column_counts(by_use: ChoicesByUse) -> str:
    """Return how many columns there are, and what becomes of them."""
    numbers = Counter[Text]()
    for use, fate in FATES.items():
        numbers[fate] += len(by_use[use])
    parts = []
    for fate, number in numbers.items():
        if number:
            parts.append(filled(fate, number=number))
    total = numbers.total()
    words = ngettext("%(number)s column", "%(number)s columns", total)
    columns = filled(words, number=total)
    return filled(_("%(columns)s: %(parts)s."), columns=columns, parts=", ".join(parts))


def _ratings(profile: Profile, mapping: Mapping, number: int) -> str:
    if not mapping.repeats:
        return ""
    words = ngettext("%(number)s score", "%(number)s scores", number)
    scores = filled(words, number=number)
    people = _by_people(profile, mapping)
    scales = [*_scales(mapping)]
    if not scales:
        return f"{scores}{people}."
    ends = filled(_("in %(scales)s"), scales=cut(scales))
    return f"{scores}{people}, {ends}."


def _by_people(profile: Profile, mapping: Mapping) -> str:
    """Return who rated, as words after a number of scores."""
    people = [*_people(profile, mapping)]
    number = len(people)
    if not people:
        return ""
    by = ngettext("by %(number)s person", "by %(number)s people", number)
    if mapping.scoring.slots:
        by = ngettext("in %(number)s slot", "in %(number)s slots", number)
    words = f" {filled(by, number=number)}"
    names = [name for name in people if "@" not in name and name != FILE]
    return f"{words}: {cut(names)}" if names else words


def _scales(mapping: Mapping) -> Iterator[str]:
    titles = mapping.reader.titles
    words = _("“%(dimension)s” from %(lowest)s to %(highest)s")
    for code, (lowest, highest) in mapping.scoring.scales.items():
        title = titles.get(code, code)
        yield filled(words, dimension=title, lowest=lowest, highest=highest)


def _people(profile: Profile, mapping: Mapping) -> Iterator[str]:
    """Yield the names of who rated."""
    scores = mapping.of(Use.SCORE)
    names = {mapping.scoring.rater}
    for path in scores:
        if key := mapping.rating_keys.get(path):
            names.add(key.rater)
    names |= _values(profile, mapping, Use.RATER)
    if not any(names):  # their numbers in lists
        sizes = {0}
        for path in scores:
            column = ScoreColumn(profile.columns[path], profile.rows)
            sizes |= column.sizes
        names = {*map(str, range(1, max(sizes) + 1))}
    merged = mapping.scoring.merged
    people = set()
    for name in filter(None, names):
        name = " ".join(name.split())
        people.add(merged.get(name, name))
    yield from sorted(people)


def _values(profile: Profile, mapping: Mapping, use: Use) -> set[str]:
    """Return the values of the columns of a use."""
    values = set[str]()
    for path in mapping.of(use):
        if column := profile.columns.get(path):
            entries = column.entries or column
            values.update(entries.counts)
    return values


def quoted(path: str) -> str:
    return filled(_("“%(column)s”"), column=path)


def cut(names: Iterable[str]) -> str:
    """Return names as a list in words, cut after some."""
    several = [*names]
    if len(several) <= MOST_NAMES + 1:
        return ", ".join(several)
    rest = len(several) - MOST_NAMES
    more = filled(_("and %(number)s more"), number=rest)
    first = ", ".join(several[:MOST_NAMES])
    return f"{first} {more}"
