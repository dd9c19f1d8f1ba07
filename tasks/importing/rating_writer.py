"""Write the ratings of a file: find their items and raters, judge them, and COPY them."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import md5
from itertools import count
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _, ngettext

from config.web.raw_sql import all_rows
from rubrics.schema import Check, Dimension
from tasks.answers import ASKED, FieldName
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

from .batch_writer import copy_into, json_text, new_keys
from .grouping import Gathering, RatedTarget, WholeRating
from .judging import ImportedScore, answered, break_errors, judged_scores
from .ratings import RatingRow
from .rows import LineError, excerpt, filled

CHUNK = 1_000  # ratings
# The items of a project with these ids. A text is told by its MD5.
THERE = """
SELECT item.external_id, item.id, item.batch_id, coalesce((
  SELECT jsonb_agg(jsonb_build_array(id, position, model, md5(text)) ORDER BY position)
  FROM tasks_response WHERE item_id = item.id), '[]')::text
FROM tasks_item AS item WHERE item.project_id = %s AND item.external_id = ANY(%s)
"""
RATED = """
SELECT rating.item_id, rating.rater_id FROM tasks_rating AS rating
WHERE rating.rater_id = ANY(%s) AND rating.item_id = ANY(%s)
"""
RATING_COLUMNS = (
    *("id", "project_id", "item_id", "rater_id", "file_id", "line", "rubric_id", "attempt"),
    *("kind", "extra_because", "revision", "supersedes_id", "comment", "not_sure", "fingerprint"),
    *("asked", "view", "active_seconds", "elapsed_seconds", "started_at", "submitted_at"),
)
PLACEMENT_COLUMNS = ("rating_id", "response_id", "position", "comment", "checks")
SCORE_COLUMNS = (
    *("project_id", "rating_id", "dimension", "unit", "response_id", "model", "position", "value"),
    *("without", "open", "clauses", "breaks", "remarks", "checks"),
)
FACT_COLUMNS = (
    *("rating_id", "response_id", "position", "claim", "outcome", "sources", "seconds"),
    "over_time",
)


class There(NamedTuple):
    """A response of an item, as the database has it."""

    pk: int
    position: int
    model: str
    digest: str


class ItemThere(NamedTuple):
    """An item of the project."""

    pk: int
    batch: int
    responses: Sequence[There]


@dataclass
class RatingLoad:
    """The ratings of a file on their way into a project."""

    project: Project
    file: RatingFile
    takes_breaks: bool = False  # scores that break a rule come in, with the rule's name
    report: Callable[[LineError], object] = lambda error: None
    passed_over: Collection[str] = ()  # ids of items that did not come in
    ratings: int = 0
    scores: int = 0
    bad: int = 0
    breaks: Counter[str] = field(default_factory=Counter)  # scores that break a rule, by its name
    # Scores of dimensions that the rubric does not have, by the dimension's name in the file.
    left_out: Counter[str] = field(default_factory=Counter)
    batches: set[int] = field(default_factory=set)  # that have ratings of the file
    # About a model's whole corpus, from our own export; their items are names of batches.
    answers: list[RatingRow] = field(default_factory=list)
    # By item, rater and attempt: the name in the file, and the key and number of what came in last.
    latest: dict[tuple[int, int, int], tuple[str, int | None, int]] = field(default_factory=dict)

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

    def take(self, gathering: Gathering) -> None:
        """Write all good ratings, and report what is wrong with the others."""
        self.raters = self._raters([*gathering.raters, *(row.rater for row in self.answers)])
        self._write_answers()
        self.there_before = {rater for rater, is_new in self.raters.values() if not is_new}
        chunk: list[WholeRating] = []
        for rating in gathering.ratings():
            if isinstance(rating, LineError):
                self.refuse([rating])
                continue
            if len(chunk) >= CHUNK:
                self._write(chunk)
                chunk = []
            chunk.append(rating)
        self._write(chunk)

    def _write_answers(self) -> None:
        batches = dict(self.project.batches.values_list("name", "pk"))
        whose = ("rater_id", "batch_id", "model", "dimension", "code", "revision")
        there = {*self.project.corpus_answers.exclude(rater=None).values_list(*whose)}
        checks = {
            (dimension.code, check.code): [each.code for each in check.answers]
            for dimension in self.project.rubric.schema.dimensions
            for check in dimension.checks
        }
        found = []
        for row in self.answers:
            ((dimension, given),) = row.checks.items()
            check, revision, at = map(row.own.get, ("check", "revision", "answered_at"))
            rater, batch = self.raters[row.rater][0], batches.get(row.item)
            slot = (rater, batch, row.model, dimension, check, int(revision or 0))
            is_answer = given["answer"] in checks.get((dimension, check or ""), ())
            if slot in there or not (batch and revision and at and is_answer):
                reason = _("is of no batch or check of the project, or is there already")
                advice = _("load its items first, or leave the row out")
                self.refuse([_fault(row, reason, advice)])
                continue
            there.add(slot)
            said = dict(zip(whose, slot, strict=True)) | {"answer": given["answer"]}
            found.append(CorpusAnswer(project=self.project, answered_at=at, **said))
        CorpusAnswer.objects.bulk_create(found)

    def refuse(self, errors: Iterable[LineError]) -> None:
        self.bad += 1
        for error in errors:
            self.report(error)

    def _raters(self, names: Iterable[str]) -> dict[str, tuple[int, bool]]:
        """Return the rater of each name, and whether it is new. Addresses are not stored."""
        users = get_user_model().objects.filter(memberships__project=self.project).distinct()
        members = {user.get_username().lower(): user for user in users}
        members |= {
            address.email.lower(): address.user
            for address in EmailAddress.objects.filter(verified=True, user__in=users)
        }
        there = {rater.name: rater for rater in self.project.raters.all()}
        taken = {rater.account_id for rater in there.values()}
        found = {}
        for name in names:
            member = members.get(name.lower())
            stored = name
            if "@" in name:
                free = (f"imported-{number}" for number in count(len(there) + 1))
                stored = (
                    member.get_username() if member else next(n for n in free if n not in there)
                )
            is_new = stored not in there
            if is_new:
                is_free = member is not None and member.pk not in taken
                there[stored] = ImportedRater.objects.create(
                    project=self.project, name=stored, account=member if is_free else None
                )
                taken.add(there[stored].account_id)
            found[name] = there[stored].pk, is_new
        return found

    def _write(self, ratings: Sequence[WholeRating]) -> None:
        items = {
            name: ItemThere(pk, batch, [There(*each) for each in json.loads(responses)])
            for name, pk, batch, responses in all_rows(
                THERE, [self.project.pk, [*{rating.item for rating in ratings}]]
            )
        }
        pks = [item.pk for item in items.values()]
        rated = {*all_rows(RATED, [[*self.there_before], pks])} if self.there_before else set()
        good = []
        for rating in ratings:
            found = self._judged(rating, items.get(rating.item), rated)
            if isinstance(found, _Ready):
                good.append(found)
                self.batches.add(found.item.batch)
            elif found and rating.item not in self.passed_over:
                self.refuse(found)
        self._copy(good)

    def _judged(
        self, rating: WholeRating, item: ItemThere | None, rated: Collection[tuple[int, int]]
    ) -> "_Ready | list[LineError]":
        """Return a rating with its scores, or all that is wrong with it."""
        rater, _is_new = self.raters[rating.rater]
        if item is None:
            return [_fault(rating.first, _("is no item of the project"), _("add the item first"))]
        name, *_of = self.latest.setdefault(
            (item.pk, rater, rating.attempt), (rating.rater, None, 0)
        )
        if (item.pk, rater) in rated or name != rating.rater:  # a person may have two names
            reason = _("has a rating by this person already")
            return [_fault(rating.first, reason, _("leave this row out"), rating.rater)]
        targets: dict[RatedTarget, There | str] = {}
        for (target, _code), row in rating.said.items():
            if target not in targets:
                found = _response(target, item.responses)
                if isinstance(found, LineError):
                    return [_fault(row, found.reason, found.advice, found.value)]
                targets[target] = found
        exported = _exported_places(rating, targets)
        if len({*exported.values()}) < len(exported):
            reason = _("has two responses in one position")
            return [_fault(rating.first, reason, _("export it again, or leave the row out"))]
        scores: list[tuple[Dimension, RatedTarget, ImportedScore]] = []
        errors: list[LineError] = []
        for dimension in self.project.rubric.schema.dimensions:
            found_scores = judged_scores(rating, dimension, self.file.has_checks)
            if isinstance(found_scores, LineError):
                return [found_scores]
            if not self.takes_breaks:
                errors += break_errors(rating, found_scores)
            scores += [(dimension, target, each) for target, each in found_scores.items()]
        if errors:
            self.breaks.update(each.rule for *_of, score in scores for each in score.breaks)
            return errors
        known = [each.code for each in self.project.rubric.schema.dimensions]
        others = [code for _target, code in rating.said if code and code not in known]
        self.left_out.update(others)
        if not scores and len(others) == len(rating.said):
            return []
        if not scores:
            return [_fault(rating.first, _("has no score"), _("give one, or leave the row out"))]
        # In the order of the file, which is that of the desk in our own export.
        places = {slot: place for place, slot in enumerate(rating.said)}
        scores.sort(key=lambda score: places[score[1], score[0].code])
        return _Ready(rating, item, targets, scores)

    def _copy(self, good: Sequence["_Ready"]) -> None:
        if not good:
            return
        keys = new_keys(Rating._meta.db_table, len(good))
        ratings, placements, scores, facts = [], [], [], []
        for key, ready in zip(keys, good, strict=True):
            rating = ready.rating
            whose = (ready.item.pk, self.raters[rating.rater][0], rating.attempt)
            # A revision that cannot be taken is as if it was never made.
            name, before, revision = self.latest[whose]
            self.latest[whose] = name, key, revision + 1
            places = ready.places
            ratings.append(self._rating(key, before, revision + 1, ready))
            placements += [
                (key, *each) for each in ready.placements(places, self.project.rubric.schema.checks)
            ]
            scores += [(self.project.pk, key, *each) for each in ready.score_rows(places)]
            facts += [(key, *each) for each in ready.facts()]
        with connection.cursor() as cursor:
            for model, columns, rows in (
                (Rating, RATING_COLUMNS, ratings),
                (Placement, PLACEMENT_COLUMNS, placements),
                (Score, SCORE_COLUMNS, scores),
                (FactCheck, FACT_COLUMNS, facts),
            ):
                with cursor.copy(copy_into(model._meta.db_table, columns)) as copy:
                    for row in rows:
                        copy.write_row(row)
        self.ratings += len(ratings)
        self.scores += len(scores)
        for ready in good:
            self.breaks.update(each.rule for *_of, score in ready.scores for each in score.breaks)

    def _rating(
        self, key: int, before: int | None, revision: int, ready: "_Ready"
    ) -> tuple[Any, ...]:
        rating, own = ready.rating, ready.rating.first.own
        is_extra = own.get("kind") == Rating.Kind.EXTRA
        started, submitted = own.get("started_at"), own.get("submitted_at")
        return (
            *(key, self.project.pk, ready.item.pk, self.raters[rating.rater][0], self.file.pk),
            *(rating.first.line, self.project.rubric_id, rating.attempt, Rating.Kind.IMPORTED),
            own.get("extra_because") or (Rating.Extra.FULL.value if is_extra else ""),
            *(revision, before, own.get("item_comment", ""), False, ""),
            *(json_text(ready.asked), own.get("view", "")),
            *(own.get("active_seconds") or None, own.get("elapsed_seconds") or None),
            parse_datetime(started) if started else None,
            parse_datetime(submitted) if submitted else rating.last.at,
        )


@dataclass(frozen=True)
class _Ready:
    """A rating that can be written."""

    rating: WholeRating
    item: ItemThere
    targets: Mapping[RatedTarget, There | str]  # a response, or the model of a candidate set
    scores: Sequence[tuple[Dimension, RatedTarget, ImportedScore]]

    @property
    def places(self) -> dict[int, int]:
        """The place of each response on the desk: as exported, else in the order of the upload."""
        exported = _exported_places(self.rating, self.targets)
        free = (
            number
            for number in range(1, 2 * len(self.item.responses) + 1)
            if number not in exported.values()
        )
        return {each.pk: exported.get(each.pk) or next(free) for each in self.item.responses}

    @property
    def asked(self) -> dict[str, str]:
        """The answers to questions of the program, by the names of their fields."""
        return {
            str(FieldName(f"{row.own['unit'][0]}{row.own['position']}", code, check, ASKED)): answer
            for (_target, code), row in self.rating.said.items()
            if row.own.get("unit") and row.own.get("position")
            for check, answer in _pairs(row.own.get("asked", ""))
        }

    def placements(
        self, places: Mapping[int, int], checks_of_all: Sequence[Check]
    ) -> Iterable[tuple[Any, ...]]:
        """Yield the rows of the placements, without the rating's key."""
        rows = {
            found.pk: row
            for (target, _code), row in self.rating.said.items()
            if isinstance(found := self.targets[target], There)
        }
        for response in self.item.responses:
            row = rows.get(response.pk)
            given = row.checks.get("", {}) if row else {}
            if row and row.own:
                given = dict(_pairs(row.own.get("response_checks", "")))
            comment = row.comment if row else ""
            checks = json_text(answered(checks_of_all, given))
            yield response.pk, places[response.pk], comment, checks

    def score_rows(self, places: Mapping[int, int]) -> Iterable[tuple[Any, ...]]:
        """Yield the rows of the scores, without the keys of project and rating."""
        sets = [*dict.fromkeys(each.model for each in self.item.responses)]
        for dimension, target, score in self.scores:
            found, own = self.targets[target], score.row.own
            pk, model = (found.pk, found.model) if isinstance(found, There) else (None, found)
            place = places[pk] if pk else sets.index(model) + 1
            verdict = own.get("verdict")
            remarks = [
                {"clause": clause, "rule": "", "text": text} for clause, text in _remarks(own)
            ]
            yield (
                *(dimension.code, dimension.unit.value, pk, model),
                *(int(own.get("position") or place), score.value, score.without),
                [int(each) for each in verdict.split(";")] if verdict else list(score.open),
                [*filter(None, own["clause"].split(";"))] if "clause" in own else [*score.clauses],
                [each.rule for each in score.breaks],
                *(json_text(remarks), json_text(score.checks)),
            )

    def facts(self) -> Iterable[tuple[Any, ...]]:
        """Yield the rows of the claims looked up, without the rating's key."""
        said = {
            found.pk: row.own.get("facts") or "[]"
            for (target, _code), row in self.rating.said.items()
            if isinstance(found := self.targets[target], There)
        }
        for response, facts in said.items():
            for position, fact in enumerate(json.loads(facts), start=1):
                yield (
                    *(response, position, fact["claim"], fact["outcome"]),
                    *("\n".join(fact["sources"]), fact["seconds"], fact["over_time"]),
                )


