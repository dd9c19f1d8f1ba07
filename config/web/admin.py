"""A mixin for the admin's pages, for every app."""

from typing import Any, ClassVar

from django.db.models import Model
from django.http import HttpRequest


class Pages:
    """A mixin that limits a ModelAdmin to the pages listed in `pages`. Nothing is deleted."""

    # Django's URL names end with these.
    pages: ClassVar[tuple[str, ...]] = ("changelist", "change")

    def get_urls(self) -> list[Any]:
        """Return the URLs of the listed pages only."""
        ends = tuple(f"_{page}" for page in self.pages)
        urls = super().get_urls()  # type: ignore[misc]  # mixed into a ModelAdmin
        return [url for url in urls if (url.name or "").endswith(ends)]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow what the filters of the page ask, and no pattern: PostgreSQL fails at a wrong one.

        Django allows any question to any column of the table.
        """
        filters = self.list_filter  # type: ignore[attr-defined]  # mixed into a ModelAdmin
        return lookup.partition("__")[0] in filters and not lookup.endswith(("regex", "range"))

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return False: ratings keep their annotator and their rubric."""
        return False
