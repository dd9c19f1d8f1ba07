"""A lead makes tokens of the API, and looks at them and at those of others."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from playwright.sync_api import expect

from tasks.models import ApiToken, ApiUsage
from tasks.models.api_usage import UsageCount, UsageKey
from tests.api.calling import make_token
from tests.factories import PASSWORD, make_project, make_user
from tests.visitor import Visitor, Walk

TOKENS = "projects/<slug:slug>/tokens/"
TOKENS_STATES = {
    "api/": {"read"},
    TOKENS: {"empty", "full"},
    f"{TOKENS}make/": {"refused", "made"},
}
TOKENS_NO_PAGE = {
    f"{TOKENS}<int:pk>/renew/": "takes a form, and leads to the tokens",
    f"{TOKENS}<int:pk>/withdraw/": "takes a form, and leads to the tokens",
    f"{TOKENS}<int:pk>/remove/": "takes a form, and leads to the tokens",
}


def making_tokens(visitor: Visitor) -> Walk:
    """Make a token, and look at tokens in all their states."""
    page = visitor.page
    lea, mia = make_user(name="lea-tokens"), make_user(name="mia-tokens")
    project = make_project(slug="sea", title="Of the sea", leads=[lea, mia])
    visitor.become(lea)
    visitor.go("/projects/sea/tokens/")
    yield "empty"
    page.get_by_label("Name", exact=True).fill("nightly-export")
    visitor.press("Make token")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    visitor.press("Confirm")
    expect(page.get_by_label("The new token")).to_be_visible()
    yield "a token made"
    page.get_by_label("Name", exact=True).fill("nightly-export")
    visitor.press("Make token")
    expect(page.locator(".errorlist")).to_be_visible()
    yield "refused"
    page.get_by_label("Name", exact=True).fill("item-upload")
    page.get_by_label("read and write").check()
    visitor.press("Make token")
    expect(page.get_by_label("The new token")).to_be_visible()
    yield "made"
    now = timezone.now()
    make_token(owner=lea, name="ends", days=30, now=now - timedelta(days=29), names_people=True)
    make_token(owner=lea, project=project, name="over", days=30, now=now - timedelta(days=40))
    make_token(owner=mia, project=project, name="of another", names_models=True)
    make_token(owner=mia, name="for all")
    _used(ApiToken.objects.get(name="ends"), now)
    visitor.go("/projects/sea/tokens/")
    yield "full"
    page.get_by_role("link", name="The API’s page").click()
    expect(page.get_by_role("heading", name="The API", exact=True)).to_be_visible()
    yield "read"


def _used(token: ApiToken, now: datetime) -> None:
    """Calls of a token, some of them refused."""
    counts = {}
    for status, reason in ((200, ""), (429, "A token may make 300 calls a minute.")):
        key = UsageKey(token.pk, "list_scores", status, now.date())
        counts[key] = UsageCount(last=now, calls=12, rows=1_200, reason=reason)
    ApiUsage.objects.add(counts)
