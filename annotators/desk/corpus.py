"""A model's responses in the whole batch, at the desk: pages of them, and answers about them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from tasks.corpus.pages import Corpus, CorpusPage
from tasks.models import CorpusAnswer, Lease
from tasks.rating_form.item_view import ItemView, ShownSet
from tasks.rating_form.view_models import Question, Row, Sheet


def corpora(lease: Lease, on_desk: ItemView, sets: Collection[str] | None) -> dict[str, CorpusPage]:
    """Return the first page of each model's corpus, by the key of its candidate set.

    `sets`: only these candidate sets; None for all.
    """
    return {
        shown.key: corpus_page(lease, on_desk, shown)
        for shown in on_desk.sets
        if sets is None or shown.key in sets
    }


def corpus_page(
    lease: Lease, on_desk: ItemView, shown: ShownSet, number: int = 1, query: str = ""
) -> CorpusPage:
    """Return a page of a candidate set's corpus, or of a search in it."""
    answered = any(name.startswith(f"{shown.corpus_key}.") for name in on_desk.recorded)
    sample = max(
        dimension.sample for dimension in on_desk.rubric.dimensions if dimension.code in shown.asked
    )
    corpus = Corpus(lease.item.batch, shown.model, sample)
    return corpus.page(shown.corpus_key, number, query, answered=answered)


def record_corpora(lease: Lease, sheet: Sheet, now: datetime, *, first: bool = False) -> bool:
    """Record a form's new answers about corpora, and return True if there were any.

    The first answer is recorded as soon as it is given (`first`), because the figures are shown
    only after it. A changed answer counts once it is submitted.
    """
    new = [
        (row, question)
        for row in sheet.rows
        for question in row.corpus
        if question.is_change and not (first and question.revision)
    ]
    for row, question in new:
        _record(lease, row, question, now, first=first)
    return bool(new)


def look_again(lease: Lease, sheet: Sheet, now: datetime) -> None:
    """Make the corpus answers agree with the rating that was just stored.

    Record the answers that were not recorded before. If another page changed an answer since the
    form was judged, the newer answer counts, and scores that it bars are returned.
    """
    rows = [row for row in sheet.rows if row.corpus]
    given = CorpusAnswer.objects.revisions(lease.annotator, lease.item.batch_id) if rows else {}
    for row in rows:
        for question in row.corpus:
            code = question.check.code
            there = given.get((row.target.model, row.dimension.code, code), ())
            if there[-1:] == (question.given,):
                continue
            if len(there) == question.revision:
                _record(lease, row, question, now)
            else:
                CorpusAnswer.objects.hold(
                    annotator=lease.annotator,
                    batch=lease.item.batch,
                    model=row.target.model,
                    dimension=row.dimension,
                    code=code,
                    now=now,
                )


def _record(
    lease: Lease, row: Row, question: Question, now: datetime, *, first: bool = False
) -> None:
    CorpusAnswer.objects.record(
        annotator=lease.annotator,
        batch=lease.item.batch,
        model=row.target.model,
        dimension=row.dimension,
        code=question.check.code,
        answer=question.given,
        now=now,
        first=first,
    )
