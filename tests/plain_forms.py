"""A person who goes from page to page by links and plain forms."""

from __future__ import annotations

from playwright.sync_api import Page

from tasks.models import Project
from tests.factories import PASSWORD


def enter(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Name or e-mail").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def start_rating(page: Page, project: Project) -> None:
    page.get_by_role("button", name=f"Start with the first item {project.title}").click()


def submit(page: Page) -> None:
    page.get_by_role("button", name="Submit").click()
