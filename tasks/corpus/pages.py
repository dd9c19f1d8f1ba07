"""Page through everything that one model said in a batch, as annotators may do (DQ-11).

A fixed random sample comes first, then the rest page by page. A search covers both. The page never
contains the model's name.
"""

import hashlib
import random
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Q, QuerySet

from tasks.corpus.figures import Figures, figures
from tasks.models import Batch, Item, Response
from tasks.models.items import ItemQuerySet

PAGE = 50  # histories


@dataclass(frozen=True, slots=True)
class CorpusHistory:
    """The last turn of one history, and the model's replies to it.

    If the item has a warning of its own, this has nothing but the warning, because the reader has
    not opened the item.
    """

    last_turn: str
    replies: tuple[str, ...]
    warning: str = ""


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """A page of a model's corpus. The first page is the sample, the same for everyone."""

    key: str  # m1, m2, …
    number: int
    pages: int
    sample_size: int
    total: int
    query: str
    histories: tuple[CorpusHistory, ...]
    figures: Figures | None = None


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
        items = self._items()
        every = list(items.values_list("pk", flat=True))
        drawn = self._drawn(every)
        if query:
            said = self._responses().filter(text__icontains=query).values("item")
            found = items.filter(Q(pk__in=said) | Q(messages__icontains=query))
            pages = _by_pages(list(found.values_list("pk", flat=True)))
        else:
            sample = set(drawn)
            pages = [drawn, *_by_pages([pk for pk in every if pk not in sample])]
        return CorpusPage(
            key=key,
            number=number,
            pages=max(1, len(pages)),
            sample_size=len(drawn),
            total=len(every),
            query=query,
            histories=self._histories(pages[number - 1] if number <= len(pages) else []),
            figures=self.figures() if answered else None,
        )

    def figures(self) -> Figures:
        """Return the figures of all the model's responses in the batch.

        They are cached for good, since a batch does not change.
        """
        name = f"figures/{self.batch.pk}/{hashlib.sha256(self.model.encode()).hexdigest()}"
        found: Figures | None = cache.get_or_set(name, self._counted, timeout=None)
        assert found is not None
        return found

    def _counted(self) -> Figures:
        return figures(list(self._responses().values_list("text", flat=True)))

    def _responses(self) -> QuerySet[Response]:
        return Response.objects.filter(item__batch=self.batch, model=self.model)

    def _items(self) -> ItemQuerySet:
        return Item.objects.filter(
            batch=self.batch, pk__in=self._responses().values("item")
        ).order_by("position")

    def _drawn(self, pks: list[int]) -> list[int]:
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


def _by_pages(pks: list[int]) -> list[list[int]]:
    return [pks[start : start + PAGE] for start in range(0, len(pks), PAGE)]
