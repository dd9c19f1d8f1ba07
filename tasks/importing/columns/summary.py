"""A file in one sentence: its items, what annotators see, what is kept from them, its ratings.

No Django but its translations.
"""

from collections.abc import Iterable, Iterator, Mapping as AnyMapping, Sequence

from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext

from ..files.rows import Text, filled, printable
from .choices import Certainty, ColumnChoice
from .layouts import ALONE
from .mapping import Mapping
from .profile import ColumnProfile, Profile
from .score_columns import ScoreColumn
from .scoring import FILE
from .uses import ANSWERING, PROMPTS, Use

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
    Use.WARNING: gettext_lazy("%(columns)s as the warning"),
}


def file_sentence(profile: Profile, mapping: Mapping, choices: Sequence[ColumnChoice]) -> str:
    """Return what a file holds as a lead would say it."""
    parts = [
        _items(profile, mapping),
        _seen(choices),
        _hidden(choices),
        _ratings(profile, mapping),
        _open(choices),
    ]
    return printable(" ".join(filter(None, parts)))


def _items(profile: Profile, mapping: Mapping) -> str:
    columns = profile.columns
    keys = [columns[path] for path in mapping.of(Use.ID, Use.GROUP, *PROMPTS) if path in columns]
    exact = [
        key for key in keys if not key.uncounted and mapping.columns[key.path] is not Use.PROMPT
    ]
    number = exact[0].distinct if exact else profile.rows
    ids = mapping.of(Use.ID)
    if len(ids) > 1:  # exact in a file of which every row is marked
        number = profile.combinations(*ids) if profile.rows == len(profile.marks) else profile.rows
    if mapping.shape == ALONE or (mapping.lacks_texts and not mapping.of(Use.UNDECIDED)):
        words = ngettext(
            "%(number)s item, without texts.", "%(number)s items, without texts.", number
        )
        return filled(words, number=number)
    if not mapping.of(*ANSWERING):
        words = ngettext("%(number)s item.", "%(number)s items.", number)
        return filled(words, number=number)
    answers = [columns[path] for path in mapping.of(*ANSWERING) if path in columns]
    by_turns = any(key.entries for key in keys if mapping.columns[key.path] in PROMPTS)
    total = sum(column.number if by_turns else _values(column) for column in answers)
    if exact and mapping.repeats and number < profile.rows:  # a row for each rating
        total = profile.combinations(exact[0].path, *mapping.of(*ANSWERING, Use.MODEL))
    per_item, rest = divmod(total or number, max(1, number))
    items = filled(ngettext("%(number)s item", "%(number)s items", number), number=number)
    if rest:
        responses = filled(
            ngettext("%(number)s response", "%(number)s responses", total), number=total
        )
        words = _("%(items)s with %(responses)s%(models)s.")
    else:
        words = _("%(items)s, each with %(responses)s%(models)s.")
        if number == 1:
            words = _("One item with %(responses)s%(models)s.")
        one = pgettext("of an item: with one response", "one response")
        several = ngettext("%(number)s response", "%(number)s responses", per_item)
        responses = one if per_item == 1 else filled(several, number=per_item)
    models = _models(profile, mapping, is_one=per_item == 1 and not rest)
    return filled(words, items=items, responses=responses, models=models)


def _models(profile: Profile, mapping: Mapping, *, is_one: bool) -> str:
    names = {*mapping.models.values()}
    for path in mapping.of(Use.MODEL):
        column = profile.columns.get(path)
        entries = column.entries if column and column.entries else column
        names |= {*entries.counts} if entries else set()
    match len(names):
        case 0:
            return ""
        case 1:
            return filled(_(" by %(model)s"), model=names.pop())
        case number if is_one:
            return filled(_(" by one of %(number)s models"), number=number)
        case number:
            return filled(_(" by %(number)s models"), number=number)


