"""All that one model said in a batch: its pages, for annotators to read, and its figures (DQ-11).

A fixed random sample comes first, then the rest page by page. A search covers both. The page never
contains the model's name.

The figures measure how varied the responses are. Distinct-n is the number of different n-grams,
divided by the number of all words generated. It comes from Li, Galley, Brockett, Gao, Dolan 2016,
"A Diversity-Promoting Objective Function for Neural Conversation Models". It is 0 if there are no
words.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from django.core.cache import cache
from django.db.models import Prefetch, Q, QuerySet

from tasks.models import Batch, Item, Response

PAGE = 50  # histories
MOST_REPEATED = 5  # texts
# The version of the cached figures. Increase it when a field of theirs or its computation changes.
FORM = 2


@dataclass(frozen=True)
class CorpusHistory:
    """The last turn of a history, and the model's replies to it; or its warning alone."""

    last_turn: str = ""
    replies: Sequence[str] = ()
    warning: str = ""


@dataclass(frozen=True)
class CorpusFigures:
    """The figures shown once the question about a corpus is answered (DQ-11)."""

    distinct_1: float  # 0 to 1
    distinct_2: float
    responses: int
    most_repeated: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class CorpusPage:
    """A page of a corpus (`key`: m1, m2, …). The first one is the sample."""

    key: str
    number: int
    pages: int
    sample_size: int
    total: int
    query: str
    histories: Sequence[CorpusHistory]
    figures: CorpusFigures | None  # None before the question is answered


@dataclass(frozen=True, slots=True)
class Corpus:
    """A model's responses in a batch."""

    batch: Batch
    model: str
    sample: int = 50  # how many histories the first page draws

    def page(
        self, key: str, number: int = 1, query: str = "", *, answered: bool = False
    ) -> CorpusPage:
        """Return a page of the corpus.

        It has figures only if the question has been answered, so that they do not influence the
        answer.
        """
        answered_items = self._responses().values("item")
        items = Item.objects.filter(batch=self.batch, pk__in=answered_items).order_by("position")
        every = list(items.values_list("pk", flat=True))
        drawn = self._drawn(every)
        if query:
            replies = self._responses().filter(text__icontains=query).values("item")
            matches = items.filter(Q(pk__in=replies) | Q(messages__icontains=query))
            pages = _by_pages(list(matches.values_list("pk", flat=True)))
        else:
            sample = set(drawn)
            rest = [pk for pk in every if pk not in sample]
            pages = [drawn, *_by_pages(rest)]
        page = []
        if number <= len(pages):
            page = pages[number - 1]
        return CorpusPage(
            key,
            number,
            pages=max(1, len(pages)),
            sample_size=len(drawn),
            total=len(every),
            query=query,
            histories=self._histories(page),
            figures=self.figures() if answered else None,
        )

    def figures(self) -> CorpusFigures:
        """Return the figures of all the model's responses in the batch.

        They are cached for good, since a batch does not change.
        """
        model = hashlib.sha256(self.model.encode()).hexdigest()
        key = f"figures_of_corpus/{FORM}/{self.batch.pk}/{model}"
        plain = cast("Mapping[str, Any]", cache.get_or_set(key, self._figures, timeout=None))
        return CorpusFigures(**plain)

    def _figures(self) -> Mapping[str, Any]:
        """Return the figures as plain values: a cached class could not be renamed or moved."""
        texts = self._responses().values_list("text", flat=True)
        return asdict(figures(list(texts)))

    def _responses(self) -> QuerySet[Response]:
        return Response.objects.filter(item__batch=self.batch, model=self.model)

    def _drawn(self, pks: list[int]) -> list[int]:
        seed = f"{self.batch.project.seed}/{self.batch.pk}/{self.model}"
        number = min(self.sample, len(pks))
        return random.Random(seed).sample(pks, number)  # noqa: S311 - a sample

    def _histories(self, pks: list[int]) -> list[CorpusHistory]:
        of_model = Prefetch("responses", self._responses().order_by("position"))
        items = Item.objects.only("messages", "warning").prefetch_related(of_model).in_bulk(pks)
        return [_history(items[pk]) for pk in pks]


def unstored_page(key: str, texts: Sequence[str], *, answered: bool) -> CorpusPage:
    """Return the only page of a corpus that is not stored, whose histories nobody knows."""
    number = len(texts)
    histories = [CorpusHistory(replies=[text]) for text in texts]
    page_figures = figures(texts) if answered else None
    return CorpusPage(key, 1, 1, number, number, "", histories, page_figures)


def _history(item: Item) -> CorpusHistory:
    """Return the last turn of a history, and those of its replies that are prefetched.

    If the item has a warning of its own, there is nothing but the warning, because the reader has
    not opened the item.
    """
    if item.warning:
        return CorpusHistory(warning=item.warning)
    last_turn = ""
    if item.messages:
        last_turn = item.messages[-1]["text"]
    replies = [response.text for response in item.responses.all()]
    return CorpusHistory(last_turn, replies)


def _by_pages(pks: list[int]) -> list[list[int]]:
    return [pks[start : start + PAGE] for start in range(0, len(pks), PAGE)]


def distinct(tokenised_texts: Iterable[Sequence[str]], n: int) -> float:
    """Return distinct-n of tokenised texts."""
    grams: set[tuple[str, ...]] = set()
    total = 0
    for words in tokenised_texts:
        total += len(words)
        for start in range(len(words) - n + 1):
            gram = words[start : start + n]
            grams.add(tuple(gram))
    if total:
        return len(grams) / total
    return 0.0


def figures(texts: Sequence[str]) -> CorpusFigures:
    """Return the figures shown once the question about a corpus is answered (DQ-11)."""
    # As the paper counts tokens: split at white space, with case folded.
    tokenised = [text.casefold().split() for text in texts]
    repeated = Counter(" ".join(words) for words in tokenised if words)
    most_repeated = repeated.most_common(MOST_REPEATED)
    repeated_texts = [(text, times) for text, times in most_repeated if times > 1]
    return CorpusFigures(distinct(tokenised, 1), distinct(tokenised, 2), len(texts), repeated_texts)
