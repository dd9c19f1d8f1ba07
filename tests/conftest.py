"""What every test may ask for: a clean cache, the cast, a served site, a browser that complains
aloud."""

from __future__ import annotations

import fcntl
import gc
import gzip
import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.core.cache import cache
from django.core.servers.basehttp import ThreadedWSGIServer
from django.db import connection, connections
from django.test import Client, TransactionTestCase, override_settings
from django.test.testcases import LiveServerThread
from django.utils import translation
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, expect

from annotators.models import User
from tasks.importing.files import unpacking
from tasks.models import Project
from tests.factories import make_project, make_talk, make_user, rubric_columns
from tests.settings import FOLDER
from tests.strange import strange_catalogue
from tests.unpacking import unpack_at_once, unpack_by_process
from tests.worker import work_on_files

# The same examples on every run: a red run can be repeated. `--hypothesis-profile=search` looks for
# new ones.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None)
hypothesis.settings.load_profile("repeatable")

BROWSER_FIXTURES = {"page", "context", "new_context", "browser"}


# --- the session ---------------------------------------------------------------------


def pytest_configure() -> None:
    """Look for no garbage while tests are imported and collected: all of it stays to the end."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Pure tests, then the database's, then the browser's: what is quick and says most fails first.

    Browser tests come last for another reason too: Playwright's event loop counts as running in
    this thread from the first of them on, and Django then keeps the thread's connections apart from
    those it had before.
    """
    for item in items:
        if _fixtures(item) & BROWSER_FIXTURES:
            item.add_marker("browser")
    items.sort(key=_ring)
    # What asks Java comes when the walk has ended, and not as the very last, by itself.
    if items and _ring(items[-1]) == 4:
        items.insert(-len(items) // 20, items.pop())


def _ring(item: pytest.Item) -> int:
    if item.get_closest_marker("browser"):
        # The walk over all pages takes longest: begun last, it would leave the other core idle.
        if "seen" in _fixtures(item):
            return 4 if item.get_closest_marker("ci") else 2
        return 3
    return (
        1
        if item.get_closest_marker("django_db") or _fixtures(item) & {"db", "transactional_db"}
        else 0
    )


def _fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))


def pytest_collection_finish() -> None:
    """Look for garbage again, in what comes from now on: going through all the rest every time
    takes a tenth of the time."""
    gc.freeze()
    gc.enable()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep how the session ended beside the names of what failed, for .ci/run."""
    if not hasattr(session.config, "workerinput"):
        session.config.cache.set("evenhand/ended", int(exitstatus))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the tests' database and remove its folder, after the last process that uses it."""
    if hasattr(config, "workerinput"):
        return  # one of several processes; the first of them cleans up
    from config.embedded_postgres import cluster, server as embedded
    from tests.clusters import remove_cluster

    folder = Path(os.environ[FOLDER])
    if not (folder / "postgres.users.lock").exists():
        shutil.rmtree(folder, ignore_errors=True)
        return
    connections.close_all()
    embedded.detach()
    # What a killed worker of ours left running is stopped too.
    remove_cluster(cluster.find_home(folder))
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def prepared() -> Path:
    """Empty tables and compressed static files for programs with a place of their own
    (`benchmarks.place`), which the first of them makes for all: making them takes longer than what
    is tested then."""
    return Path(os.environ[FOLDER]) / "prepared"


TEMPLATE = "test_template"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: Any
) -> None:
    """Run the migrations once: the tables of each process are a copy of those that the first makes.

    They take longer than any test.
    """
    test, name = connection.settings_dict["TEST"], connection.settings_dict["NAME"]
    own, made = test["NAME"], Path(os.environ[FOLDER]) / "template.made"
    with made.with_suffix(".lock").open("w") as lock, django_db_blocker.unblock():
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            test["NAME"] = TEMPLATE
            connection.prepare_database()
            connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
            connection.close()
            connection.close_pool()  # type: ignore[attr-defined]  # copied while nobody uses it
            test["NAME"], connection.settings_dict["NAME"] = own, name
            made.touch()
    test["TEMPLATE"] = TEMPLATE


