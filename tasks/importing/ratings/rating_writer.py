"""Write the ratings of a file: find their items and raters, judge them, and COPY them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from django.db import connection
from django.db.models import Model
from django.utils.translation import gettext as _, ngettext

from config.web.raw_sql import all_rows
from tasks.models import CorpusAnswer, FactCheck, Placement, Project, Rating, RatingFile, Score

from ..batches.staging import UploadRefused
from ..batches.tables import copy_into, new_keys
from ..columns.scoring import RatingRow
from ..files.rows import LineError, fill_in
from .judging import (
    ImportedScore,
    RatingRefused,
    Slot,
    WholeRating,
    break_errors,
    fault,
    imported_scores,
    whole_ratings,
)
from .raters import rater_keys
from .rating_rows import COLUMNS, NewRating, StoredItem, StoredResponse, TableRow

CHUNK = 1_000  # ratings
MOST_RATERS = 1_000  # each of them is a line on the pages
MOST_ROWS = 500_000  # in memory: some 700 bytes each
# The items of a project with these ids. A text is told by its MD5.
ITEMS = """
SELECT item.external_id, item.id, item.batch_id, coalesce((
  SELECT jsonb_agg(jsonb_build_array(id, model, md5(text)) ORDER BY position)
  FROM tasks_response WHERE item_id = item.id), '[]')::text
