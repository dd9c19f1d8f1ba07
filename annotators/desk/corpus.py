"""A model's responses in the whole batch, at the desk: pages of them, and answers about them."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from tasks.corpus import Corpus, unstored_page
from tasks.models import CorpusAnswer, Lease
from tasks.rating_form.item_view import ItemView, ShownSet
from tasks.rating_form.view_models import EvaluatedForm, Question, Row


def corpora(lease: Lease, on_desk: ItemView, sets: Collection[str] | None) -> dict[str, Any]:
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
) -> dict[str, Any]:
    """Return a page of a candidate set's corpus, or of a search in it."""
    answered = any(name.startswith(f"{shown.corpus_key}.") for name in on_desk.about_corpora)
    if (elsewhere := lease.item.elsewhere) is not None:
        return unstored_page(shown.corpus_key, elsewhere.get(shown.model, ()), answered=answered)
    sample = max(
        dimension.sample for dimension in on_desk.rubric.dimensions if dimension.code in shown.asked
    )
    return Corpus(lease.item.batch, shown.model, sample).page(
        shown.corpus_key, number, query, answered=answered
    )


def save_clicks(lease: Lease, evaluated: EvaluatedForm, now: datetime) -> bool:
    """Save the answers about corpora that were clicked, and return True if there were any.

    Each is saved in a transaction of its own: an answer about a corpus is independent of the
    rating, and no lock waits for the other's.
    """
    clicks = [each for each in _asked(evaluated) if each[2].is_clicked]
    for model, row, question in clicks:
        CorpusAnswer.objects.record(
            **_subject(lease, model, row, question), answer=question.given, now=now
        )
    return bool(clicks)


def check_again(lease: Lease, evaluated: EvaluatedForm, now: datetime) -> None:
    """Send back the rating that was just stored, if an answer that came meanwhile bars a score."""
    asked = list(_asked(evaluated))
    stored = CorpusAnswer.objects.latest_of(lease.annotator, lease.item.batch_id) if asked else {}
    for model, row, question in asked:
        if stored.get((model, row.dimension.code, question.check.code), "") != question.given:
            CorpusAnswer.objects.hold(**_subject(lease, model, row, question), now=now)


def _asked(evaluated: EvaluatedForm) -> Iterator[tuple[str, Row, Question]]:
    """Yield each question about a corpus, with its model and its row."""
    for target in evaluated.targets:
        if isinstance(target.shown, ShownSet):
            for row in target.rows:
                yield from ((target.shown.model, row, question) for question in row.corpus)


def _subject(lease: Lease, model: str, row: Row, question: Question) -> dict[str, Any]:
    """Return what an answer about a corpus is an answer to, and whose it is."""
    return {
        "annotator": lease.annotator,
        "batch": lease.item.batch,
        "model": model,
        "dimension": row.dimension,
        "code": question.check.code,
    }
