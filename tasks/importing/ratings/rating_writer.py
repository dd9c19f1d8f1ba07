"""Write the ratings of a file: find their items and raters, judge them, and COPY them."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import md5
from itertools import count, islice
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Model
from django.utils.translation import gettext as _, ngettext

from config.web.raw_sql import all_rows
from tasks.answers import ASKED, WHOLE, FieldName
from tasks.models import (
    CorpusAnswer,
    FactCheck,
    ImportedRater,
    Placement,
    Project,
    Rating,
    RatingFile,
    Score,
)

from ..batches.loading import UploadRefused
from ..batches.tables import copy_into, json_text, new_keys
from ..columns.scoring import RatingRow
from ..files.rows import LineError, filled
from .judging import (
    ImportedScore,
    RatingRefused,
    Slot,
    WholeRating,
    answered,
    break_errors,
    fault,
    judged_scores,
    whole_ratings,
)

CHUNK = 1_000  # ratings
MOST_RATERS = 1_000  # each of them is a line on the pages
MOST_ROWS = 500_000  # in memory: some 700 bytes each
REMARK = re.compile(r"(?:([^ ]*?): )?(.+)", re.DOTALL)  # perhaps with a clause
# The items of a project with these ids. A text is told by its MD5.
THERE = """
SELECT item.external_id, item.id, item.batch_id, coalesce((
  SELECT jsonb_agg(jsonb_build_array(id, model, md5(text)) ORDER BY position)
  FROM tasks_response WHERE item_id = item.id), '[]')::text