FROM tasks_item AS item WHERE item.project_id = %s AND item.external_id = ANY(%s)
"""
# What an answer about a model's corpus is of.
ANSWER = ("rater_id", "batch_id", "model", "dimension", "code", "revision")


@dataclass
class RatingLoad:
    """The ratings of a file on their way into a project."""

    project: Project
    file: RatingFile
    takes_breaks: bool = False  # scores that break a rule come in, with the rule's name
    report: Callable[[LineError], object] = lambda error: None
    slots: bool = False  # its raters are no persons, see `ImportedRater`
    ratings: int = 0
    scores: int = 0  # that were taken, those of no answer apart
    scores_in_file: int = 0
    bad: int = 0
    raters: dict[str, int] = field(default_factory=dict)  # keys, by the names in the file
    breaks: Counter[str] = field(default_factory=Counter)  # scores that break a rule, by its name
    # Scores of dimensions that the rubric does not have, by the dimension's name in the file.
    left_out: Counter[str] = field(default_factory=Counter)
    batches: set[int] = field(default_factory=set)  # that have ratings of the file
    # About a model's whole corpus, from our own export; their items are names of batches.
    answer_rows: list[RatingRow] = field(default_factory=list)
    # Of ratings that have a revision to come, by item, rater and attempt: the key and the number of
    # the latest one.
    latest: dict[tuple[int, int, int], tuple[int, int]] = field(default_factory=dict)

    @property
    def sentences(self) -> list[str]:
        """Sentences for the lead about what came in, and what has no place."""
        return [*self._remarks()]

    def _remarks(self) -> Iterator[str]:
        if self.scores_in_file != self.scores:
            text = _("Scores: %(number)s in the file, %(taken)s taken, %(left_out)s left out.")
            number, taken = self.scores_in_file, self.scores
            yield fill_in(text, number=number, taken=taken, left_out=number - taken)
        for name, number in self.left_out.items():
            text = ngettext(
                "“%(dimension)s” is not in the rubric: %(number)s score is left out.",
                "“%(dimension)s” is not in the rubric: %(number)s scores are left out.",
                number,
            )
            yield fill_in(text, dimension=name, number=number)
        for rule, number in self.breaks.most_common():
            text = ngettext(
                "%(number)s score breaks the rule %(rule)s.",
                "%(number)s scores break the rule %(rule)s.",
                number,
            )
            yield fill_in(text, rule=rule, number=number)
        if not self.file.has_checks and self.project.rubric.schema.has & {"rules"}:
            yield _("The file has no checks, so the scale alone judges the scores.")

    def take(self, rating_rows: Iterable[RatingRow]) -> None:
        """Write all good ratings, and report what is wrong with the others."""
        every = list(islice(rating_rows, MOST_ROWS + 1))
        names = dict.fromkeys(row.rater for row in (*every, *self.answer_rows))
        if len(every) > MOST_ROWS or len(names) > MOST_RATERS:
            text = _("%(file)s has more than %(raters)s people or %(rows)s ratings; split it.")
            name = self.file.file_name
            raise UploadRefused(text, file=name, raters=MOST_RATERS, rows=MOST_ROWS)
        self.raters = rater_keys(self.project, names, slots=self.slots)
        earlier = Rating.objects.filter(rater__in=self.raters.values()).order_by()
        self.rated = {*earlier.values_list("item", "rater")}
        self._write_answers()
        ratings = whole_ratings(iter(every), self.raters)
        every = []  # so that a chunk's memory is free once it is written
        while chunk := [*islice(ratings, CHUNK)]:
            self._write(chunk)

    def refuse(self, errors: Iterable[LineError]) -> None:
        """Count a bad rating, and report its errors."""
        self.bad += 1
        for error in errors:
            self.report(error)

    def _write_answers(self) -> None:
        """Write the answers about whole corpora."""
        batches = dict(self.project.batches.values_list("name", "pk"))
        stored = {*self.project.corpus_answers.exclude(rater=None).values_list(*ANSWER)}
        corpus_answers: list[CorpusAnswer] = []
        for row in self.answer_rows:
            answer = self._corpus_answer(row, batches.get(row.item))
            slot = tuple(getattr(answer, name) for name in ANSWER) if answer else None
            if answer and slot not in stored:
                stored.add(slot)
                corpus_answers.append(answer)
                continue
            reason = _("is of no batch or check of the project, or is there already")
            advice = _("load its items first, or leave the row out")
            self.refuse([fault(row, reason, advice)])
        CorpusAnswer.objects.bulk_create(corpus_answers)

    def _corpus_answer(self, rating_row: RatingRow, batch: int | None) -> CorpusAnswer | None:
        """Return the answer in a row, or None if it is of no batch or check of the project."""
        [(dimension_code, cells)] = rating_row.check_cells.items()
        check_code = rating_row.exported.get("check") or ""
        revision = rating_row.exported.get("revision")
        time = rating_row.exported.get("answered_at")
        options = self._answer_codes.get((dimension_code, check_code), ())
        if not (batch and revision and time and cells["answer"] in options):
            return None
        return CorpusAnswer(
            project=self.project,
            file=self.file,
            rater_id=self.raters[rating_row.rater],
            batch_id=batch,
            model=rating_row.target.model,
            dimension=dimension_code,
            code=check_code,
            revision=int(revision),
            answered_at=time,
            answer=cells["answer"],
        )

    @cached_property
    def _answer_codes(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """The codes of the answers to each check, by those of its dimension and its own."""
        codes = {}
        for dimension in self.project.rubric.schema.dimensions:
            for check in dimension.checks:
                codes[dimension.code, check.code] = [answer.code for answer in check.answers]
        return codes

    def _write(self, whole_ratings: Sequence[WholeRating | LineError]) -> None:
        """Write some ratings."""
        names = {rating.item for rating in whole_ratings}
        items = self._items(names)
        keys = new_keys(Rating._meta.db_table, len(whole_ratings))
        table_rows: dict[type[Model], list[TableRow]] = {model: [] for model in COLUMNS}
        for key, rating in zip(keys, whole_ratings, strict=True):
            try:
                if isinstance(rating, LineError):
                    raise RatingRefused(rating)
                if rating.item not in items:
                    reason, advice = _("is no item of the project"), _("add the item first")
                    raise RatingRefused(fault(rating.first_row, reason, advice))
                self._add(table_rows, key, rating, items[rating.item])
            except RatingRefused as refused:
                self.refuse(refused.args)
        for model, column_names in COLUMNS.items():
            columns = column_names.split()
            copying = copy_into(model._meta.db_table, columns)
            with connection.cursor() as cursor, cursor.copy(copying) as copy:
                for row in table_rows[model]:
                    copy.write_row([row[column] for column in columns])

    def _items(self, names: Iterable[str]) -> dict[str, StoredItem]:
        """Return the items with these ids."""
        items = {}
        for name, pk, batch, texts in all_rows(ITEMS, [self.project.pk, [*names]]):
            responses = [StoredResponse(*values) for values in json.loads(texts)]
            items[name] = StoredItem(pk, batch, responses)
        return items

    def _add(
        self,
        table_rows: Mapping[type[Model], list[TableRow]],
        key: int,
        rating: WholeRating,
        item: StoredItem,
    ) -> None:
        """Add the rows of a rating to those of their tables. Raises RatingRefused."""
        if (item.pk, rating.rater) in self.rated:
            reason, advice = _("has a rating by this person already"), _("leave this row out")
            raise RatingRefused(
                fault(rating.first_row, reason, advice, value=rating.first_row.rater)
            )
        new = NewRating.of(key, rating, item)
        scores = self._scores(rating)
        if not scores:  # of a dimension that the rubric has
            return
        slot = (item.pk, rating.rater, rating.attempt)
        supersedes, revision = self.latest.pop(slot, (None, 0))
        if not rating.is_last:
            self.latest[slot] = key, revision + 1
        table_rows[Rating].append(new.row(self.project, self.file, revision + 1, supersedes))
        table_rows[Placement].extend(new.placements(self.project.rubric.schema))
        table_rows[FactCheck].extend(new.fact_checks())
        table_rows[Score].extend(new.scores(scores, self.project))
        self.ratings += 1
        imported = [
            slot in rating.fresh for slot, score in scores.items() if score.value is not None
        ]
        self.scores += sum(imported)
        self.batches.add(item.batch)

    def _scores(self, rating: WholeRating) -> dict[Slot, ImportedScore]:
        """Return the scores of a rating by target and dimension. Raises RatingRefused."""
        codes = set()
        scores_by_slot: dict[Slot, ImportedScore] = {}
        for dimension in self.project.rubric.schema.dimensions:
            codes.add(dimension.code)
            by_target = imported_scores(rating, dimension, by_rules=self.file.has_checks)
            for target, score in by_target.items():
                scores_by_slot[target, dimension.code] = score
        self.breaks.update(rule for score in scores_by_slot.values() for rule in score.breaks)
        if not self.takes_breaks and (errors := break_errors(scores_by_slot.values())):
            raise RatingRefused(*errors)
        slots = rating.rows_by_slot
        others = [code for _target, code in slots if code and code not in codes]
        self.left_out.update(others)
        if not scores_by_slot and len(others) < len(slots):
            reason, advice = _("has no score"), _("give one, or leave the row out")
            raise RatingRefused(fault(rating.first_row, reason, advice))
        return scores_by_slot
