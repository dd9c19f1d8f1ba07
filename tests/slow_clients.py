"""What slow clients do to the program, bare and with Caddy in front: `make test-proxy`.

gunicorn runs as docs/admins.md says, on the loopback address and a database of its own. Caddy has
the shipped Caddyfile; only where it listens is changed, so that nobody's port is taken and nobody
else is served. While the clients hang, ten visitors ask for a page.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests.demonstration import ROOT, free_port, manage, own_folder

PAGE = "/accounts/login/"
HEAD = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n"
# What lets the program read on: as far as it knows, the form comes from its own page.
OWN = b"Referer: https://localhost/\r\nCookie: csrftoken=%s\r\n" % (b"a" * 32)
FORM = HEAD + OWN + b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n"
MEBIBYTE = 2**20
# How many come, and what each sends before it falls silent. The program has eight threads in two
# processes. Three come for each, because the kernel deals them out unevenly: after nine, a process
# may have a thread left, and answers.
SLOW = {
    "nobody else": (0, b""),
    "64 silent connections": (64, b""),
    "24 half-sent heads": (24, HEAD),
    "24 half-sent forms": (24, FORM % 100 + b"login=a"),
    "24 half-sent forms of 2 MiB": (24, FORM % (2 * MEBIBYTE) + b"a" * (MEBIBYTE + 1)),
}
APART = 0.02  # seconds from one to the next; those of a moment would all meet one of the processes
VISITORS = 10  # who then ask for a page, all at once
PROMPT = 1.0  # seconds that a page may take
IN_VAIN = 5.0  # seconds after which a page does not come
LONGEST_START = 60.0

Connect = Callable[[], socket.socket]


def plain(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=IN_VAIN)


def encrypted(port: int, context: ssl.SSLContext) -> socket.socket:
    return context.wrap_socket(plain(port), server_hostname="localhost")


def seconds_for_a_page(connect: Connect) -> float | None:
    """Ask for a page; how long it took, or None if it did not come."""
    begun = time.monotonic()
    asking = http.client.HTTPConnection("localhost", timeout=IN_VAIN)
    try:
        with connect() as asking.sock:
            asking.request("GET", PAGE, headers={"X-Forwarded-Proto": "https"})
            answer = asking.getresponse()
            assert b"</html>" in answer.read(), answer.status
    except OSError:
        return None
    took = time.monotonic() - begun
    return took if took < IN_VAIN else None


def measured(connect: Connect, silent: Connect) -> dict[str, list[float | None]]:
    """Say for each kind of slow clients how long pages take while they hang."""
    found = {}
    for name, (most, sent) in SLOW.items():
        wait_until_it_answers(connect)
        with ExitStack() as clients, ThreadPoolExecutor(VISITORS) as visitors:
            for _ in range(most):
                client = clients.enter_context(connect() if sent else silent())
                client.sendall(sent)
                time.sleep(APART)
            took = found[name] = list(visitors.map(seconds_for_a_page, [connect] * VISITORS))
        came = [each for each in took if each is not None]
        slowest = f", the slowest in {max(came):.2f} s" if came else f" within {IN_VAIN:g} s"
        print(f"  {name:<28}{len(came):>2} of {VISITORS} pages{slowest}", flush=True)
    return found


def wait_until_it_answers(connect: Connect) -> None:
    ends = time.monotonic() + LONGEST_START
    while seconds_for_a_page(connect) is None:
        if time.monotonic() > ends:
            raise SystemExit(f"It gave no page within {LONGEST_START:g} s.")
        time.sleep(0.2)


@contextmanager
def running(command: list[str], told: dict[str, str], log: Path) -> Iterator[None]:
    """Run a server. It says much of the clients that left, so its words come only if it fails."""
    environment = {"PATH": os.environ["PATH"], **told}
    with log.open("w") as words:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=words)
        try:
            yield
        except SystemExit:
            sys.stderr.write(log.read_text())
            raise
        finally:
            server.terminate()
            server.wait(timeout=60)


@contextmanager
def gunicorn(data: Path) -> Iterator[int]:
    """Serve as the recipe without containers in docs/admins.md does, for a proxy; the port."""
    for command in ("migrate -v0", "createcachetable", "collectstatic -v0 --no-input"):
        manage(data, *command.split())
    port = free_port()
    told = {
        **{"DATA": str(data), "PORT": str(port), "ALLOWED_HOSTS": "localhost"},
        **{"HTTPS": "yes", "BEHIND_PROXY": "yes", "TRUSTED_PROXIES": "1"},
    }
    program = str(Path(sys.executable).with_name("gunicorn"))
    with running(
        [program, "-c", "python:config.gunicorn", "config.wsgi"], told, data / "gunicorn.log"
    ):
        yield port


def snippet(version: str) -> str:
    """Return the Caddyfile's snippet, its CADDY, for what `caddy version` says."""
    [(major, minor)] = re.findall(r"^v?(\d+)\.(\d+)", version)
    return "2.7" if (int(major), int(minor)) >= (2, 7) else "2.6"


@contextmanager
def caddy(home: Path, app: int) -> Iterator[tuple[int, Connect]]:
    """Put Caddy in front, with the shipped Caddyfile; its port, and how one connects to it."""
    port = free_port()
    folders = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(home))
    version = subprocess.run(["caddy", "version"], stdout=subprocess.PIPE, text=True, check=True)
    told = {"APP": f"127.0.0.1:{app}", "CADDY": snippet(version.stdout), **folders}
    adapted = subprocess.run(
        ["caddy", "adapt", "--config", "deploy/Caddyfile"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **told},
        stdout=subprocess.PIPE,
        check=True,
    )
    settings = json.loads(adapted.stdout)
    settings["apps"]["http"]["http_port"] = free_port()
    [server] = settings["apps"]["http"]["servers"].values()
    server["listen"] = [f"127.0.0.1:{port}"]
    (home / "caddy.json").write_text(json.dumps(settings))
    with running(["caddy", "run", "--config", str(home / "caddy.json")], told, home / "caddy.log"):
        root = home / "caddy/pki/authorities/local/root.crt"
        ends = time.monotonic() + LONGEST_START
        while not root.exists():
            if time.monotonic() > ends:
                raise SystemExit("Caddy did not start.")
            time.sleep(0.1)
        yield port, partial(encrypted, port, ssl.create_default_context(cafile=str(root)))


def main() -> int:
    print("Making a database; with all that follows, two to three minutes.", flush=True)
    with own_folder() as home, gunicorn(home / "data") as port:
        print("gunicorn as shipped, with nothing in front:")
        bare = measured(partial(plain, port), partial(plain, port))
        with caddy(home, port) as (to_caddy, connect):
            print("Caddy in front, with deploy/Caddyfile:")
            behind = measured(connect, partial(plain, to_caddy))
    alone, *slow = bare.values()
    if None in alone or any(took.count(None) < VISITORS / 2 for took in slow):
        print("Slow clients do not stop the bare server, so this shows nothing of Caddy.")
        return 1
    if not all(took and took < PROMPT for pages in behind.values() for took in pages):
        print(f"Caddy does not keep slow clients away: a page takes more than {PROMPT:g} s.")
        return 1
    print("Slow clients stop the bare server, and not the one behind Caddy.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
