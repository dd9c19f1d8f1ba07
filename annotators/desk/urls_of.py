"""The URLs that the form of an item sends to, and those that its page links to."""

from functools import lru_cache

from django.urls import get_script_prefix, reverse

from tasks.models import Lease, Rating

# Joined by hand for every item: `reverse` would take as long as a database query.
_STEPS = ("submit", "verdict", "draft", "texts", "open", "skip", "flag", "renew", "corpus")


def addresses(lease: Lease, corrected: Rating | None = None) -> dict[str, str]:
    """Return the URLs of a lease, or of the correction of its rating, by their template names.

    `page_url` is the page itself. `back_url` is the target of key B: the last rating from the desk,
    and the desk from a rating. `kept_as` is no URL but the key under which a browser saves a form
    that it could not send. It names the item, because the item comes with another lease once this
    one has expired.
    """
    desk, ratings = desk_url(lease.project.slug), ratings_url(lease.project.slug)
    at_desk = f"{desk}{lease.pk}/"
    if corrected is None:
        urls = {f"{step}_url": f"{at_desk}{step}/" for step in _STEPS}
        kept_as = f"{desk}#{lease.item_id}"
        return {**urls, "page_url": desk, "back_url": f"{ratings}last/", "kept_as": kept_as}
    # All revisions share one URL, since a browser saves the form under it.
    rating = f"{ratings}{corrected.first_pk or corrected.pk}/"
    return {
        "corpus_url": f"{at_desk}corpus/",
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
    """Return the URL of one's own ratings in a project."""
    return _url(get_script_prefix(), "ratings", slug)


@lru_cache(maxsize=512)
def _url(_prefix: str, name: str, slug: str) -> str:
    return reverse(f"annotators:{name}", args=[slug])
