"""A rating of a file as the rows of its tables."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from itertools import count
from typing import Any, NamedTuple, Self, TypeAlias

from django.db.models import Model
from django.utils.translation import gettext as _

from rubrics.schema import Rubric
from tasks.answers import ASKED, WHOLE, FieldName
from tasks.models import FactCheck, Placement, Project, Rating, RatingFile, Score

from ..batches.tables import json_text
from ..columns.scoring import RatingRow, Target
from .judging import ImportedScore, RatingRefused, Slot, WholeRating, answered, fault

REMARK = re.compile(r"(?:([^ ]*?): )?(.+)", re.DOTALL)  # perhaps with a clause
COLUMNS: Mapping[type[Model], Sequence[str]] = {
    Rating: (
        *("id", "project_id", "item_id", "rater_id", "file_id", "line", "rubric_id", "attempt"),
        *("kind", "extra_because", "revision", "supersedes_id", "comment", "not_sure"),
        *("fingerprint", "asked", "view", "active_seconds", "elapsed_seconds", "started_at"),
        "submitted_at",
    ),
    Placement: ("rating_id", "response_id", "position", "comment", "checks"),
    Score: (
        *("project_id", "rating_id", "dimension", "unit", "response_id", "model", "position"),
        *("value", "without", "open", "clauses", "breaks", "remarks", "checks"),
    ),
    FactCheck: (
        *("rating_id", "response_id", "position", "claim", "outcome", "sources", "seconds"),
        "over_time",
    ),
}
TableRow: TypeAlias = tuple[Any, ...]


class StoredResponse(NamedTuple):
    """A response of an item, or a candidate set, as the database has it."""

    pk: int  # 0: the candidate set of the model
    model: str
    digest: str  # of its text


class StoredItem(NamedTuple):
    """An item as the database has it."""

    pk: int
    batch: int
    responses: Sequence[StoredResponse]


@dataclass(frozen=True)
class NewRating:
    """A rating with the item and the responses that it is of."""

    key: int
    rating: WholeRating
    item: StoredItem
    targets: Mapping[Target, StoredResponse]
    rows: Mapping[int, RatingRow]  # by the keys of responses
    positions: Mapping[int, int]  # of all responses of the item, by their keys

    @classmethod
    def of(cls, key: int, rating: WholeRating, item: StoredItem) -> Self:
        """Find the responses that a rating is of. Raises RatingRefused."""
        by_target = {target: row for (target, _code), row in rating.rows_by_slot.items()}
        targets = {target: _response(row, item.responses) for target, row in by_target.items()}
        rows = {targets[target].pk: row for target, row in by_target.items()}
        rows.pop(0, None)
        # The positions on the desk: as exported, else in the order of the upload.
        positions = {}
        for pk, row in rows.items():
            if position := _cell(row, "position"):
                positions[pk] = int(position)
        if len({*positions.values()}) < len(positions):
            reason = _("has two responses in one position")
            advice = _("export it again, or leave the row out")
            raise RatingRefused(fault(rating.first, reason, advice))
        free = (number for number in count(1) if number not in positions.values())
        ordered = {
            response.pk: positions.get(response.pk) or next(free) for response in item.responses
        }
        return cls(key, rating, item, targets, rows, ordered)

    def row(
        self, project: Project, file: RatingFile, revision: int, supersedes: int | None
    ) -> TableRow:
        """Return the row of its own table."""
        first, rating = self.rating.first, self.rating
        extra = _cell(first, "extra_because")
        if not extra and _cell(first, "kind") == Rating.Kind.EXTRA:
            extra = Rating.Extra.FULL.value
        times = [row.at for row in rating.rows_by_slot.values() if row.at]
        return (
            *(self.key, project.pk, self.item.pk, rating.rater, file.pk, first.line),
            *(project.rubric_id, rating.attempt, Rating.Kind.IMPORTED, extra),
            *(revision, supersedes, _cell(first, "item_comment"), False, ""),
            *(json_text(self._field_answers()), _cell(first, "view")),
            *(_cell(first, "active_seconds") or None, _cell(first, "elapsed_seconds") or None),
            *(_cell(first, "started_at") or None, max(times, default=None)),
        )

    def placements(self, rubric: Rubric) -> Iterator[TableRow]:
        """Yield a row for each response of the item."""
        part = WHOLE if self.rating.first.exported else ""
        for pk, position in self.positions.items():
            row = self.rows.get(pk)
            checks = row.checks.get(part, {}) if row else {}
            answers = json_text(answered(rubric.checks, checks))
            yield self.key, pk, position, row.comment if row else "", answers

    def fact_checks(self) -> Iterator[TableRow]:
        """Yield a row for each claim that was looked up."""
        for pk in self.positions:
            facts = _cell(self.rows[pk], "facts") if pk in self.rows else ""
            for number, fact in enumerate(json.loads(facts or "[]"), start=1):
                sources = "\n".join(fact["sources"])
                about = (self.key, pk, number, fact["claim"], fact["outcome"], sources)
                yield *about, fact["seconds"], fact["over_time"]

    def scores(self, scores: Mapping[Slot, ImportedScore], project: Project) -> Iterator[TableRow]:
        """Yield a row for each score, in the order of the file: that of the desk in our export."""
        for slot in self.rating.rows_by_slot:
            if slot not in scores:
                continue
            target, code = slot
            response, score = self.targets[target], scores[slot]
            position = self.positions.get(response.pk) or int(_cell(score.row, "position") or 1)
            unit = project.rubric.schema.dimension(code).unit.value
            where = (project.pk, self.key, code, unit, response.pk or None, response.model)
            yield *where, position, score.value, score.without, *_judgement(score)

    def _field_answers(self) -> dict[str, str]:
        """Return the answers that were asked beside a score, by the fields of the form."""
        answers = {}
        for (_target, code), row in self.rating.rows_by_slot.items():
            unit, position = _cell(row, "unit"), _cell(row, "position")
            if unit and position:
                for entry in filter(None, _cell(row, "asked").split(";")):
                    check, _equals, answer = entry.partition("=")
                    field = FieldName(f"{unit[0]}{position}", code, check, ASKED)
                    answers[str(field)] = answer
        return answers


def _judgement(score: ImportedScore) -> TableRow:
    """Return what the rules say of a score, as exported if it is of an export."""
    verdict, clauses = _cell(score.row, "verdict"), score.row.exported.get("clause")
    remarks = []
    # A cell such as `A1: too short | too long`.
    for text in _cell(score.row, "remarks").split(" | "):
        if match := REMARK.fullmatch(text):
            remarks.append({"clause": match[1] or "", "rule": "", "text": match[2]})
    return (
        [int(value) for value in verdict.split(";")] if verdict else list(score.open),
        list(score.clauses) if clauses is None else [*filter(None, clauses.split(";"))],
        *(list(score.breaks), json_text(remarks), json_text(score.checks)),
    )


def _response(row: RatingRow, responses: Sequence[StoredResponse]) -> StoredResponse:
    """Return the response or the candidate set that a row rates. Raises RatingRefused."""
    number, model, text = row.target
    matches = list(responses)
    if _cell(row, "unit") == "candidate_set":
        models = {response.model for response in responses}
        matches = [StoredResponse(0, name, "") for name in models]
    elif number is not None:
        matches = matches[number - 1 : number]
    if model:
        matches = [response for response in matches if response.model == model]
    if text and len(responses) > 1:
        digest = md5(text.text.encode(), usedforsecurity=False).hexdigest()
        matches = [response for response in matches if response.digest == digest]
    if len(matches) == 1:
        return matches[0]
    value = model or str(number or "")
    reason = _("is no response of the item") if value else _("does not say which response it is of")
    advice = _("give the response’s number or its model")
    raise RatingRefused(fault(row, reason, advice, value=value))


def _cell(row: RatingRow, name: str) -> str:
    """Return a cell of our own export, or "" if the row has none."""
    return row.exported.get(name, "")
