"""Where the form of an item sends what, and where one goes from it."""

from __future__ import annotations

from functools import lru_cache

from django.urls import get_script_prefix, reverse

from tasks.models import Lease

# With every item anew; `reverse` would take as long as a statement of the database.
_STEPS = ("submit", "verdict", "draft", "texts")


def addresses(lease: Lease) -> dict[str, str]:
    """Of a lease, or of a correction, by the names that the templates have for them.

    `page_url`: the page itself; `back_url`: where its key leads, from the item held to the last
    rating and from a rating to the item held. `kept_as`: no address, but the name by which a
    browser keeps what it could not send: the item's, which comes by another lease when the time of
    one is over.
    """
    desk, ratings = desk_url(lease.project.slug), ratings_url(lease.project.slug)
    at_desk = f"{desk}{lease.pk}/"
    if lease.corrects is None:
        urls = {f"{step}_url": f"{at_desk}{step}/" for step in _STEPS}
        kept_as = f"{desk}#{lease.item_id}.{lease.revises_id or 0}"
        return {**urls, "page_url": desk, "back_url": f"{ratings}last/", "kept_as": kept_as}
    # Of all its revisions it has one address: what a browser keeps of a form goes by it.
    rating = f"{ratings}{lease.corrects.first_pk or lease.corrects.pk}/"
    return {
        "submit_url": f"{rating}correct/",
        "verdict_url": f"{rating}verdict/",
        "draft_url": f"{rating}draft/",
        "texts_url": f"{at_desk}texts/",
        "page_url": rating,
        "back_url": desk,
        "kept_as": rating,
    }


def desk_url(slug: str) -> str:
    return _url(get_script_prefix(), "desk", slug)


def ratings_url(slug: str) -> str:
    """Of one's own ratings in a project."""
    return _url(get_script_prefix(), "ratings", slug)


@lru_cache(maxsize=512)
def _url(_prefix: str, name: str, slug: str) -> str:
    return reverse(f"annotators:{name}", args=[slug])
