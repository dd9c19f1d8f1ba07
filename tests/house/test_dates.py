"""Dates and times have one form on all pages, in each language."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format
from playwright.sync_api import Page, expect

from tests.factories import PASSWORD, make_project, make_user

ROOT = Path(__file__).parents[2]
# What `datetime=` and addresses have, and a weekday beside a date.
OF_MACHINES = {"Y-m-d", "Y-m-d\\TH:i:sO", "Y-m", "c", "D"}


def test_templates_name_a_form_and_do_not_write_one() -> None:
    written = {
        (file.relative_to(ROOT).as_posix(), form)
        for file in (ROOT / "templates").rglob("*.*")
        for form in re.findall(r"\|(?:date|time)(?::\"([^\"]*)\")?", file.read_text("utf-8"))
        if form not in OF_MACHINES
    }
    assert len(written) > 15
    strays = {(file, form) for file, form in written if form and not form.endswith("_FORMAT")}
    assert strays == set()


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "24 Nov 2026, 04:39"),
        ("de", "24. November 2026 04:39"),
        ("fr", "24 novembre 2026 04:39"),
    ],
)
def test_a_time_is_told_as_the_language_tells_it(language: str, told: str) -> None:
    with translation.override(language):
        at = datetime(2026, 11, 24, 4, 39, tzinfo=UTC)
        assert date_format(at, "DATETIME_FORMAT") == told


@pytest.mark.django_db(transaction=True)
def test_the_log_in_brings_the_time_zone_and_without_it_utc_is_named(
    page: Page, client: Client
) -> None:
    """A lead who never opens the desk sends no Rate button's time zone."""
    lena = make_user(name="lena")
    make_project(slug="eggs", leads=[lena])
    client.force_login(lena)
    for address in ("/", "/inbox/", "/projects/eggs/", "/projects/eggs/people/"):
        assert client.get(address).content.decode().count("Times are in UTC.") == 1, address
    page.goto("/accounts/login/")
    page.get_by_label("Name or e-mail").fill("lena")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Hello, lena")).to_be_visible()
    lena.refresh_from_db()
    assert lena.time_zone == page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    assert "Times are in UTC." not in client.get("/projects/eggs/").content.decode()
