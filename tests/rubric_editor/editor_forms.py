"""The forms of a draft as a browser sends them, read from the page."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.test import Client


class _Fields(HTMLParser):
    """The fields of the form with an id, as (name, value)."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.form, self.inside, self.sent = form, False, list[tuple[str, str]]()
        self.area: str | None = None
        self.select: tuple[str, list[tuple[str, bool]]] | None = None
        self.option: list[Any] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "form":
            self.inside = given.get("id") == self.form
        if not self.inside:
            return
        if tag == "input" and name:
            kind = given.get("type", "text")
            if kind not in ("radio", "checkbox", "submit") or "checked" in given:
                self.sent.append((name, value))
        elif tag == "textarea" and name and "readonly" not in given:
            self.area = ""
            self.sent.append((name, ""))
        elif tag == "select":
            self.select = (name, [])
        elif tag == "option" and self.select:
            self.option = [given.get("value"), "selected" in given]

    def handle_data(self, data: str) -> None:
        if self.area is not None:
            self.area += data
        if self.option is not None and self.option[0] is None:
            self.option[0] = data.strip()

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        if tag == "textarea" and self.area is not None:
            text = self.area.removeprefix("\n")
            self.sent[-1] = (self.sent[-1][0], text.replace("\n", "\r\n"))
            self.area = None
        if tag == "option" and self.select and self.option:
            self.select[1].append((self.option[0] or "", self.option[1]))
            self.option = None
        if tag == "select" and self.select:
            name, options = self.select
            chosen = [value for value, is_chosen in options if is_chosen]
            self.sent.append((name, (chosen or [options[0][0]])[0]))
            self.select = None


def fields_of_html(html: str, form: str = "part") -> dict[str, Any]:
    """Return what a browser would send of a form of this page."""
    fields = _Fields(form)
    fields.feed(html)
    sent: dict[str, Any] = {}
    for name, value in fields.sent:
        sent.setdefault(name, []).append(value)
    return sent


def fields_of(client: Client, url: str, form: str = "part") -> dict[str, Any]:
    """Return the same of the page at an address."""
    answer = client.get(url)
    assert answer.status_code == 200, (url, answer.status_code)
    return fields_of_html(answer.content.decode(), form)