def _exported_places(
    rating: WholeRating, targets: Mapping[RatedTarget, There | str]
) -> dict[int, int]:
    """Return the places on the desk that our own export names, by the keys of the responses."""
    return {
        found.pk: int(row.own["position"])
        for (target, _code), row in rating.said.items()
        if isinstance(found := targets[target], There) and row.own.get("position")
    }


def _response(target: RatedTarget, responses: Sequence[There]) -> There | str | LineError:
    """Return the response that a row rates, or the model of its candidate set, or why neither."""
    models = [each.model for each in responses]
    if target.is_set and target.model in models:
        return target.model
    if target.number is not None and 0 < target.number <= len(responses):
        found = responses[target.number - 1]
        if not target.model or target.model == found.model:
            return found
    if target.number is None and len(responses) == 1 and target.model in ("", models[0]):
        return responses[0]
    if target.response is not None:
        said = (target.response.model, _digest(target.response.text))
        same = [each for each in responses if (each.model, each.digest) == said]
    else:
        same = [each for each in responses if target.model and each.model == target.model]
    if len(same) == 1 and target.number is None:
        return same[0]
    what = target.model or (str(target.number) if target.number is not None else "")
    reason = _("is no response of the item") if what else _("does not say which response it is of")
    return LineError(0, "", what, reason, _("give the response’s number or its model"))


def _digest(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _fault(row: RatingRow, reason: str, advice: str, value: str = "") -> LineError:
    return LineError(row.line, "", excerpt(value or row.item), reason, advice, row.item)


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return the pairs of a cell such as `honest=yes;fluent=no`."""
    return [(each.partition("=")[0], each.partition("=")[2]) for each in text.split(";") if each]


def _remarks(own: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Yield the clause and the text of each remark in a cell."""
    for each in filter(None, own.get("remarks", "").split(" | ")):
        clause, colon, text = each.partition(": ")
        yield (clause, text) if colon and " " not in clause else ("", each)
