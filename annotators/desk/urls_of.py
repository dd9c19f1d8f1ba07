"""The URLs that the form of an item sends to, and those that its page links to."""

from __future__ import annotations

from django.urls import reverse

from tasks.models import Lease


def addresses(lease: Lease) -> dict[str, str]:
    """Return the URLs of a lease or of a correction, by their names in the templates.

    `page_url` is the page itself. `back_url` is the target of key B: the last rating from the desk,
    and the desk from a rating. `kept_as` is no URL but the key under which a browser saves a form
    that it could not send. It names the item, because the item comes with another lease once this
    one has expired.
    """
    slug = lease.project.slug
    desk, texts = desk_url(slug), _url("texts", slug, lease.pk)
    if lease.corrects is None:
        return {
            "submit_url": _url("submit", slug, lease.pk),
            "verdict_url": _url("verdict", slug, lease.pk),
            "draft_url": _url("draft", slug, lease.pk),
            "texts_url": texts,
            "page_url": desk,
            "back_url": _url("last_rating", slug),
            "kept_as": f"{desk}#{lease.item_id}.{lease.revises_id or 0}",
        }
    # All revisions share one URL, since a browser saves the form under it.
    first = lease.corrects.first_pk or lease.corrects.pk
    rating = _url("rating", slug, first)
    return {
        "submit_url": _url("correct", slug, first),
        "verdict_url": _url("rating_verdict", slug, first),
        "draft_url": _url("rating_draft", slug, first),
        "texts_url": texts,
        "page_url": rating,
        "back_url": desk,
        "kept_as": rating,
    }


def desk_url(slug: str) -> str:
    return _url("desk", slug)


def _url(name: str, *arguments: object) -> str:
    return reverse(f"annotators:{name}", args=arguments)