# Truncating every table writes some three hundred files anew, and Django then makes its permissions
# anew: ten times what it takes to delete the few rows that a test wrote. What a migration made of
# them stays. No trigger counts these rows, and no key is checked.
EMPTY = """
DO $$
DECLARE filled regclass;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR filled IN
    SELECT oid FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
      AND relname NOT IN ('auth_permission', 'django_content_type', 'django_migrations')
  LOOP
    EXECUTE format('DELETE FROM %s', filled);
  END LOOP;
END $$
"""


@pytest.fixture(autouse=True, scope="session")
def _only_filled_tables_are_emptied() -> Iterator[None]:
    """Tests that commit leave empty tables behind, as Django has it, in a tenth of the time."""

    def empty(_test: TransactionTestCase) -> None:
        connection.cursor().execute(EMPTY)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_process_unpacks_a_file() -> Iterator[None]:
    """Files are unpacked as quickly as they are read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unpacking, "_run", unpack_at_once)
        yield


@pytest.fixture
def unpacking_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each file unpacked by a limited process, as the program has it."""
    monkeypatch.setattr(unpacking, "_run", unpack_by_process)


# Two suites beside one another can keep an answer of the server longer than the usual five seconds.
expect.set_options(timeout=20_000)


@pytest.fixture(autouse=True)
def _nothing_stays_of_the_test_before() -> None:
    """No one is limited by it, and the language of its last request is not spoken on."""
    cache.clear()
    translation.deactivate()


@pytest.fixture(scope="session")
def _not_here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs that not every machine has, each of which says so."""
    folder = tmp_path_factory.mktemp("not-here")
    for name in ("node", "npm", "npx", "java", "xgettext", "msgmerge", "msgfmt"):
        told = f"{name} is not on every machine: mark the test ci"
        (folder / name).write_text(f"#!/bin/sh\necho '{told}' >&2\nexit 127\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture(autouse=True)
def _no_test_needs_what_not_every_machine_has(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, _not_here: Path
) -> None:
    """Only one that is marked `ci` finds Node, Java and gettext."""
    if not request.node.get_closest_marker("ci"):
        monkeypatch.setenv("PATH", str(_not_here), prepend=os.pathsep)


@pytest.fixture
def strange_language(tmp_path: Path) -> Iterator[None]:
    """All is said in the language of `tests.strange`, but the rubrics, which are read before."""
    for slug in ("response-quality", "dialogue"):
        rubric_columns(slug)
    folder = tmp_path / "ia" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "django.mo").write_bytes(strange_catalogue())
    with override_settings(
        LANGUAGE_CODE="ia", LANGUAGES=[("ia", "Strange")], LOCALE_PATHS=[tmp_path]
    ):
        yield


# --- the cast ------------------------------------------------------------------------


@pytest.fixture
def ada(db: None) -> User:
    """Rates."""
    return make_user(name="ada")


@pytest.fixture
def ben(db: None) -> User:
    """Rates too, where a project has him."""
    return make_user(name="ben")


@pytest.fixture
def lead(db: None) -> User:
    """Leads, where a project has her."""
    return make_user(name="lea")


@pytest.fixture
def project(ada: User) -> Project:
    """Of response quality, at /projects/eggs/: ada rates in it, it has no items yet, and each gets
    two ratings."""
    return make_project(slug="eggs", annotators=[ada], wanted=2)


@pytest.fixture
def talk(ada: User) -> Project:
    """Of dialogues, at /projects/talk/: ada rates in it, and diversity is asked."""
    return make_talk(annotators=[ada])


@pytest.fixture
def desk(client: Client, ada: User) -> Client:
    """The browser in which ada has logged in."""
    client.force_login(ada)
    return client


# --- the browser ---------------------------------------------------------------------


@dataclass(frozen=True)
class Served:
    """One answer in HTML, as it left the program; `address` is the path without the query."""

    method: str
    address: str
    status: int
    html: str


class _Server(ThreadedWSGIServer):
    """A server that counts its open connections."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.open = 0
        self.changed = threading.Condition()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.changed:
            self.open += 1
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self.changed:
                self.open -= 1
                self.changed.notify_all()