FROM tasks_item AS item WHERE item.project_id = %s AND item.external_id = ANY(%s)
"""
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


class There(NamedTuple):
    """A response of an item, or a candidate set, as the database has it."""

    pk: int  # 0: the candidate set of the model
    model: str
    digest: str


@dataclass
class RatingLoad:
    """The ratings of a file on their way into a project."""

    project: Project
    file: RatingFile
    takes_breaks: bool = False  # scores that break a rule come in, with the rule's name
    report: Callable[[LineError], object] = lambda error: None
    ratings: int = 0
    scores: int = 0
    bad: int = 0
    breaks: Counter[str] = field(default_factory=Counter)  # scores that break a rule, by its name
    # Scores of dimensions that the rubric does not have, by the dimension's name in the file.
    left_out: Counter[str] = field(default_factory=Counter)
    batches: set[int] = field(default_factory=set)  # that have ratings of the file
    # About a model's whole corpus, from our own export; their items are names of batches.
    answers: list[RatingRow] = field(default_factory=list)
    # By item, rater and attempt: the key and the number of the latest revision.
    latest: dict[tuple[int, int, int], tuple[int, int]] = field(default_factory=dict)

    @property
    def told(self) -> list[str]:
        """Sentences for the lead about what came in, and what has no place."""
        said = [
            filled(
                ngettext(
                    "“%(dimension)s” is not in the rubric: %(number)s score is left out.",
                    "“%(dimension)s” is not in the rubric: %(number)s scores are left out.",
                    number,
                ),
                dimension=name,
                number=number,
            )
            for name, number in self.left_out.items()
        ]
        said += [
            filled(
                ngettext(
                    "%(number)s score breaks the rule %(rule)s.",
                    "%(number)s scores break the rule %(rule)s.",
                    number,
                ),
                rule=rule,
                number=number,
            )
            for rule, number in self.breaks.most_common()
        ]
        if not self.file.has_checks and self.project.rubric.schema.has & {"rules"}:
            said.append(_("The file has no checks, so the scale alone judges the scores."))
        return said

    def take(self, rows: Iterable[RatingRow]) -> None:
        """Write all good ratings, and report what is wrong with the others."""
        every = list(islice(rows, MOST_ROWS + 1))
        names = dict.fromkeys(row.rater for row in (*every, *self.answers))
        if len(every) > MOST_ROWS or len(names) > MOST_RATERS:
            raise UploadRefused(
                _("%(file)s has more than %(raters)s people or %(rows)s ratings; split it."),
                file=self.file.file_name,
                raters=MOST_RATERS,
                rows=MOST_ROWS,
            )
        self.raters = self._raters(names)
        earlier = Rating.objects.filter(rater__in=self.raters.values()).order_by()
        self.rated = {*earlier.values_list("item", "rater")}
        self._write_answers()
        ratings = list(whole_ratings(every, self.raters))
        for first in range(0, len(ratings), CHUNK):
            self._write(ratings[first : first + CHUNK])

    def _write_answers(self) -> None:
        batches = dict(self.project.batches.values_list("name", "pk"))
        whose = ("rater_id", "batch_id", "model", "dimension", "code", "revision")
        there = {*self.project.corpus_answers.exclude(rater=None).values_list(*whose)}
        checks = {
            (dimension.code, check.code): [each.code for each in check.answers]
            for dimension in self.project.rubric.schema.dimensions
            for check in dimension.checks
        }
        found = {}
        for row in self.answers:
            ((dimension, given),) = row.checks.items()
            check, revision, at = map(row.own.get, ("check", "revision", "answered_at"))
            rater, batch = self.raters[row.rater], batches.get(row.item)
            slot = (rater, batch, row.target[1], dimension, check, int(revision or 0))
            is_answer = given["answer"] in checks.get((dimension, check or ""), ())
            if slot in there or slot in found or not (batch and revision and at and is_answer):
                self.refuse(
                    [
                        fault(
                            row,
                            _("is of no batch or check of the project, or is there already"),
                            _("load its items first, or leave the row out"),
                        )
                    ]
                )
                continue
            said = dict(zip(whose, slot, strict=True)) | {"answer": given["answer"]}
            found[slot] = CorpusAnswer(project=self.project, answered_at=at, **said)
        CorpusAnswer.objects.bulk_create(found.values())

    def refuse(self, errors: Iterable[LineError]) -> None:
        self.bad += 1
        for error in errors:
            self.report(error)

    def _raters(self, names: Iterable[str]) -> dict[str, int]:
        """Return the rater of each name. Addresses are not stored."""
        users = get_user_model().objects.filter(memberships__project=self.project).distinct()
        members = {user.get_username().lower(): user for user in users}
        exact = {user.get_username(): user for user in users}
        members |= {
            address.email.lower(): address.user
            for address in EmailAddress.objects.filter(verified=True, user__in=users)
        }
        there = {rater.name: rater for rater in self.project.raters.all()}
        taken = {rater.account_id for rater in there.values()}
        found = {}
        for name in names:
            member = exact.get(name) or members.get(name.lower())
            stored = name
            if "@" in name:
                free = (f"imported-{number}" for number in count(len(there) + 1))
                stored = (
                    member.get_username() if member else next(n for n in free if n not in there)
                )
            if stored not in there:
                account = None if member is None or member.pk in taken else member
                there[stored] = ImportedRater.objects.create(
                    project=self.project, name=stored, account=account
                )
                taken.add(there[stored].account_id)
            found[name] = there[stored].pk
        return found

    def _write(self, ratings: Sequence[WholeRating | LineError]) -> None:
        there = {
            name: (pk, batch, [There(*each) for each in json.loads(responses)])
            for name, pk, batch, responses in all_rows(
                THERE, [self.project.pk, [*{rating.item for rating in ratings}]]
            )
        }
        rows: dict[type[Model], list[tuple[Any, ...]]] = {model: [] for model in COLUMNS}
        for key, rating in zip(new_keys(Rating._meta.db_table, len(ratings)), ratings, strict=True):
            try:
                if isinstance(rating, LineError):
                    raise RatingRefused(rating)
                if rating.item not in there:
                    raise RatingRefused(
                        fault(rating.first, _("is no item of the project"), _("add the item first"))
                    )
                self._add(rows, key, rating, *there[rating.item])
            except RatingRefused as refused:
                self.refuse(refused.args)
        with connection.cursor() as cursor:
            for model, columns in COLUMNS.items():
                with cursor.copy(copy_into(model._meta.db_table, columns)) as copy:
                    for row in rows[model]:
                        copy.write_row(row)

    def _add(
        self,
        rows: Mapping[type[Model], list[tuple[Any, ...]]],
        key: int,
        rating: WholeRating,
        item: int,
        batch: int,
        responses: Sequence[There],
    ) -> None:
        """Add the rows of a rating to those of their tables. Raises RatingRefused."""
        rater, own = rating.rater, rating.first.own
        if (item, rater) in self.rated:
            raise RatingRefused(
                fault(
                    rating.first,
                    _("has a rating by this person already"),
                    _("leave this row out"),
                    value=rating.first.rater,
                )
            )
        by_target = {target: row for (target, _code), row in rating.said.items()}
        targets = {target: _there(row, responses) for target, row in by_target.items()}
        said = {pk: row for target, row in by_target.items() if (pk := targets[target].pk)}
        # The places on the desk: as exported, else in the order of the upload.
        placed = {pk: int(at) for pk, row in said.items() if (at := row.own.get("position"))}
        if len({*placed.values()}) < len(placed):
            raise RatingRefused(
                fault(
                    rating.first,
                    _("has two responses in one position"),
                    _("export it again, or leave the row out"),
                )
            )
        scores = self._scores(rating)
        if not scores:  # of a dimension that the rubric has
            return
        before, revision = self.latest.get((item, rater, rating.attempt), (None, 0))
        self.latest[item, rater, rating.attempt] = key, revision + 1
        is_extra = own.get("kind") == Rating.Kind.EXTRA
        asked = {
            str(FieldName(f"{row.own['unit'][0]}{row.own['position']}", code, check, ASKED)): answer
            for (_target, code), row in rating.said.items()
            if row.own.get("unit") and row.own.get("position")
            for each in filter(None, row.own.get("asked", "").split(";"))
            for check, _is, answer in [each.partition("=")]
        }
        rows[Rating].append(
            (
                *(key, self.project.pk, item, rater, self.file.pk, rating.first.line),
                *(self.project.rubric_id, rating.attempt, Rating.Kind.IMPORTED),
                own.get("extra_because") or (Rating.Extra.FULL.value if is_extra else ""),
                *(revision + 1, before, own.get("item_comment", ""), False, ""),
                *(json_text(asked), own.get("view", "")),
                *(own.get(name) or None for name in ("active_seconds", "elapsed_seconds")),
                own.get("started_at") or None,
                max((row.at for row in rating.said.values() if row.at), default=None),
            )
        )
        free = (number for number in count(1) if number not in placed.values())
        places = {each.pk: placed.get(each.pk) or next(free) for each in responses}
        for pk, place in places.items():
            row = said.get(pk)
            comment, checks = (row.comment, row.checks) if row else ("", {})
            given = answered(
                self.project.rubric.schema.checks, checks.get(WHOLE if own else "", {})
            )
            rows[Placement].append((key, pk, place, comment, json_text(given)))
            facts = json.loads((row and row.own.get("facts")) or "[]")
            rows[FactCheck] += [
                (
                    *(key, pk, number, fact["claim"], fact["outcome"]),
                    *("\n".join(fact["sources"]), fact["seconds"], fact["over_time"]),
                )
                for number, fact in enumerate(facts, start=1)
            ]
        # In the order of the file, which is that of the desk in our own export.
        for target, code in rating.said:
            if score := scores.get((target, code)):
                there = targets[target]
                place = places.get(there.pk) or int(score.row.own.get("position") or 1)
                rows[Score].append(self._score(key, code, there, place, score))
        self.ratings += 1
        self.scores += len(scores)
        self.batches.add(batch)

    def _scores(self, rating: WholeRating) -> dict[Slot, ImportedScore]:
        """Return the scores of a rating by target and dimension. Raises RatingRefused."""
        dimensions = self.project.rubric.schema.dimensions
        found: dict[Slot, ImportedScore] = {}
        for dimension in dimensions:
            scores = judged_scores(rating, dimension, by_rules=self.file.has_checks)
            found |= {(target, dimension.code): score for target, score in scores.items()}
        self.breaks.update(rule for score in found.values() for rule in score.breaks)
        if not self.takes_breaks and (errors := break_errors(found.values())):
            raise RatingRefused(*errors)
        known = [dimension.code for dimension in dimensions]
        others = [code for _target, code in rating.said if code and code not in known]
        self.left_out.update(others)
        if not found and len(others) < len(rating.said):
            raise RatingRefused(
                fault(rating.first, _("has no score"), _("give one, or leave the row out"))
            )
        return found

    def _score(
        self, key: int, code: str, there: There, place: int, score: ImportedScore
    ) -> tuple[Any, ...]:
        own, dimension = score.row.own, self.project.rubric.schema.dimension(code)
        verdict, clauses = own.get("verdict"), own.get("clause")
        # Of a cell such as `A1: too short | too long`.
        found = map(REMARK.fullmatch, own.get("remarks", "").split(" | "))
        remarks = [{"clause": each[1] or "", "rule": "", "text": each[2]} for each in found if each]
        return (
            *(self.project.pk, key, code, dimension.unit.value, there.pk or None, there.model),
            *(place, score.value, score.without),
            [int(each) for each in verdict.split(";")] if verdict else list(score.open),
            list(score.clauses) if clauses is None else [*filter(None, clauses.split(";"))],
            list(score.breaks),
            *(json_text(remarks), json_text(score.checks)),
        )


def _there(row: RatingRow, responses: Sequence[There]) -> There:
    """Return the response or the candidate set that a row rates. Raises RatingRefused."""
    number, model, response = row.target
    found = list(responses)
    if row.own.get("unit") == "candidate_set":
        found = [There(0, each, "") for each in {each.model for each in responses}]
    elif number is not None:
        found = found[number - 1 : number]
    if model:
        found = [each for each in found if each.model == model]
    if response and len(responses) > 1:
        digest = md5(response.text.encode(), usedforsecurity=False).hexdigest()
        found = [each for each in found if each.digest == digest]
    if len(found) == 1:
        return found[0]
    said = model or str(number or "")
    reason = _("is no response of the item") if said else _("does not say which response it is of")
    raise RatingRefused(
        fault(row, reason, _("give the response’s number or its model"), value=said)
    )
