"""All that one model said in a batch, as an annotator may look through it (DQ-11): a fixed random
sample first, the rest page by page, and a search over both. The model's name stays out of the
page."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Q, QuerySet

from tasks.corpus.figures import Figures, figures
from tasks.models import Batch, Item, Response
from tasks.models.items import ItemQuerySet

PAGE = 50


@dataclass(frozen=True, slots=True)
class CorpusHistory:
    """One history: its last turn, and what the model answered to it; or, of an item that has a
    warning of its own, that alone: who looks through a corpus has not opened it."""

    last_turn: str
    replies: tuple[str, ...]
    warning: str = ""


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """A page of a model's corpus; the first is the sample, the same for everyone. `key` is m1, m2,
    …"""

    key: str
    number: int
    pages: int
    sample_size: int
    total: int
    query: str
    histories: tuple[CorpusHistory, ...]
    figures: Figures | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """A model's responses in a batch. `sample`: how many histories the first page draws."""

    batch: Batch
    model: str
    sample: int = 50

    def page(
        self, key: str, number: int = 1, query: str = "", *, answered: bool = False
    ) -> CorpusPage:
        """Figures go along only where the question has been answered: they must not lead the
        eye."""
        items = self._items()
        drawn = self._drawn()
        if query:
            said = self._responses().filter(text__icontains=query).values("item")
            found = items.filter(Q(pk__in=said) | Q(messages__icontains=query))
            pks = list(found.order_by("position").values_list("pk", flat=True))
            chosen, pages = pks[(number - 1) * PAGE : number * PAGE], max(1, -(-len(pks) // PAGE))
        else:
            rest = items.exclude(pk__in=drawn).order_by("position")
            pages = 1 + -(-rest.count() // PAGE)
            start = (number - 2) * PAGE
            chosen = (
                drawn
                if number == 1
                else list(rest.values_list("pk", flat=True)[start : start + PAGE])
            )
        return CorpusPage(
            key=key,
            number=number,
            pages=pages,
            sample_size=len(drawn),
            total=items.count(),
            query=query,
            histories=self._histories(chosen),
            figures=self.figures() if answered else None,
        )

    def figures(self) -> Figures:
        """Over everything the model said in the batch; counted once, since a batch does not
        change."""
        name = f"figures/{self.batch.pk}/{hashlib.sha256(self.model.encode()).hexdigest()}"
        known: Figures | None = cache.get(name)
        if known is None:
            texts = self._responses().values_list("text", flat=True)
            known = figures(list(texts))
            cache.set(name, known, timeout=None)
        return known

    def _responses(self) -> QuerySet[Response]:
        return Response.objects.filter(item__batch=self.batch, model=self.model)

    def _items(self) -> ItemQuerySet:
        return Item.objects.filter(batch=self.batch, pk__in=self._responses().values("item"))

    def _drawn(self) -> list[int]:
        pks = list(self._items().order_by("position").values_list("pk", flat=True))
        drawn = random.Random(f"{self.batch.project.seed}/{self.batch.pk}/{self.model}")  # noqa: S311 - a sample
        return drawn.sample(pks, min(self.sample, len(pks)))

    def _histories(self, pks: list[int]) -> tuple[CorpusHistory, ...]:
        replies: dict[int, list[str]] = {pk: [] for pk in pks}
        for item, text in (
            self._responses().filter(item__in=pks).order_by("position").values_list("item", "text")
        ):
            replies[item].append(text)
        items = {
            item.pk: item for item in Item.objects.filter(pk__in=pks).only("messages", "warning")
        }
        return tuple(
            CorpusHistory("", (), items[pk].warning)
            if items[pk].warning
            else CorpusHistory(
                items[pk].messages[-1]["text"] if items[pk].messages else "", tuple(replies[pk])
            )
            for pk in pks
        )
