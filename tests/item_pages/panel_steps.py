"""What a lead sends from the panel on the page of an item."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client

from tasks.models import Concern, Item


def address_of(item: Item, query: str = "") -> str:
    return f"/projects/{item.project.slug}/items/{item.pk}/{query}"


def panel_address(item: Item, query: str = "") -> str:
    return f"/projects/{item.project.slug}/items/{item.pk}/panel/{query}"


def fields_of(act: str, entered: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an act by the names that they have in the form."""
    return {"act": act} | {f"{act}-{name}": value for name, value in entered.items()}


def hidden_fields(page: str) -> dict[str, str]:
    """Return the hidden fields of the panel on a page."""
    part = page.partition('id="panel"')[2].partition("</form>")[0]
    return dict(re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"', part))


def send(client: Client, item: Item, act: str, query: str = "", **entered: Any) -> Any:
    """Send an act from the page as it is now, and return the answer."""
    page = client.get(address_of(item, query)).content.decode()
    sent = hidden_fields(page) | fields_of(act, entered)
    return client.post(panel_address(item, query), sent)


def page_after(client: Client, item: Item, act: str, **entered: Any) -> str:
    """Send an act, and return the page that it leads to, or that refuses it."""
    answer = send(client, item, act, **entered)
    if answer.status_code == 302:
        answer = client.get(answer.headers["Location"])
    return unescape(answer.content.decode())


def reply(concern: Concern) -> str:
    """Return the act that replies to a flag or a skip."""
    return f"reply-{concern.pk}"


def offered_acts(page: str) -> list[str]:
    """Return the acts of a page in their order."""
    return re.findall(r'<input type="radio" name="act" id="[\w-]+" value="([\w-]+)"', page)


def chosen_act(page: str) -> str:
    [act] = re.findall(r'name="act" id="[\w-]+" value="([\w-]+)"\s+checked', page)
    return str(act)


def history_of(page: str) -> list[str]:
    """Return the entries of the history as one reads them."""
    part = page.partition('id="history"')[2].partition("</section>")[0]
    entries = re.findall(r"<li.*?</li>", part, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", entry)).split()) for entry in entries]
