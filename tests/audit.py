"""`make audit`: Lighthouse on the entrance, the desk, one's own pages and a lead's, at two sizes.

Below 100 it fails. It looks at a demonstration of its own (DATA in a temporary folder, a port that
is free), in a browser that is signed in as an annotator with an item on the desk, then as a lead.
Prints a line for each page, and what cost points.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.demonstration import (
    ROOT,
    demonstration,
    free_port,
    installed_browser,
    manage,
    own_folder,
    sign_in,
)

FINISHED = "response-quality-finished"  # a project with ratings
OF_GUESTS = ("/accounts/login/", "/accounts/password/reset/", "/accounts/password/reset/done/")
OWN = ("/", "/inbox/", "/work/", "/profile/", "/projects/response-quality/ratings/")
# Prints the link of a project, and one that an e-mail has for a new password.
LINKS = """
from datetime import timedelta
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.utils import timezone
from annotators.models import User
from tasks.models import Invitation, Project
ben, lea, now = (*map(User.objects.get_by_natural_key, ("ben", "lea")), timezone.now())
project, end = Project.objects.get(slug="dialogue"), now + timedelta(days=1)
link = Invitation.objects.offer_link(project, most=5, expires_at=end, by=lea, now=now)
print(link.path)
key = default_token_generator.make_token(ben)
print(f"/accounts/password/reset/key/{user_pk_to_url_str(ben)}-{key}/")
"""
OF_LEADS = ("", "items/", "people/", "agreement/", "export/", "settings/", "rubric/1/")
CATEGORIES = ("accessibility", "best-practices")
PRESETS = {"wide": ["--preset=desktop"], "phone": []}  # a phone is what Lighthouse takes itself for


def main() -> None:
    """Audit all pages, and exit with 1 where one has less than 100."""
    installed = installed_browser(
        *("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
    )
    with (
        own_folder() as home,
        sync_playwright() as playwright,
        demonstration(home / "data") as demo,
    ):
        port = free_port()
        browser = playwright.chromium.launch_persistent_context(
            str(home / "browser"),
            executable_path=installed,
            args=["--no-sandbox", f"--remote-debugging-port={port}"],
        )
        page = browser.new_page()
        worst = 100
        links = manage(home / "data", "shell", "--no-imports", "-c", LINKS).split()
        for path in (*OF_GUESTS, *links):
            page.goto(f"{demo['url']}{path}")
            worst = min(worst, *audit(path, page.url, port, home))
        sign_in(page, demo, "ada")
        for path in OWN:
            worst = min(worst, *audit(f"ada's {path}", f"{demo['url']}{path}", port, home))
        for slug in ("response-quality", "dialogue"):
            address = f"{demo['url']}/projects/{slug}/desk/"
            page.goto(address)
            page.get_by_role("button", name="Start rating").click()
            page.locator("#rating").wait_for()
            worst = min(worst, *audit(f"desk of {slug}", address, port, home))
        browser.clear_cookies()
        sign_in(page, demo, "lea")
        page.goto(f"{demo['url']}/projects/{FINISHED}/items/")
        item = page.locator(".items tbody th a").first.get_attribute("href") or ""
        for address in ("/", item, *(f"/projects/{FINISHED}/{part}" for part in OF_LEADS)):
            worst = min(worst, *audit(address, f"{demo['url']}{address}", port, home))
        browser.close()
    sys.exit(worst < 100)


def audit(name: str, address: str, port: int, home: Path) -> list[int]:
    """Return the page's scores in the browser at this port, from 0 to 100, wide and as a phone."""
    return [
        score
        for size, options in PRESETS.items()
        for score in look(f"{name}, {size}", address, [*options, f"--port={port}"], home)
    ]


def look(name: str, address: str, options: list[str], home: Path) -> list[int]:
    """Have Lighthouse look once; print the scores along with what cost points."""
    report = home / "report.json"
    command = [
        *("node", "node_modules/lighthouse/cli/index.js", address, *options),
        *(f"--only-categories={','.join(CATEGORIES)}", "--disable-storage-reset", "--quiet"),
        *("--output=json", f"--output-path={report}", "--no-enable-error-reporting"),
    ]
    subprocess.run(command, cwd=ROOT, check=True)
    found = json.loads(report.read_text())
    shown = found["finalDisplayedUrl"]
    if shown != address:
        raise SystemExit(f"{address} led to {shown}")
    scores = [round(100 * (found["categories"][each]["score"] or 0)) for each in CATEGORIES]
    print(
        f"{name}: " + ", ".join(map(" ".join, zip(CATEGORIES, map(str, scores), strict=True))),
        flush=True,
    )
    for category in CATEGORIES:
        for part in found["categories"][category]["auditRefs"]:
            result = found["audits"][part["id"]]
            if part["weight"] and result["score"] is not None and result["score"] < 1:
                print(f"    {part['id']}: {result['title']}", flush=True)
    return scores


if __name__ == "__main__":
    main()
