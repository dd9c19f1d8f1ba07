"""The list of a project's items by their IDs, a page at a time, with the scores of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rubrics.schema import Dimension
from tasks.item_pages.side_by_side import ColouredScore
from tasks.models import Concern, Item, Project, Response, Score
from tasks.overview.drawing import colour_of

ON_A_PAGE = 50
LONGEST_GIST = 120  # characters


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item with the scores that count, by column."""

    item: Item
    gist: str
    cells: tuple[tuple[ColouredScore, ...], ...]
    spread: int | None  # None where nothing was scored twice
    is_flagged: bool


@dataclass(frozen=True, slots=True)
class ItemPage:
    """One page of the list; `columns` are models, or places in the upload."""

    columns: tuple[str, ...]
    rows: tuple[ListedItem, ...]
    before: str  # the ID that the page before ends before; "" for none
    after: str  # the ID that the next page begins after; "" for none


def listed_items(
    project: Project, dimension: Dimension, *, by_model: bool, after: str = "", before: str = ""
) -> ItemPage:
    """Return the items after or before an ID, or else the first ones."""
    items, has_before, has_after = _items(project, after, before)
    responses: dict[int, list[Response]] = defaultdict(list)
    for response in Response.objects.filter(item__in=items).defer("text").order_by("position"):
        responses[response.item_id].append(response)
    columns = _columns(responses, by_model=by_model)
    scores = _scores(items, dimension)
    flagged = set(
        Concern.objects.filter(item__in=items, decision="").values_list("item", flat=True)
    )
    rows = tuple(
        _listed(item, responses[item.pk], scores[item.pk], dimension, columns, by_model, flagged)
        for item in items
    )
    return ItemPage(
        columns,
        rows,
        before=items[0].external_id if has_before else "",
        after=items[-1].external_id if has_after else "",
    )


def _items(project: Project, after: str, before: str) -> tuple[list[Item], bool, bool]:
    """Return a page of items, and whether there are others before and after it."""
    every = project.items.order_by("external_id")
    if before:
        found = list(every.filter(external_id__lt=before).reverse()[: ON_A_PAGE + 1])
        return found[:ON_A_PAGE][::-1], len(found) > ON_A_PAGE, bool(found)
    found = list((every.filter(external_id__gt=after) if after else every)[: ON_A_PAGE + 1])
    return found[:ON_A_PAGE], bool(after and found), len(found) > ON_A_PAGE


def _columns(responses: Mapping[int, Sequence[Response]], *, by_model: bool) -> tuple[str, ...]:
    every = [response for some in responses.values() for response in some]
    if by_model:
        return tuple(sorted({response.model for response in every}))
    return tuple(map(str, sorted({response.position for response in every})))


Scored = dict[int | str, list[int]]  # scores by the response's key, or the model of the set


def _scores(items: Sequence[Item], dimension: Dimension) -> Mapping[int, Scored]:
    found: dict[int, Scored] = defaultdict(lambda: defaultdict(list))
    counted = Score.objects.filter(
        rating__item__in=items,
        rating__kind="counted",
        rating__superseded_by=None,
        dimension=dimension.code,
    ).order_by("rating")
    of_item = counted.values_list("rating__item", "response", "model", "value")
    for item, response, model, value in of_item:
        found[item][model if response is None else response].append(value)
    return found


def _listed(
    item: Item,
    responses: Sequence[Response],
    scored: Scored,
    dimension: Dimension,
    columns: Sequence[str],
    by_model: bool,
    flagged: set[int],
) -> ListedItem:
    cells: dict[str, list[int]] = defaultdict(list)
    for response in responses:
        column = response.model if by_model else str(response.position)
        cells[column] += scored.get(response.pk, [])
    for model, values in scored.items():
        if isinstance(model, str):  # a candidate set stands where its first response does
            first = next((each for each in responses if each.model == model), None)
            cells[model if by_model or first is None else str(first.position)] += values
    spreads = [max(values) - min(values) for values in scored.values() if len(values) > 1]
    gist = item.messages[-1]["text"] if item.messages else (item.context or " ".join(item.persona))
    return ListedItem(
        item,
        " ".join(gist[: 2 * LONGEST_GIST].split())[:LONGEST_GIST],
        tuple(
            tuple(
                ColouredScore(value, colour_of(value - dimension.lowest, len(dimension.scores)))
                for value in cells[column]
            )
            for column in columns
        ),
        max(spreads, default=None),
        item.pk in flagged,
    )
