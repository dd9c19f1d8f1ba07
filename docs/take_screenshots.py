"""Take the pictures in docs/screenshots from a demonstration of its own: `make screenshots`.

Wide is 1366 × 650, what a small laptop leaves of its screen; phone is 390 × 844.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "screenshots"
WIDE = {"width": 1366, "height": 650}
PHONE = {"width": 390, "height": 844}


def main() -> None:
    """Start the demonstration, walk through it, stop it."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        server = subprocess.Popen(
            [sys.executable, "manage.py", "demo"],
            cwd=ROOT,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DATA": folder, "PORT": "8479"},
        )
        try:
            demo = wait_for(Path(folder) / "demo.json", server)
            with sync_playwright() as playwright:
                found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
                browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
                take_all(browser, demo)
                browser.close()
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)


def wait_for(announcement: Path, server: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Return the announcement of the demonstration, once it is up."""
    for _ in range(300):
        if announcement.exists():
            return dict(json.loads(announcement.read_text()))
        if server.poll() is not None:
            break
        time.sleep(0.2)
    raise SystemExit("The demonstration did not start; its words are above.")


def take_all(browser: Browser, demo: dict[str, Any]) -> None:
    """Both rubrics wide, on a phone and dark; an error; the pages around them."""
    for slug, name in (("response-quality", "quality"), ("dialogue", "dialogue")):
        page = log_in(browser, demo, "ada")
        start(page, demo, slug)
        half_way(page, slug)
        shoot(page, f"desk-{name}")
        page.emulate_media(color_scheme="dark")
        shoot(page, f"desk-{name}-dark")
        page.emulate_media(color_scheme="light")
        page.get_by_role("button", name="Submit").click()
        page.locator("#errors").wait_for()
        shoot(page, f"desk-{name}-error")
        phone = log_in(browser, demo, "ben", viewport=PHONE, device_scale_factor=2, has_touch=True)
        start(phone, demo, slug)
        shoot(phone, f"desk-{name}-phone")
    lead = log_in(browser, demo, "lea")
    lead.get_by_role("link", name="Open Response quality").click()
    shoot(lead, "project", full_page=True)
    lead.goto(f"{demo['url']}/rubrics/response-quality/1/")
    shoot(lead, "rubric")


def log_in(browser: Browser, demo: dict[str, Any], name: str, **options: Any) -> Page:
    page = browser.new_context(**{"viewport": WIDE, "color_scheme": "light", **options}).new_page()
    password = next(account["password"] for account in demo["accounts"] if account["name"] == name)
    page.goto(f"{demo['url']}/accounts/login/")
    page.get_by_label("Name or e-mail").fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    return page


def start(page: Page, demo: dict[str, Any], slug: str) -> None:
    page.goto(f"{demo['url']}/projects/{slug}/desk/")
    page.get_by_role("button", name="Start rating").click()
    page.locator("#rating").wait_for()


def half_way(page: Page, slug: str) -> None:
    """Give some answers, so that a verdict shows."""
    if slug == "response-quality":
        for key in "acl":
            page.keyboard.press(key)
        page.locator("#r1-quality-verdict", has_text="At most 4").wait_for()
        page.keyboard.press("3")
        page.wait_for_timeout(300)
        page.locator("#strip-r1").click()
    else:
        page.keyboard.press("g")
        page.locator("#r1-quality-verdict", has_text="2").wait_for()
        page.keyboard.press("3")
        page.wait_for_timeout(300)


def shoot(page: Page, name: str, *, full_page: bool = False) -> None:
    page.wait_for_timeout(400)  # until fonts and transitions have settled
    page.screenshot(path=PICTURES / f"{name}.png", full_page=full_page)


if __name__ == "__main__":
    main()
