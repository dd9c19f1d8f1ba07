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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Prefetch, Q, QuerySet

from tasks.models import Batch, Item, Response

PAGE = 50  # histories
MOST_REPEATED = 5  # texts


@dataclass(frozen=True, slots=True)
class Corpus:
    """A model's responses in a batch."""

    batch: Batch
    model: str
    sample: int = 50  # how many histories the first page draws

    def page(
        self, key: str, number: int = 1, query: str = "", *, answered: bool = False
    ) -> dict[str, Any]:
        """Return a page of the corpus (`key`: m1, m2, …). The first one is the sample.

        It has figures only if the question has been answered, so that they do not influence the
        answer.
        """
        items = Item.objects.filter(
            batch=self.batch, pk__in=self._responses().values("item")
        ).order_by("position")
        every = list(items.values_list("pk", flat=True))
        drawn = self._drawn(every)
        if query:
            said = self._responses().filter(text__icontains=query).values("item")
            found = items.filter(Q(pk__in=said) | Q(messages__icontains=query))
            pages = _by_pages(list(found.values_list("pk", flat=True)))
        else:
            sample = set(drawn)
            pages = [drawn, *_by_pages([pk for pk in every if pk not in sample])]
        return {
            "key": key,
            "number": number,
            "pages": max(1, len(pages)),
            "sample_size": len(drawn),
            "total": len(every),
            "query": query,
            "histories": self._histories(pages[number - 1] if number <= len(pages) else []),
            "figures": self.figures() if answered else None,
        }

    def figures(self) -> dict[str, Any] | None:
        """Return the figures of all the model's responses in the batch.

        They are cached for good, since a batch does not change.
        """
        model = hashlib.sha256(self.model.encode()).hexdigest()
        return cache.get_or_set(
            f"corpus_figures/{self.batch.pk}/{model}",
            lambda: figures(list(self._responses().values_list("text", flat=True))),
            timeout=None,
        )

    def _responses(self) -> QuerySet[Response]:
        return Response.objects.filter(item__batch=self.batch, model=self.model)

    def _drawn(self, pks: list[int]) -> list[int]:
        drawn = random.Random(f"{self.batch.project.seed}/{self.batch.pk}/{self.model}")  # noqa: S311 - a sample
        return drawn.sample(pks, min(self.sample, len(pks)))

    def _histories(self, pks: list[int]) -> list[dict[str, Any]]:
        of_model = Prefetch("responses", self._responses().order_by("position"))
        shown = Item.objects.only("messages", "warning").prefetch_related(of_model).in_bulk(pks)
        return [_history(shown[pk]) for pk in pks]


def unstored_page(key: str, texts: Sequence[str], *, answered: bool) -> dict[str, Any]:
    """Return the only page of a corpus that is not stored, whose histories nobody knows."""
    return {
        "key": key,
        "number": 1,
        "pages": 1,
        "sample_size": len(texts),
        "total": len(texts),
        "query": "",
        "histories": [{"last_turn": "", "replies": [text], "warning": ""} for text in texts],
        "figures": figures(texts) if answered else None,
    }


def _history(item: Item) -> dict[str, Any]:
    """Return the last turn of a history, and those of its replies that are prefetched.

    If the item has a warning of its own, there is nothing but the warning, because the reader has
    not opened the item.
    """
    if item.warning:
        return {"last_turn": "", "replies": [], "warning": item.warning}
    return {
        "last_turn": item.messages[-1]["text"] if item.messages else "",
        "replies": [response.text for response in item.responses.all()],
        "warning": "",
    }


def _by_pages(pks: list[int]) -> list[list[int]]:
    return [pks[start : start + PAGE] for start in range(0, len(pks), PAGE)]


def distinct(texts: Iterable[Sequence[str]], n: int) -> float:
    """Return distinct-n of tokenised texts."""
    grams: set[tuple[str, ...]] = set()
    total = 0
    for words in texts:
        total += len(words)
        grams.update(tuple(words[start : start + n]) for start in range(len(words) - n + 1))
    return len(grams) / total if total else 0.0


def figures(texts: Sequence[str]) -> dict[str, Any]:
    """Return the figures shown once the question about a corpus is answered (DQ-11)."""
    # As the paper counts tokens: split at white space, with case folded.
    tokenised = [text.casefold().split() for text in texts]
    said = Counter(" ".join(words) for words in tokenised if words)
    return {
        "distinct_1": distinct(tokenised, 1),  # 0 to 1
        "distinct_2": distinct(tokenised, 2),
        "responses": len(texts),
        "most_repeated": [
            (text, times) for text, times in said.most_common(MOST_REPEATED) if times > 1
        ],
    }
