"""`make audit`: Lighthouse on the log-in page and the desk, wide and as a phone; below 100 it
fails.

It looks at a demonstration of its own (DATA in a temporary folder, a port that is free), logged in
as an annotator with an item on the desk. Prints a line for each page, and what cost points.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.demonstration import ROOT, demonstration, installed_browser, own_folder, sign_in

CATEGORIES = ("accessibility", "best-practices")
PRESETS = {"wide": ["--preset=desktop"], "phone": []}  # a phone is what Lighthouse takes itself for


def main() -> None:
    """Audit all pages, and exit with 1 where one has less than 100."""
    browser = installed_browser(
        *("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
    )
    with own_folder() as home, sync_playwright() as playwright:
        browser = browser or playwright.chromium.executable_path
        with demonstration(home / "data") as demo:
            cookies = at_the_desk(playwright.chromium, browser, demo)
            slugs = ("response-quality", "dialogue")
            pages = {"log-in": ("/accounts/login/", "")}
            pages |= {f"desk of {slug}": (f"/projects/{slug}/desk/", cookies) for slug in slugs}
            worst = min(
                score
                for name, (address, cookie) in pages.items()
                for size, options in PRESETS.items()
                for score in audit(
                    f"{name}, {size}", demo["url"] + address, cookie, options, browser, home
                )
            )
    sys.exit(worst < 100)


def at_the_desk(chromium: Any, browser: str, demo: dict[str, Any]) -> str:
    """Log in and take an item of each project; the cookies of it, as a header has them."""
    opened = chromium.launch(executable_path=browser, args=["--no-sandbox"])
    page = opened.new_context(base_url=demo["url"]).new_page()
    sign_in(page, demo, "ada")
    for slug in ("response-quality", "dialogue"):
        page.goto(f"/projects/{slug}/desk/")
        page.get_by_role("button", name="Start rating").click()
        page.locator("#rating").wait_for()
    cookies = "; ".join(f"{each['name']}={each['value']}" for each in page.context.cookies())
    opened.close()
    return cookies


def audit(
    name: str, address: str, cookies: str, options: list[str], browser: str, home: Path
) -> list[int]:
    """The page's scores, from 0 to 100, printed along with what cost points."""
    headers, report = home / "headers.json", home / "report.json"
    headers.write_text(json.dumps({"Cookie": cookies} if cookies else {}))
    command = [
        *("node", "node_modules/lighthouse/cli/index.js", address, *options),
        *(f"--only-categories={','.join(CATEGORIES)}", f"--extra-headers={headers}", "--quiet"),
        *("--output=json", f"--output-path={report}", "--no-enable-error-reporting"),
        "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "CHROME_PATH": browser})
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
