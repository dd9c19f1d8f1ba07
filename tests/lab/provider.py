"""A real provider of OpenID Connect, which a test starts, and the way there and back."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import requests
from django.test import Client

from tests.demonstration import free_port

BEGIN, CALLBACK = "/accounts/lab/", "/accounts/lab/callback/"
SECRET = "a secret of the tests"
SCRIPT = Path(__file__).with_name("provider.mjs")


class RealProvider:
    """The provider's process, and orders to it."""

    def __init__(self, process: subprocess.Popen[str], issuer: str) -> None:
        self.process = process
        self.issuer = issuer

    def order(self, **orders: Any) -> None:
        """Have it do something, and wait until it is done."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(orders) + "\n")
        self.process.stdin.flush()
        self.wait_for("done")

    def wait_for(self, word: str) -> None:
        """Read what it prints until a line says the word."""
        assert self.process.stdout
        for line in self.process.stdout:
            if line.strip() == word:
                return
        raise AssertionError("the provider has ended")


@contextmanager
def real_provider(redirect_uri: str) -> Iterator[RealProvider]:
    """Start the provider, for one site."""
    port = free_port()
    with subprocess.Popen(
        ["node", SCRIPT, str(port), redirect_uri],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            provider = RealProvider(process, f"http://127.0.0.1:{port}")
            provider.wait_for("ready")
            yield provider
        finally:
            process.kill()


def go_to_provider(client: Client, **form: str) -> str:
    """Press the button, and return the address to which it leads."""
    answer = client.post(BEGIN, form)
    assert answer.status_code == 302, answer.content.decode()
    return answer.headers["Location"]


def come_back(address: str) -> dict[str, str]:
    """Sign in at the provider, in a browser of its own; return what it sends back."""
    with requests.Session() as browser:
        answer = browser.get(address, allow_redirects=False)
        while CALLBACK not in (following := answer.headers["Location"]):
            answer = browser.get(requests.compat.urljoin(address, following), allow_redirects=False)
    return dict(parse_qsl(urlsplit(following).query))


def sign_in(client: Client, **form: str) -> Any:
    """Go to the provider, and come back."""
    return client.get(CALLBACK, come_back(go_to_provider(client, **form)))
