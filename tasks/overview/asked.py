"""Dimensions that are not asked for every item: for how many they are, and what they need."""

from django.contrib.humanize.templatetags.humanize import apnumber, intcomma
from django.db.models import QuerySet
from django.utils.text import get_text_list
from django.utils.translation import gettext as _, ngettext

from rubrics.schema import Needs
from tasks.models import Batch, Project


def not_asked(project: Project, batches: QuerySet[Batch]) -> list[str]:
    """Return a sentence for each dimension that is not asked for every item of these batches."""
    dimensions = [each for each in project.rubric.schema.dimensions if each.needs != Needs()]
    counts = [(batch.size, batch.count_asked()) for batch in batches] if dimensions else []
    items = sum(size for size, _asked in counts)
    said = []
    for dimension in dimensions:
        asked = sum(numbers[dimension.code] for _size, numbers in counts)
        if asked < items:
            sentence = ngettext(
                "%(dimension)s is asked for %(asked)s of %(items)s item: %(needs)s.",
                "%(dimension)s is asked for %(asked)s of %(items)s items: %(needs)s.",
                items,
            )
            said.append(
                sentence
                % {
                    "dimension": dimension.title,
                    "asked": intcomma(asked),
                    "items": intcomma(items),
                    "needs": _in_words(dimension.needs),
                }
            )
    return said


def _in_words(needs: Needs) -> str:
    of_item = [_("a persona")] * needs.persona + [_("a history")] * needs.history
    of_model = []
    if needs.candidates:
        text = ngettext(
            "one response to a history", "%(number)s responses to a history", needs.candidates
        )
        of_model.append(text % {"number": apnumber(needs.candidates)})
    if needs.other_histories:
        text = ngettext(
            "one other history in the batch",
            "%(number)s other histories in the batch",
            needs.other_histories,
        )
        of_model.append(text % {"number": apnumber(needs.other_histories)})
    said = []
    if of_item:
        said.append(_("an item needs %(what)s") % {"what": get_text_list(of_item, _("and"))})
    if of_model:
        said.append(_("a model needs %(what)s") % {"what": get_text_list(of_model, _("and"))})
    return "; ".join(said)
