"""The items of an upload's file, as its page shows them before they are imported.

`uploading.py` imports a file to examine it, and rolls that back; before that it reads this.
"""

from collections.abc import Iterator
from statistics import median

from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _

from tasks.models import Item, Project
from tasks.overview.partial_dimensions import partly_applied
from tasks.text.excerpt import excerpt_of

from .batches.loading import Load
from .batches.row_places import count_models, longest_item
from .report import ItemExample, ItemsReport

FIRST = 3  # items to show
MOST_MODELS = 50
LONGEST_TEXT = 20_000  # characters of a text in a report


def items_report(load: Load) -> ItemsReport:
    """Return what a batch holds, within the transaction of its load."""
    batch = load.batch
    items = batch.items.order_by("position")
    empty = items.filter(pk__in=load.empty[:FIRST])
    blank = items.with_blank_prompt()
    wanted = items.aggregate(wanted=Sum("wanted", default=0))["wanted"]
    checks = partly_applied(batch.project, pk=batch.pk)
    return ItemsReport(
        number=load.items,
        responses=load.responses,
        models=tuple(count_models(MOST_MODELS)),
        wanted=wanted,
        hours=_hours(batch.project, wanted),
        empty=len(load.empty),
        empty_in=_ids(empty),
        blank_prompts=blank.count(),
        blank_prompts_in=_ids(blank[:FIRST]),
        remarks=(*load.text_remarks, *checks),
        examples=tuple(_examples(items, empty)),
    )


def _ids(item_query: QuerySet[Item]) -> tuple[str, ...]:
    return tuple(item_query.values_list("external_id", flat=True))


def _hours(project: Project, wanted: int) -> int:
    """Return how long the ratings take at the pace of the project, or 0 if none is known."""
    seconds = [pace for day in project.workdays.latest_by_annotator() for pace in day.recent]
    return round(wanted * median(seconds) / 3600) if seconds else 0


def _examples(item_query: QuerySet[Item], empty: QuerySet[Item]) -> Iterator[ItemExample]:
    """Yield the first items, the longest, and one with an empty response."""
    for item in item_query[:FIRST]:
        label = _("Item %(number)s") % {"number": item.position + 1}
        yield from _example(label, item)
    for item in item_query.filter(pk=longest_item()):
        yield from _example(_("The longest"), item)
    for item in empty[:1]:
        yield from _example(_("The first with an empty response"), item)


def _example(label: str, item: Item) -> Iterator[ItemExample]:
    """Yield an item with its longest texts cut, unless it lacks texts."""
    if item.lacks_texts:
        return
    messages = [turn | {"text": shortened(turn["text"])} for turn in item.messages]
    responses = item.responses.values_list("text", flat=True)
    yield ItemExample(
        label=label,
        external_id=item.external_id,
        persona=item.persona,
        warning=item.warning,
        context=shortened(item.context),
        system=shortened(item.system),
        reference=shortened(item.reference),
        source=shortened(item.source),
        messages=tuple(messages),
        responses=tuple(map(shortened, responses)),
        metadata=item.metadata,
    )


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else excerpt_of(text, LONGEST_TEXT).in_words