def _seen(choices: Sequence[ColumnChoice]) -> str:
    parts = []
    for use, words in AS.items():
        paths = [choice.path for choice in choices if choice.use is use]
        paths = [*dict.fromkeys(path.removesuffix("[*].text") for path in paths)]
        if paths:
            parts.append(filled(words, columns=cut(map(quoted, paths))))
    if not parts:
        return ""
    *most, last = parts
    if most:
        last = filled(_("%(columns)s and %(last)s"), columns=", ".join(most), last=last)
    return filled(_("Annotators see %(columns)s."), columns=last)


def _hidden(choices: Sequence[ColumnChoice]) -> str:
    """Return what annotators do not see; what looks like more first."""
    hidden = [choice for choice in choices if choice.use in (Use.METADATA, Use.SOURCE)]
    hidden.sort(key=lambda choice: choice.certainty is not Certainty.LIKELY)
    names = [
        f"{quoted(choice.path)} ({choice.reason})"
        if choice.certainty is Certainty.LIKELY and choice.reason
        else choice.path
        for choice in hidden
    ]
    return filled(_("Kept from them: %(columns)s."), columns=cut(names)) if names else ""


def _open(choices: Sequence[ColumnChoice]) -> str:
    names = [quoted(choice.path) for choice in choices if choice.certainty is Certainty.OPEN]
    return filled(_("To be chosen: %(columns)s."), columns=cut(names)) if names else ""


def _ratings(profile: Profile, mapping: Mapping) -> str:
    if not mapping.repeats:
        return ""
    columns = [profile.columns[path] for path in mapping.of(Use.SCORE) if path in profile.columns]
    number = sum(ScoreColumn(column, profile.rows).answers for column in columns)
    people = [*_people(profile, mapping)]
    names = [name for name in people if "@" not in name and name != FILE]
    words = filled(ngettext("%(number)s score", "%(number)s scores", number), number=number)
    if people and mapping.scoring.slots:
        of = ngettext("in %(number)s slot", "in %(number)s slots", len(people))
        words = f"{words} {filled(of, number=len(people))}"
    elif people:
        by = ngettext("by %(number)s person", "by %(number)s people", len(people))
        words = f"{words} {filled(by, number=len(people))}"
    titles = mapping.reader.titles
    scales = [
        filled(
            _("“%(dimension)s” from %(lowest)s to %(highest)s"),
            dimension=titles.get(code, code),
            lowest=low,
            highest=high,
        )
        for code, (low, high) in mapping.scoring.scales.items()
    ]
    if names:
        words = f"{words}: {cut(names)}"
    return f"{words}, {filled(_('in %(scales)s'), scales=cut(scales))}." if scales else f"{words}."


def _people(profile: Profile, mapping: Mapping) -> Iterator[str]:
    """Yield the names of who rated."""
    keys = mapping.rating_keys
    names = {keys[path].rater for path in mapping.of(Use.SCORE) if path in keys}
    columns = [profile.columns[path] for path in mapping.of(Use.RATER) if path in profile.columns]
    for column in columns:
        names |= {*(column.entries or column).counts}
    names |= {mapping.scoring.rater}
    if not any(names):  # their numbers in lists
        lists = [ScoreColumn(profile.columns[path], profile.rows) for path in mapping.of(Use.SCORE)]
        sizes = [size for column in lists for size in column.sizes]
        names = {*map(str, range(1, max(sizes, default=0) + 1))}
    names = {" ".join(name.split()) for name in names if name}
    merged = mapping.scoring.merged
    yield from sorted({merged.get(name, name) for name in names})


def _values(column: ColumnProfile) -> int:
    """Return how many values a column has, those in its lists one by one."""
    inner = column.entries
    return column.number - column.filled + inner.number if inner else column.number


def quoted(path: str) -> str:
    return filled(_("“%(column)s”"), column=path)


def cut(names: Iterable[str]) -> str:
    """Return names as a list in words, cut after some."""
    several = [*names]
    if len(several) <= MOST_NAMES + 1:
        return ", ".join(several)
    more = filled(_("and %(number)s more"), number=len(several) - MOST_NAMES)
    return f"{', '.join(several[:MOST_NAMES])} {more}"
