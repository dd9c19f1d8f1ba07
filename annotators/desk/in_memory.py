"""Items that are not stored, for a desk that a lead tries.

A draft of a rubric is tried on the texts pasted for it, on its own examples, and on demonstration
items. A project without items is previewed with a demonstration item.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _

from rubrics.models import RubricDraft
from rubrics.page import said_in
from rubrics.rules import judge
from rubrics.schema import Dimension, Example, Verdict
from rubrics.shipped import FOLDER, SLUGS
from tasks.answers import NO_ANSWERS, TICKED, Answers
from tasks.models import Batch, Item, Project, Response
from tasks.rating_form.item_view import ItemView

DEMONSTRATED = 2  # items that show a rubric without examples


@dataclass(frozen=True, slots=True)
class Tried:
    """An item to try a draft on."""

    item: Item
    name: str
    of: tuple[Dimension, Example] | None = None  # the example that it is

    def is_about(self, dimension: Dimension) -> bool:
        """Return False for an example of another dimension."""
        return self.of is None or self.of[0] == dimension

    @property
    def barred_by(self) -> str:
        """The clause, or else the rule, that bars the score of the example; "" for none."""
        if self.of is None:
            return ""
        dimension, example = self.of
        judged = judge(dimension, example.checks)
        if not isinstance(judged, Verdict):
            return judged.clashes[0].clause or dimension.listed(judged.clashes[0].checks)
        names = (each.clause or each.rule for each in judged.bars(example.score))
        return "" if example.score in judged.open else next(names, _("its condition"))

    def answers(self, view: ItemView) -> Answers:
        """Return the answers and the score of the example, as a form has them."""
        if self.of is None:
            return NO_ANSWERS
        dimension, example = self.of
        fields: dict[str, str] = {}
        for target in view.targets(dimension):
            slot, whole = (view.slot(each, target) for each in (dimension, view.rubric.whole))
            if not dimension.given:
                fields[slot.name] = str(example.score)
            for part, checks in ((slot, dimension.checks), (whole, dimension.shared)):
                for said in said_in(example, dimension, checks):
                    answer = said["answer"]
                    fields[part.field_of(said["check"])] = answer.code if answer else TICKED
        return Answers.read(fields)


def items_to_try(draft: RubricDraft, project: Project) -> list[Tried]:
    """Return the items to try a draft on, in order. The project has its rubric."""
    demos = enumerate(demonstrations(project), start=1)
    return [
        *_pasted(draft, project),
        *(
            tried
            for dimension in project.rubric.schema.dimensions
            for tried in _examples(dimension, project)
        ),
        *(Tried(item, _("Conversation %(number)s") % {"number": n}) for n, item in demos),
    ]


def demonstrations(project: Project) -> Iterator[Item]:
    """Yield items of the shipped rubric whose items have what the project's rubric asks about."""
    needs = [each.needs for each in project.rubric.schema.dimensions]
    is_talk = any(each.persona or each.history or each.candidates for each in needs)
    lines = _lines("dialogue" if is_talk else SLUGS[0])
    for line in lines[:DEMONSTRATED]:
        elsewhere: dict[str, list[str]] = {}
        for other in lines:
            for said in other["responses"] if other is not line else ():
                elsewhere.setdefault(said["model"], []).append(said["text"])
        yield _item(
            project,
            [(said["model"], said["text"]) for said in line["responses"]],
            line["history"],
            persona=line.get("persona", ()),
            elsewhere=elsewhere,
        )


def _pasted(draft: RubricDraft, project: Project) -> Iterator[Tried]:
    if draft.pasted:
        prompt, *texts = draft.pasted
        asked = [{"role": "user", "text": prompt}] if prompt else []
        yield Tried(_item(project, [("", text) for text in texts], asked), _("Pasted texts"))


def _examples(dimension: Dimension, project: Project) -> Iterator[Tried]:
    examples = [example for level in dimension.levels for example in level.examples]
    for number, example in enumerate(examples, start=1):
        item = _item(
            project,
            [("", text) for text in example.candidates or (example.response or "",)],
            map(asdict, example.history),
            persona=example.persona,
            elsewhere={"": example.elsewhere},
        )
        names = {"number": number, "title": dimension.title}
        yield Tried(item, _("Example %(number)s of %(title)s") % names, (dimension, example))


@cache
def _lines(slug: str) -> list[dict[str, Any]]:
    """Return the demonstration items of a shipped rubric, as in their file."""
    with (FOLDER / f"demo-{slug}.items.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _item(
    project: Project,
    responses: Sequence[tuple[str, str]],
    messages: Iterable[dict[str, str]],
    *,
    persona: Iterable[str] = (),
    elsewhere: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Item:
    """Return an item with these responses: their models and texts. It has each tag asked for."""
    dimensions = project.rubric.schema.dimensions
    item = Item(
        pk=0,
        project=project,
        batch=Batch(pk=0, project=project),
        external_id=_("example"),
        persona=list(persona),
        messages=list(messages),
        metadata={"tags": [tag for each in dimensions for tag in each.needs.tags]},
    )
    item.elsewhere = elsewhere
    item.own_responses = [
        Response(pk=position, position=position, model=model, text=text)
        for position, (model, text) in enumerate(responses, start=1)
    ]
    return item
