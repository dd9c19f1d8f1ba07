"""A browser page with somebody at it, as the walks of tests/house/visits.py take it along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect

from annotators.models import User
from tests.conftest import Complaints
from tests.desk_keys import settle

Walk = Iterator[str]


@dataclass(frozen=True)
class Visitor:
    """A browser page, and whose it is."""

    page: Page
    complaints: Complaints
    site: str

    def become(self, user: User) -> None:
        """Be logged in as someone, with no other cookie kept."""
        client = Client()
        client.force_login(user)
        self.page.context.clear_cookies()
        value = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": self.site}]
        )

    def go(self, address: str, status: int = 200) -> None:
        """Open an address, which answers with that status."""
        if status >= 400:
            self.complaints.allow(rf"status of {status} ")
        answer = self.page.goto(address)
        assert answer is not None
        assert answer.status == status, f"{address} answers {answer.status}"

    def press(self, name: str) -> None:
        """Press a button of the page by its name."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def start(self, slug: str) -> None:
        """Come to a project's desk and take an item."""
        self.go(f"/projects/{slug}/desk/")
        self.press("Start rating")
        expect(self.page.locator("#rating")).to_be_visible()

    def send(self, address: str, **fields: str) -> None:
        """Send a form from the page one is on, which need not have it, to an address."""
        fields["csrfmiddlewaretoken"] = self.page.locator(
            "[name=csrfmiddlewaretoken]"
        ).first.input_value()
        with self.page.expect_navigation():
            self.page.evaluate(
                """([address, fields]) => {
                  const form = document.createElement("form");
                  Object.assign(form, { method: "post", action: address });
                  for (const [name, value] of Object.entries(fields)) {
                    const input = document.createElement("input");
                    form.append(Object.assign(input, { name, value, type: "hidden" }));
                  }
                  document.body.append(form);
                  form.submit();
                }""",
                [address, fields],
            )

    def settle(self) -> None:
        """Wait until the desk has the server's answer, and has drawn it."""
        settle(self.page)
