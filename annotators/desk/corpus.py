"""A model's responses in the whole batch, at the desk: pages of them, and answers about them."""

from collections.abc import Collection, Iterator
from datetime import datetime

from tasks.models import CorpusAnswer, Lease
from tasks.models.barred_scores import CorpusQuestion, record_answer, send_barred_back
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.form_parts import CheckQuestion
from tasks.rating_form.item_view import CandidateSetView, ItemView
from tasks.rating_form.row_view import Row

from .corpus_texts import Corpus, CorpusPage, unstored_page


def corpora(lease: Lease, on_desk: ItemView, sets: Collection[str] | None) -> dict[str, CorpusPage]:
    """Return the first page of each model's corpus, by the key of its candidate set.

    `sets`: only these candidate sets; None for all.
    """
    pages = {}
    for candidate_set in on_desk.sets:
        if sets is None or candidate_set.key in sets:
            pages[candidate_set.key] = corpus_page(lease, on_desk, candidate_set)
    return pages


def corpus_page(
    lease: Lease,
    on_desk: ItemView,
    candidate_set: CandidateSetView,
    number: int = 1,
    query: str = "",
) -> CorpusPage:
    """Return a page of a candidate set's corpus, or of a search in it."""
    key = candidate_set.corpus_key
    model = candidate_set.model
    answered = any(name.startswith(f"{key}.") for name in on_desk.about_corpora)
    elsewhere = lease.item.elsewhere
    if elsewhere is not None:
        return unstored_page(key, elsewhere.get(model, ()), answered=answered)
    sample = 0
    for dimension in on_desk.rubric.dimensions:
        if dimension.code in candidate_set.applicable:
            sample = max(sample, dimension.sample)
    return Corpus(lease.item.batch, model, sample).page(key, number, query, answered=answered)


def save_clicks(lease: Lease, evaluated: EvaluatedForm, now: datetime) -> bool:
    """Save the answers about corpora that were clicked, and return True if there were any.

    Each is saved in a transaction of its own: an answer about a corpus is independent of the
    rating, and no lock waits for the other's.
    """
    has_clicks = False
    for model, row, question in _questions(evaluated):
        if question.is_clicked:
            has_clicks = True
            subject = _subject(lease, model, row, question)
            record_answer(subject, question.answer, now=now)
    return has_clicks


def check_again(lease: Lease, evaluated: EvaluatedForm, now: datetime) -> None:
    """Send back the rating that was just stored, if an answer that came meanwhile bars a score."""
    questions = list(_questions(evaluated))
    if not questions:
        return
    stored = CorpusAnswer.objects.latest_of(lease.annotator, lease.item.batch_id)
    for model, row, question in questions:
        answer = stored.get((model, row.dimension.code, question.check.code), "")
        if answer != question.answer:
            send_barred_back(_subject(lease, model, row, question), now=now)


def _questions(evaluated: EvaluatedForm) -> Iterator[tuple[str, Row, CheckQuestion]]:
    """Yield each question about a corpus, with its model and its row."""
    for target in evaluated.targets:
        if isinstance(target.target, CandidateSetView):
            model = target.target.model
            for row in target.rows:
                for question in row.corpus:
                    yield model, row, question


def _subject(lease: Lease, model: str, row: Row, question: CheckQuestion) -> CorpusQuestion:
    """Return what an answer about a corpus is an answer to, and whose it is."""
    return CorpusQuestion(
        annotator=lease.annotator,
        batch=lease.item.batch,
        model=model,
        dimension=row.dimension,
        code=question.check.code,
    )
