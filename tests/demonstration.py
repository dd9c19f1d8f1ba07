"""A demonstration of one's own, and the browser that looks at it: for all that walks through the
program from outside."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent
LONGEST_START = 120  # seconds


@contextmanager
def own_folder() -> Iterator[Path]:
    """Make a folder for one's data. Under root its database runs as another user, who has to pass
    through."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        home = Path(folder)
        home.chmod(0o711)
        yield home


def free_port() -> int:
    """Return a port of the loopback address that nothing uses now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


@contextmanager
def demonstration(data: Path) -> Iterator[dict[str, Any]]:
    """Serve a demonstration from a folder, on a port that is free; what it says of itself."""
    environment = {"PATH": os.environ["PATH"], "DATA": str(data), "PORT": str(free_port())}
    server = subprocess.Popen(
        [sys.executable, "manage.py", "demo"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    )
    try:
        announcement = data / "demo.json"
        ends = time.monotonic() + LONGEST_START
        while not announcement.exists():
            if server.poll() is not None or time.monotonic() > ends:
                raise SystemExit("The demonstration did not start; its words are above.")
            time.sleep(0.2)
        yield dict(json.loads(announcement.read_text()))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)


def manage(data: Path, *arguments: str) -> str:
    """Run a command of manage.py on the folder of a demonstration; what it prints."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "DATA": str(data)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def installed_browser(*names: str) -> str | None:
    """Return the path of the first browser that is installed, else None: Playwright has its own."""
    return next(filter(None, map(shutil.which, names)), None)


def sign_in(page: Page, demo: dict[str, Any], name: str) -> None:
    [account] = [each for each in demo["accounts"] if each["name"] == name]
    page.goto(f"{demo['url']}/accounts/login/")
    page.get_by_label("Name or e-mail").fill(name)
    page.get_by_label("Password", exact=True).fill(account["password"])
    page.get_by_role("button", name="Sign in").click()
    page.locator(".me").wait_for()
