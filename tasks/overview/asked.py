"""Dimensions that are not asked for every item: for how many they are, and what they need."""

from collections.abc import Iterator

from django.contrib.humanize.templatetags.humanize import apnumber, intcomma
from django.utils.text import get_text_list
from django.utils.translation import gettext as _, ngettext

from rubrics.schema import Needs
from tasks.models import Item, Project


def not_asked(project: Project, **which: int) -> Iterator[str]:
    """Yield a sentence for each dimension that is not asked for every item of these batches."""
    batches = project.batches.filter(**which)
    dimensions = project.rubric.schema.dimensions
    in_need = [each for each in dimensions if each.needs != Needs()]
    by_tags = [each for each in in_need if each.needs == Needs(tags=each.needs.tags)]
    if len(by_tags) > 3:  # a sentence for all of them
        yield _("%(number)s dimensions are asked by the items’ tags.") % {"number": len(by_tags)}
        in_need = [each for each in in_need if each not in by_tags]
    for dimension in in_need:
        asked = sum(batch.count_asked()[dimension.code] for batch in batches)
        items = sum(batch.size - batch.dropped for batch in batches)
        if asked < items:
            yield ngettext(
                "%(dimension)s is asked for %(asked)s of %(items)s item: %(needs)s.",
                "%(dimension)s is asked for %(asked)s of %(items)s items: %(needs)s.",
                items,
            ) % {
                "dimension": dimension.title,
                "asked": intcomma(asked),
                "items": intcomma(items),
                "needs": _in_words(dimension.needs),
            }
    if which and all(each.needs != Needs() for each in dimensions):
        nothing = sum(Item.objects.asked_nothing(batch).count() for batch in batches)
        if nothing:
            yield ngettext(
                "%(number)s item is asked nothing, so nobody can rate it.",
                "%(number)s items are asked nothing, so nobody can rate them.",
                nothing,
            ) % {"number": intcomma(nothing)}


def _in_words(needs: Needs) -> str:
    of_item = [_("a persona")] * needs.persona + [_("a history")] * needs.history
    if needs.tags:
        of_item.append(_("the tag %(tags)s") % {"tags": get_text_list([*needs.tags], _("or"))})
    of_model = [
        words % {"number": apnumber(number)}
        for number, words in (
            (
                needs.candidates,
                ngettext(
                    "one response to a history",
                    "%(number)s responses to a history",
                    needs.candidates,
                ),
            ),
            (
                needs.other_histories,
                ngettext(
                    "one other history in the batch",
                    "%(number)s other histories in the batch",
                    needs.other_histories,
                ),
            ),
        )
        if number
    ]
    return "; ".join(
        words % {"what": get_text_list(parts, _("and"))}
        for parts, words in (
            (of_item, _("an item needs %(what)s")),
            (of_model, _("a model needs %(what)s")),
        )
        if parts
    )
