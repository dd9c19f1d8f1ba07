"""What a model said in the whole batch, at the desk: pages of it, and the answers about it."""

from __future__ import annotations

from datetime import datetime

from tasks.corpus import Corpus, CorpusPage
from tasks.models import CorpusAnswer, Lease
from tasks.sheet import Desk, Sheet, ShownSet


def corpora(lease: Lease, on_desk: Desk) -> dict[str, CorpusPage]:
    """The first page of each model's corpus, by the key of its candidate set."""
    return {shown.key: corpus_page(lease, on_desk, shown) for shown in on_desk.sets}


def corpus_page(lease: Lease, on_desk: Desk, shown: ShownSet, number: int = 1, query: str = "") -> CorpusPage:
    """A page of what the model of a candidate set said in the batch, with what is searched in it."""
    batch = lease.item.batch
    known = CorpusAnswer.objects.filter(annotator=lease.annotator, batch=batch, model=shown.model)
    sample = max(dimension.sample for dimension in on_desk.rubric.dimensions if dimension.code in shown.asked)
    return Corpus(batch, shown.model, sample).page(shown.corpus_key, number, query, answered=known.exists())


def record_corpus(lease: Lease, on_desk: Desk, sheet: Sheet, now: datetime, *, first: bool = False) -> None:
    """Keep the answers about a corpus. The first is kept as soon as it is given (`first`), since figures are
    shown only after it; a change of mind counts when it is submitted."""
    for row in sheet.rows:
        for question in row.corpus:
            if question.given:
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