class _ServerThread(LiveServerThread):
    server_class = _Server
    httpd: _Server


class Site:
    """The program behind a real HTTP server with threads, static files and middleware as in
    production.

    `tape`, where a test puts a list there, takes up all HTML that is served.
    """

    def __init__(self) -> None:
        self.tape: list[Served] | None = None
        self._busy = 0
        self._changed = threading.Condition()
        self._thread = _ServerThread(
            "127.0.0.1",
            static_handler=self._watch,  # type: ignore[arg-type]  # whatever wraps the application will do
            connections_override={},
        )
        self._thread.daemon = True
        self._thread.start()
        self._thread.is_ready.wait()
        if self._thread.error:
            raise self._thread.error
        self.url = f"http://127.0.0.1:{self._thread.port}"

    def _watch(self, application: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
        """Count the requests in work. Static files are left to whitenoise, so that they carry the
        headers."""

        def watched(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            with self._changed:
                self._busy += 1
            tape = self.tape
            said: dict[str, str] = {}
            parts: list[bytes] = []

            def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
                said.update(headers, status=status)
                return start_response(status, headers, *error)

            try:
                response = application(environ, start)
                try:
                    for part in response:
                        if tape is not None:
                            parts.append(part)
                        yield part
                finally:
                    getattr(response, "close", lambda: None)()
                body = b"".join(parts)
                if (
                    tape is not None
                    and body
                    and said.get("Content-Type", "").startswith("text/html")
                ):
                    tape.append(_served(environ, said, body))
            finally:
                with self._changed:
                    self._busy -= 1
                    self._changed.notify_all()

        return watched

    def wait_until_closed(self) -> None:
        """Wait until every connection is closed: emptying the tables must not meet this test's last
        request."""
        server = self._thread.httpd
        # Connections are taken in turn: the answer to this one comes after all others were counted.
        with socket.create_connection(("127.0.0.1", self._thread.port), timeout=20) as last:
            last.shutdown(socket.SHUT_WR)
            assert last.recv(1) == b""
        with server.changed:
            if not server.changed.wait_for(lambda: server.open == 0, timeout=20):
                pytest.fail(f"{server.open} connections are open 20 s after the browser closed")

    def wait_until_idle(self) -> None:
        """Wait until no request is in work."""
        for _ in range(2):
            with self._changed:
                if not self._changed.wait_for(lambda: self._busy == 0, timeout=20):
                    pytest.fail(
                        f"{self._busy} requests are still in work 20 s after the browser closed"
                    )
            time.sleep(0.01)  # one that the browser sent as it closed may not have begun yet

    def stop(self) -> None:
        """Stop serving."""
        self._thread.terminate()


def _served(environ: dict[str, Any], said: dict[str, str], body: bytes) -> Served:
    """An answer with its headers and its "status", as a browser reads it."""
    if said.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    return Served(
        environ["REQUEST_METHOD"], environ["PATH_INFO"], int(said["status"][:3]), body.decode()
    )


class Complaints:
    """What the browser's console said in one test; any error in it fails the test.

    A breach of the content security policy is such an error. A test that provokes one on purpose (a
    refused form, a page that isn't there) allows it by a pattern.
    """

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._allowed: list[re.Pattern[str]] = []

    def allow(self, pattern: str) -> None:
        """Let pass what matches the regular expression."""
        self._allowed.append(re.compile(pattern))

    def listen_to(self, context: BrowserContext) -> None:
        """Note every error on every page of the context."""
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self._seen.append(str(error.error)))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            where = message.location
            self._seen.append(f"{message.text} ({where['url']}:{where['lineNumber']})")

    @property
    def left(self) -> list[str]:
        """The errors that nobody allowed."""
        return [
            text
            for text in self._seen
            if not any(pattern.search(text) for pattern in self._allowed)
        ]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium where there is one, best the one without a window, which opens pages in
    a third of the time; else Playwright's own; quiet, and under root unboxed."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-domain-reliability",
        "--disable-gpu",
        "--disable-quic",
        "--disable-sync",
        "--in-process-gpu",
        "--no-default-browser-check",
        "--no-first-run",
    ]
    # Starting a process costs as much as drawing a page: start as few as possible.
    quiet += ["--process-per-site", "--renderer-process-limit=1"]
    if os.geteuid() == 0:
        quiet.append("--no-sandbox")  # Chromium refuses to run as root with it
    return {
        **browser_type_launch_args,
        "args": quiet,
        **({"executable_path": found} if found else {}),
    }


