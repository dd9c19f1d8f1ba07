"""A rating of a file as the rows of its tables."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from itertools import count, filterfalse
from typing import NamedTuple, Self, TypeAlias

from django.db.models import Model
from django.utils.translation import gettext as _

from rubrics.judging.schema import Rubric
from tasks.answers.slot_answers import ASKED, WHOLE, FieldName
from tasks.models import FactCheck, Placement, Project, Rating, RatingFile, Score

from ..batches.tables import json_text
from ..columns.scoring import RatedTarget, RatingRow
from .judging import ImportedScore, RatingRefused, Slot, WholeRating, answered, fault

REMARK = re.compile(r"(?:([^ ]*?): )?(.+)", re.DOTALL)  # perhaps with a clause
COLUMNS: Mapping[type[Model], str] = {
    Rating: """
        id project_id item_id rater_id file_id line rubric_id attempt kind extra_because
        revision supersedes_id comment not_sure fingerprint asked view active_seconds
        elapsed_seconds started_at submitted_at
    """,
    Placement: "rating_id response_id position comment checks",
    Score: """
        project_id rating_id dimension unit response_id model position value without open clauses
        breaks remarks checks
    """,
    FactCheck: "rating_id response_id position claim outcome sources seconds over_time",
}
TableRow: TypeAlias = Mapping[str, object]  # by the names in COLUMNS


class StoredResponse(NamedTuple):
    """A response of an item, or a candidate set, as the database has it."""

    pk: int  # 0: the candidate set of the model
    model: str
    digest: str  # of its text


class StoredItem(NamedTuple):
    """An item as the database has it."""

    pk: int
    batch: int
    stored_responses: Sequence[StoredResponse]


@dataclass(frozen=True)
class NewRating:
    """A rating with the item and the responses that it is of."""

    key: int
    rating: WholeRating
    item: StoredItem
    responses_by_target: Mapping[RatedTarget, StoredResponse]
    rows_by_response: Mapping[int, RatingRow]  # by the keys of responses
    positions: Mapping[int, int]  # of all responses of the item, by their keys

    @classmethod
    def of(cls, key: int, rating: WholeRating, item: StoredItem) -> Self:
        """Find the responses that a rating is of. Raises RatingRefused."""
        by_target = {target: row for (target, _code), row in rating.rows_by_slot.items()}
        responses = {}
        rows = {}
        for target, row in by_target.items():
            response = responses[target] = _response(row, item.stored_responses)
            if response.pk:
                rows[response.pk] = row
        return cls(
            key=key,
            rating=rating,
            item=item,
            responses_by_target=responses,
            rows_by_response=rows,
            positions=_positions(rating, item, rows),
        )

    def row(
        self, project: Project, file: RatingFile, revision: int, supersedes: int | None
    ) -> TableRow:
        """Return the row of its own table."""
        first = self.rating.first_row
        extra = _cell(first, "extra_because")
        if not extra and _cell(first, "kind") == Rating.Kind.EXTRA:
            extra = Rating.Extra.FULL.value
        times = [row.at for row in self.rating.rows_by_slot.values() if row.at]
        return {
            "id": self.key,
            "project_id": project.pk,
            "item_id": self.item.pk,
            "rater_id": self.rating.rater,
            "file_id": file.pk,
            "line": first.line,
            "rubric_id": project.rubric_id,
            "attempt": self.rating.attempt,
            "kind": Rating.Kind.IMPORTED,
            "extra_because": extra,
            "revision": revision,
            "supersedes_id": supersedes,
            "comment": _cell(first, "item_comment"),
            "not_sure": False,
            "fingerprint": "",
            "asked": json_text(self._field_answers()),
            "view": _cell(first, "view"),
            "active_seconds": _cell(first, "active_seconds") or None,
            "elapsed_seconds": _cell(first, "elapsed_seconds") or None,
            "started_at": _cell(first, "started_at") or None,
            "submitted_at": max(times, default=None),
        }

    def placements(self, rubric: Rubric) -> Iterator[TableRow]:
        """Yield a row for each response of the item."""
        part = WHOLE if self.rating.first_row.exported else ""
        for pk, position in self.positions.items():
            row = self.rows_by_response.get(pk)
            checks = row.check_cells.get(part, {}) if row else {}
            yield {
                "rating_id": self.key,
                "response_id": pk,
                "position": position,
                "comment": row.comment if row else "",
                "checks": json_text(answered(rubric.checks, checks)),
            }

    def fact_checks(self) -> Iterator[TableRow]:
        """Yield a row for each claim that was looked up."""
        for pk, row in self.rows_by_response.items():
            facts = json.loads(_cell(row, "facts") or "[]")
            for number, fact in enumerate(facts, start=1):
                yield {
                    "rating_id": self.key,
                    "response_id": pk,
                    "position": number,
                    "claim": fact["claim"],
                    "outcome": fact["outcome"],
                    "sources": "\n".join(fact["sources"]),
                    "seconds": fact["seconds"],
                    "over_time": fact["over_time"],
                }

    def scores(
        self, scores_by_slot: Mapping[Slot, ImportedScore], project: Project
    ) -> Iterator[TableRow]:
        """Yield a row for each score, in the order of the file: that of the desk in our export."""
        for slot in self.rating.rows_by_slot:
            if slot not in scores_by_slot:
                continue
            target, code = slot
            response, score = self.responses_by_target[target], scores_by_slot[slot]
            exported = _cell(score.rating_row, "position") or 1
            yield {
                "project_id": project.pk,
                "rating_id": self.key,
                "dimension": code,
                "unit": project.rubric.schema.dimension(code).unit.value,
                "response_id": response.pk or None,
                "model": response.model,
                "position": self.positions.get(response.pk) or int(exported),
                "value": score.value,
                "without": score.without,
                **_judgement(score),
            }

    def _field_answers(self) -> dict[str, str]:
        """Return the answers that were asked beside a score, by the fields of the form."""
        answers = {}
        for (_target, code), row in self.rating.rows_by_slot.items():
            unit, position = _cell(row, "unit"), _cell(row, "position")
            entries = _cell(row, "asked").split(";")
            if unit and position:
                for entry in filter(None, entries):
                    check, _equals, answer = entry.partition("=")
                    field = FieldName(f"{unit[0]}{position}", code, check, ASKED)
                    answers[str(field)] = answer
        return answers


def _positions(
    rating: WholeRating, item: StoredItem, rows_by_response: Mapping[int, RatingRow]
) -> dict[int, int]:
    """Return the positions of an item's responses on the desk. Raises RatingRefused.

    They are as exported. The others have the free positions, in the order of the upload.
    """
    exported = {}
    for pk, row in rows_by_response.items():
        if position := _cell(row, "position"):
            exported[pk] = int(position)
    used = {*exported.values()}
    if len(used) < len(exported):
        reason = _("has two responses in one position")
        advice = _("export it again, or leave the row out")
        raise RatingRefused(fault(rating.first_row, reason, advice))
    free = filterfalse(used.__contains__, count(1))
    positions = {}
    for response in item.stored_responses:
        positions[response.pk] = exported.get(response.pk) or next(free)
    return positions


def _judgement(imported_score: ImportedScore) -> TableRow:
    """Return what the rules say of a score, as exported if it is of an export."""
    open_scores, clauses = [*imported_score.open], [*imported_score.broken_clauses]
    if verdict := _cell(imported_score.rating_row, "verdict"):
        open_scores = [int(value) for value in verdict.split(";")]
    exported_clauses = imported_score.rating_row.exported.get("clause")
    if exported_clauses is not None:
        clauses = [*filter(None, exported_clauses.split(";"))]
    remarks = []
    # A cell such as `A1: too short | too long`.
    for text in _cell(imported_score.rating_row, "remarks").split(" | "):
        if match := REMARK.fullmatch(text):
            remarks.append({"clause": match[1] or "", "rule": "", "text": match[2]})
    return {
        "open": open_scores,
        "clauses": clauses,
        "breaks": [*imported_score.breaks],
        "remarks": json_text(remarks),
        "checks": json_text(imported_score.check_answers),
    }


def _response(rating_row: RatingRow, stored_responses: Sequence[StoredResponse]) -> StoredResponse:
    """Return the response or the candidate set that a row rates. Raises RatingRefused."""
    number, model, text = rating_row.target
    matches = list(stored_responses)
    if _cell(rating_row, "unit") == "candidate_set":
        models = {response.model for response in stored_responses}
        matches = [StoredResponse(0, name, "") for name in models]
    elif number is not None:
        matches = matches[number - 1 : number]
    if model:
        matches = [response for response in matches if response.model == model]
    if text and len(stored_responses) > 1:
        digest = md5(text.text.encode(), usedforsecurity=False).hexdigest()
        matches = [response for response in matches if response.digest == digest]
    if len(matches) == 1:
        return matches[0]
    value = model or str(number or "")
    reason = _("is no response of the item")
    if not value:
        reason = _("does not say which response it is of")
    advice = _("give the response’s number or its model")
    raise RatingRefused(fault(rating_row, reason, advice, value=value))


def _cell(rating_row: RatingRow, name: str) -> str:
    """Return a cell of our own export, or "" if the row has none."""
    return rating_row.exported.get(name, "")
