"""Forms, links and parameters as pages have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urljoin, urlsplit

Attributes = dict[str, str]
SENT_BY = {"data-hx-get": "GET", "data-hx-post": "POST"}


@dataclass
class FoundForm:
    """A form of a page, or an element by which htmx sends one. Each field has all of its values.

    `finders`: the names of the people whose pages have it.
    """

    address: str
    method: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    finders: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str, frozenset[str]]:
        """Forms with the same fields at the same address are one."""
        return self.address, self.method, frozenset([*self.fields, *self.files])


class PageReader(HTMLParser):
    """Reads a page: its links as addresses, its forms with their fields."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.links: list[str] = []
        self.forms: list[FoundForm] = []
        self._open: list[FoundForm] = []
        self._by_id: dict[str, FoundForm] = {}
        self._select = ""

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._begin(attributes)
        for name, method in SENT_BY.items():
            if attributes.get(name):
                self._send(attributes[name], method)
        if tag == "a" and attributes.get("href"):
            self.links.append(self._full(attributes["href"]))
        elif tag in ("input", "button", "textarea"):
            self._note(attributes)
        elif tag == "select":
            self._select = attributes.get("name", "")
        elif tag == "option" and self._select:
            self._note(attributes | {"name": self._select})
        if attributes.get("formaction"):
            self._send(attributes["formaction"], "POST")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._open:
            self._open.pop()

    def _full(self, address: str) -> str:
        parts = urlsplit(urljoin(self.address, address))
        return parts.path + (f"?{parts.query}" if parts.query else "")

    def _begin(self, attributes: Attributes) -> None:
        address = self._full(attributes.get("action", ""))
        form = FoundForm(address, attributes.get("method", "get").upper())
        self.forms.append(form)
        self._open.append(form)
        if attributes.get("id"):
            self._by_id[attributes["id"]] = form

    def _send(self, address: str, method: str) -> None:
        """Note what an element sends: the fields of the form around it, which come by and by."""
        form = FoundForm(self._full(address), method)
        if self._open:
            form.fields, form.files = self._open[-1].fields, self._open[-1].files
        self.forms.append(form)

    def _note(self, attributes: Attributes) -> None:
        form = self._by_id.get(attributes.get("form", ""))
        if form is None and self._open:
            form = self._open[-1]
        name = attributes.get("name")
        if form is None or not name:
            return
        if attributes.get("type") == "file":
            form.files.append(name)
        else:
            form.fields.setdefault(name, []).append(attributes.get("value", ""))


def parameters_of(address: str) -> dict[str, list[str]]:
    """The parameters of an address, each with its values."""
    parameters: dict[str, list[str]] = {}
    for name, value in parse_qsl(urlsplit(address).query, keep_blank_values=True):
        parameters.setdefault(name, []).append(value)
    return parameters