@pytest.fixture(scope="session")
def launched(launch_browser: Callable[..., Browser]) -> Iterator[Callable[[str], Browser]]:
    """A browser with the fonts of tests/fonts that are named, and no others; each is started
    once."""
    browsers: dict[str, Browser] = {}

    def launched(fonts: str) -> Browser:
        if fonts not in browsers:
            file = Path(__file__).parent / "fonts" / f"{fonts}.conf"
            browsers[fonts] = launch_browser(env={**os.environ, "FONTCONFIG_FILE": str(file)})
        return browsers[fonts]

    yield launched
    for browser in browsers.values():
        browser.close()


@pytest.fixture
def browser(request: pytest.FixtureRequest, launched: Callable[[str], Browser]) -> Browser:
    """The browser that sees DejaVu, or what `in_both_fonts` says."""
    return launched(getattr(request, "param", "dejavu"))


# For tests that measure text: once in wide letters, once in tall lines.
in_both_fonts = pytest.mark.parametrize("browser", ["dejavu", "noto"], indirect=True)


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """The same language, zone and stillness everywhere. Never `bypass_csp`."""
    return {
        **browser_context_args,
        "locale": "en-GB",
        "timezone_id": "UTC",
        "reduced_motion": "reduce",
        "viewport": {"width": 1280, "height": 800},
    }


@pytest.fixture(scope="session")
def _site(django_db_setup: None) -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


@pytest.fixture(scope="session")
def base_url(_site: Site) -> str:
    """Where the site is: `page.goto("/")` needs no more."""
    return _site.url


@pytest.fixture(scope="session", autouse=True)
def _verify_url() -> None:
    """In place of pytest-base-url's, which would start the site, and so the database, for pure
    tests too."""


@pytest.fixture
def site(_site: Site, transactional_db: None) -> Iterator[Site]:
    """The served site over tables that are emptied after the test, once the last request has
    ended."""
    yield _site
    _site.wait_until_closed()
    connections.close_all()


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """The browser's console errors; fails the test, after all pages are closed, when any is
    left."""
    complaints = Complaints()
    yield complaints
    if complaints.left:
        pytest.fail("the browser's console has errors:\n" + "\n".join(complaints.left))


@pytest.fixture
def new_context(
    site: Site, complaints: Complaints, new_context: Callable[..., BrowserContext]
) -> Callable[..., BrowserContext]:
    """Open a browser context of one's own, such as `new_context(java_script_enabled=False)`.

    The order of the arguments is the order of setting up: contexts close first, then the console is
    judged, then the site comes to rest, then the tables are emptied.
    """

    def open_context(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(10_000)
        complaints.listen_to(context)
        return context

    return open_context


@pytest.fixture(autouse=True, scope="session")
def _django_beside_playwright() -> Iterator[None]:
    """Let Django use the database while Playwright's event loop counts as running in this thread.

    Playwright's synchronous interface runs its loop in a greenlet of the test's own thread.
    Whenever test code runs, the loop stands still, so nothing is concurrent; Django can't see that
    and would refuse.
    """
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "yes"
    yield
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@pytest.fixture
def worker(transactional_db: None) -> Iterator[None]:
    """A worker that reads and imports files beside the browser."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(0.3):
            work_on_files()
        connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    yield
    ended.set()
    thread.join()
