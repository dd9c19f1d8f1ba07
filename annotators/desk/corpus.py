"""What a model said in the whole batch, at the desk: pages of it, and the answers about it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from tasks.corpus.pages import Corpus, CorpusPage
from tasks.models import CorpusAnswer, Lease
from tasks.rating_form.item_view import Desk, ShownSet
from tasks.rating_form.view_models import Question, Row, Sheet


def corpora(lease: Lease, on_desk: Desk, sets: Collection[str] | None) -> dict[str, CorpusPage]:
    """The first page of each model's corpus, by the key of its candidate set; `sets`: of these,
    None for all."""
    return {
        shown.key: corpus_page(lease, on_desk, shown)
        for shown in on_desk.sets
        if sets is None or shown.key in sets
    }


def corpus_page(
    lease: Lease, on_desk: Desk, shown: ShownSet, number: int = 1, query: str = ""
) -> CorpusPage:
    """A page of what the model of a candidate set said in the batch, with what is searched in
    it."""
    answered = any(name.startswith(f"{shown.corpus_key}.") for name in on_desk.recorded)
    sample = max(
        dimension.sample for dimension in on_desk.rubric.dimensions if dimension.code in shown.asked
    )
    corpus = Corpus(lease.item.batch, shown.model, sample)
    return corpus.page(shown.corpus_key, number, query, answered=answered)


def record_corpora(lease: Lease, sheet: Sheet, now: datetime, *, first: bool = False) -> bool:
    """Keep what a form says anew about corpora; whether there was anything. The first answer is
    kept as soon as it is given (`first`), since figures are shown only after it; a change of mind
    counts when it is submitted."""
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
    """What was stored rests on answers about corpora. One that was not recorded before it is now;
    where it was changed on another page since the form was judged, the newer one holds, and what it
    bars comes back."""
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
