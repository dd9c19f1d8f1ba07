"""Dimensions that are not asked for every item: for how many they are, and what they need."""

from collections.abc import Iterable, Iterator

from django.contrib.humanize.templatetags.humanize import apnumber, intcomma
from django.utils.text import get_text_list
from django.utils.translation import gettext as _, ngettext

from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import Needs
from tasks.models import Batch, Item, Project

MOST_BY_TAGS = 3  # dimensions that need tags alone and are told one by one


def partly_applied(project: Project, **which: int) -> Iterator[str]:
    """Yield a sentence for each dimension that is not asked for every item of these batches."""
    batches = project.batches.filter(**which)
    dimensions = project.rubric.schema.dimensions
    in_need = [dimension for dimension in dimensions if dimension.needs != Needs()]
    by_tags = [dimension for dimension in in_need if _needs_tags_alone(dimension)]
    if len(by_tags) > MOST_BY_TAGS:  # a sentence for all of them
        yield _("%(number)s dimensions are asked by the items’ tags.") % {"number": len(by_tags)}
        in_need = [dimension for dimension in in_need if dimension not in by_tags]
    for dimension in in_need:
        yield from _part_in_words(dimension, batches)
    is_any_always = any(dimension.needs == Needs() for dimension in dimensions)
    if which and not is_any_always:
        yield from _items_without_any(batches)


def _needs_tags_alone(dimension: Dimension) -> bool:
    return dimension.needs == Needs(tags=dimension.needs.tags)


def _part_in_words(dimension: Dimension, batches: Iterable[Batch]) -> Iterator[str]:
    applicable = sum(batch.count_applicable()[dimension.code] for batch in batches)
    items = sum(batch.size - batch.dropped for batch in batches)
    if applicable < items:
        yield ngettext(
            "%(dimension)s is asked for %(asked)s of %(items)s item: %(needs)s.",
            "%(dimension)s is asked for %(asked)s of %(items)s items: %(needs)s.",
            items,
        ) % {
            "dimension": dimension.title,
            "asked": intcomma(applicable),
            "items": intcomma(items),
            "needs": _needs_in_words(dimension.needs),
        }


def _items_without_any(batches: Iterable[Batch]) -> Iterator[str]:
    number = sum(Item.objects.without_any_dimension(batch).count() for batch in batches)
    if number:
        yield ngettext(
            "%(number)s item is asked nothing, so nobody can rate it.",
            "%(number)s items are asked nothing, so nobody can rate them.",
            number,
        ) % {"number": intcomma(number)}


def _needs_in_words(needs: Needs) -> str:
    parts = []
    of_item = _item_needs(needs)
    if of_item:
        parts.append(_("an item needs %(what)s") % {"what": get_text_list(of_item, _("and"))})
    of_model = _model_needs(needs)
    if of_model:
        parts.append(_("a model needs %(what)s") % {"what": get_text_list(of_model, _("and"))})
    return "; ".join(parts)


def _item_needs(needs: Needs) -> list[str]:
    words = []
    if needs.persona:
        words.append(_("a persona"))
    if needs.history:
        words.append(_("a history"))
    if needs.tags:
        words.append(_("the tag %(tags)s") % {"tags": get_text_list([*needs.tags], _("or"))})
    return words


def _model_needs(needs: Needs) -> list[str]:
    words = []
    if needs.candidates:
        candidates = ngettext(
            "one response to a history",
            "%(number)s responses to a history",
            needs.candidates,
        )
        words.append(candidates % {"number": apnumber(needs.candidates)})
    if needs.other_histories:
        histories = ngettext(
            "one other history in the batch",
            "%(number)s other histories in the batch",
            needs.other_histories,
        )
        words.append(histories % {"number": apnumber(needs.other_histories)})
    return words
