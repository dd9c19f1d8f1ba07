"""A part of a rubric that does not fit the others, in words, and misfits that any part may have.

`wellformed`, `check_misfits` and `rule_misfits` yield a `Misfit` for each: its path in the
document, and a message that says what is wrong and what to do.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple, TypeAlias

from django.utils.translation import gettext as _, pgettext

from ..judging.dimension import Dimension
from ..judging.parts import COMMENT, Condition

MOST_LIKE = 40  # names that one is compared with
MOST_NAMED = 50  # names in a list
LONGEST_NAME = 80  # letters of a code
Path: TypeAlias = tuple[str, ...]  # by codes: ("dimensions", "quality", "levels", "3")


class Misfit(NamedTuple):
    """A part that does not fit: its path, and what is wrong with it and what to do."""

    path: Path
    message: str
    fact: str = ""  # the name of the fact, if no check asserts it


def misfit(path: Path, message: str, /, **placeholders: object) -> Misfit:
    """Return a misfit. The message has a place for each of the values."""
    return Misfit(path, message % placeholders)


def repeated_names(names: Iterable[str], where: Path, key: str = "code") -> Iterator[Misfit]:
    """Yield the names that stand more than once in a list of parts; without `key`, of names."""
    for name, number in sorted(Counter(names).items()):
        if number > 1:
            path = (*where, name, key) if key else where
            message = _('"%(name)s" appears more than once; give each its own')
            yield misfit(path, message, name=name)


def too_small(number: int, least: int, where: Path) -> Iterator[Misfit]:
    """Yield a number that is below the least."""
    if number < least:
        message = _("%(number)s; it is %(least)s or more")
        yield misfit(where, message, number=number, least=least)


def scores_off_scale(
    dimension: Dimension, mentioned_scores: Iterable[int], where: Path
) -> Iterator[Misfit]:
    """Yield the scores that the scale of a dimension does not have."""
    low = dimension.lowest
    high = dimension.highest
    for score in mentioned_scores:
        if not low <= score <= high:
            message = _("%(score)s; %(code)s goes from %(low)s to %(high)s")
            yield misfit(where, message, score=score, code=dimension.code, low=low, high=high)


def misfits_of_condition(
    condition: Condition, dimension: Dimension, where: Path
) -> Iterator[Misfit]:
    """Yield unknown and repeated facts, and an `at_least` that does not fit its list."""
    for part in ("all_of", "any_of", "none_of", "of"):
        names = getattr(condition, part)
        path = (*where, part)
        yield from unknown_facts(dimension, names, path)
        yield from repeated_names(names, path, "")
    least = condition.at_least
    most = len(condition.of)
    if bool(least) != bool(most):
        yield misfit(where, _('"at_least" and "of" go together'))
    elif not 0 <= least <= most:
        message = _('%(least)s; "of" names %(most)s')
        yield misfit((*where, "at_least"), message, least=least, most=most)


def unknown_facts(dimension: Dimension, names: Iterable[str], where: Path) -> Iterator[Misfit]:
    """Yield the names that no check of a dimension asserts."""
    known = frozenset(dimension.facts)
    may_need_comment = not {"needs", "or_needs"}.isdisjoint(where)
    for name in names:
        is_misplaced = name == COMMENT and not may_need_comment
        if is_misplaced or name not in known:
            yield Misfit(where, _unknown_name(name, dimension), name)


def _unknown_name(name: str, dimension: Dimension) -> str:
    """Return what a name is that no check asserts, and what to do."""
    if name == COMMENT and dimension.needs_comment:
        message = _('"%(name)s" belongs in the "needs" of a require alone; take it out')
        return message % {"name": name}
    for check in dimension.checks:
        if not check.needs_answer:
            continue
        sets = {answer.code: answer.sets for answer in check.answers}
        if name in sets:
            message = _('"%(name)s" is an answer of "%(check)s": give it "sets"')
            if sets[name]:
                message = _('"%(name)s" is an answer of "%(check)s"; name what it sets, "%(fact)s"')
            return message % {"name": name, "check": check.code, "fact": sets[name]}
        if name == check.code:
            message = _('"%(name)s" is a question; name what an answer sets: %(facts)s')
            return message % {"name": name, "facts": list_of_names(check.facts)}
    message = _('"%(name)s" is no check of %(code)s%(perhaps)s; its checks are %(names)s')
    return message % {
        "name": name,
        "code": dimension.code,
        "perhaps": suggestion(name, dimension.facts),
        "names": list_of_names(dimension.facts),
    }


def suggestion(word: object, known: Collection[str]) -> str:
    """Return the known word that comes nearest to an unknown one, for the end of a clause.

    Only words of about the same length count where there are many.
    """
    text = str(word)[:LONGEST_NAME].lower()
    by_length = sorted(known, key=lambda name: abs(len(name) - len(text)))
    candidates = [name for name in by_length[:MOST_LIKE] if len(name) <= LONGEST_NAME]
    for match in get_close_matches(text, candidates, 1):
        message = pgettext("after a name that is not known", ', perhaps "%(name)s"')
        return message % {"name": match}
    return ""


def list_of_names(names: Iterable[str]) -> str:
    """Return the names with commas, as many as a message has room for."""
    first_names = [*islice(names, MOST_NAMED + 1)]
    if len(first_names) > MOST_NAMED:
        first_names[-1] = "…"
    return ", ".join(first_names) or pgettext("in place of a list of names", "none")
