"""A model's responses in the whole batch, at the desk: pages of them, and answers about them."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from tasks.corpus import Corpus, CorpusPage
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
        (model, row, question)
        for model, row, question in _asked(sheet)
        if question.recorded.is_change and not (first and question.recorded.revision)
    ]
    for model, row, question in new:
        _record(lease, model, row, question, now, first=first)
    return bool(new)


def look_again(lease: Lease, sheet: Sheet, now: datetime) -> None:
    """Make the corpus answers agree with the rating that was just stored.

    Record the answers that were not recorded before. If another page changed an answer since the
    form was judged, the newer answer counts, and scores that it bars are returned.
    """
    asked = list(_asked(sheet))
    given = CorpusAnswer.objects.revisions(lease.annotator, lease.item.batch_id) if asked else {}
    for model, row, question in asked:
        there = given.get((model, row.dimension.code, question.check.code), ())
        if there[-1:] == (question.given,):
            continue
        if len(there) == question.recorded.revision:
            _record(lease, model, row, question, now)
        else:
            CorpusAnswer.objects.hold(**_place(lease, model, row, question), now=now)


def _asked(sheet: Sheet) -> Iterator[tuple[str, Row, Question]]:
    """Yield each question about a corpus, with its model and its row."""
    for target in sheet.targets:
        if isinstance(target.shown, ShownSet):
            for row in target.rows:
                yield from ((target.shown.model, row, question) for question in row.corpus)


def _record(
    lease: Lease, model: str, row: Row, question: Question, now: datetime, *, first: bool = False
) -> None:
    CorpusAnswer.objects.record(
        **_place(lease, model, row, question), answer=question.given, now=now, first=first
    )


def _place(lease: Lease, model: str, row: Row, question: Question) -> dict[str, Any]:
    """Return what an answer about a corpus is an answer to, and whose it is."""
    return {
        "annotator": lease.annotator,
        "batch": lease.item.batch,
        "model": model,
        "dimension": row.dimension,
        "code": question.check.code,
    }
