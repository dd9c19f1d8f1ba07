"""`make demo`: from nothing to pages, and back to nothing, with the data kept."""

import fcntl
import json
import os
import re
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import psutil
import pytest

from config.embedded_postgres import cluster
from tests.clusters import remove_cluster
from tests.settings import FOLDER

ROOT = Path(__file__).resolve().parent.parent
SECONDS_TO_RESTART = 5


class Demo:
    """One run of the demonstration."""

    def __init__(self, data: Path, *, port: int = 0, command: tuple[str, ...] = ()) -> None:
        self.data = data
        self.file = data / "demo.json"
        self.begun = time.time()
        self.process = subprocess.Popen(
            command or (sys.executable, "manage.py", "demo"),
            cwd=ROOT,
            env=environment(data, port),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait(self, seconds: float = 90) -> dict[str, Any]:
        """What demo.json says once a page answers; the file of a run before doesn't count."""
        while time.time() < self.begun + seconds:
            if self.process.poll() is not None:
                pytest.fail(f"the demonstration ended: {self.process.communicate()[1]}")
            if self.file.exists() and self.file.stat().st_mtime >= self.begun:
                said: dict[str, Any] = json.loads(self.file.read_text())
                build_opener().open(f"{said['url']}/accounts/login/", timeout=seconds).close()
                return said
            time.sleep(0.02)
        pytest.fail(f"no demo.json after {seconds} s")

    def stop(self, number: int = signal.SIGTERM) -> tuple[str, str]:
        """Ask it to end; what it printed, and its complaints."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=20)


def environment(data: Path, port: int) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "DATA": str(data), "PORT": str(port)}


def processes_of(data: Path) -> list[str]:
    """The command lines of what works for this DATA: gunicorn's processes and PostgreSQL's."""
    home = cluster.find_home(data)
    found = []
    for process in psutil.process_iter():
        try:
            works_here = process.environ().get("DATA") == str(data) and "demo" in " ".join(
                process.cmdline()
            )
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            works_here = False
        if works_here or cluster._is_ours(process, home):
            found.append(" ".join(process.cmdline()))
    return found


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A DATA folder that the tests of this file share.

    The first start takes longest: one process makes it, and the others copy what it made, as
    docs/admins.md has it done for a backup.
    """
    parent = Path(tempfile.mkdtemp(prefix="evenhand-demo-"))
    parent.chmod(0o755)
    folder, made = parent / "data", Path(os.environ[FOLDER]) / "demo"
    with (made.parent / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            first = Demo(folder)
            first.wait()
            first.stop()
            subprocess.run(("cp", "-a", folder, made), check=True)
    if not folder.exists():
        subprocess.run(("cp", "-a", made, folder), check=True)
    yield folder
    remove_cluster(cluster.find_home(folder))
    shutil.rmtree(parent)


@pytest.fixture
def demo(data: Path) -> Iterator[Demo]:
    """The demonstration, up."""
    run = Demo(data)
    run.wait()
    yield run
    if run.process.poll() is None:
        run.stop()
    run.process.communicate()


def send(address: str, **answers: str) -> str:
    """The page that comes after the form at an address is sent, as a browser would."""
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    page = browser.open(address).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    answers["csrfmiddlewaretoken"] = token[1]
    return str(browser.open(Request(address, urlencode(answers).encode())).read().decode())


def log_in(url: str, account: dict[str, str]) -> str:
    """The page that greets after logging in through the form."""
    return send(f"{url}/accounts/login/", login=account["name"], password=account["password"])


def test_it_says_where_it_is_and_everyone_can_log_in(demo: Demo) -> None:
    said = demo.wait()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", said["url"])
    assert [(each["name"], each["role"]) for each in said["accounts"]] == [
        ("ada", "annotator"),
        ("ben", "annotator"),
        ("lea", "lead"),
        ("admin", "admin"),
    ]
    assert stat.S_IMODE(demo.file.stat().st_mode) == 0o600
    for account in said["accounts"]:
        page = log_in(said["url"], account)
        assert 'name="login"' not in page
        assert account["name"] in page
    printed, complaints = demo.stop()
    assert said["url"] in printed
    for account in said["accounts"]:
        assert account["password"] in printed
    assert complaints == ""


@pytest.fixture(scope="class")
def up(data: Path) -> Iterator[Demo]:
    """The demonstration, up, for several tests."""
    run = Demo(data)
    run.wait()
    yield run
    run.stop()


class TestWhileItIsUp:
    """One start is enough for what leaves it up."""

    def test_an_email_is_a_file_and_leads_to_where_it_is(self, up: Demo) -> None:
        url = up.wait()["url"]
        send(f"{url}/accounts/password/reset/", email="ada@example.org")
        [email] = (up.data / "emails").iterdir()
        assert f"{url}/accounts/password/reset/key/" in email.read_text()

    def test_static_files_are_hashed_compressed_and_kept_for_long(self, up: Demo) -> None:
        url = up.wait()["url"]
        browser = build_opener()
        page = browser.open(f"{url}/accounts/login/").read().decode()
        [sheet] = re.findall(r'href="(/static/css/site\.[0-9a-f]{12}\.css)"', page)
        answer = browser.open(Request(url + sheet, headers={"Accept-Encoding": "br"}))
        assert answer.headers["Content-Encoding"] == "br"
        assert "immutable" in answer.headers["Cache-Control"]

    def test_a_second_one_on_the_same_data_is_refused_and_the_first_goes_on(self, up: Demo) -> None:
        said = up.wait()
        run = Demo(up.data)
        _printed, complaints = run.process.communicate(timeout=20)
        assert run.process.returncode == 1
        assert "A demonstration is running on" in complaints
        assert json.loads(up.file.read_text()) == said
        assert log_in(said["url"], said["accounts"][0])


def test_a_second_start_keeps_the_data_and_is_up_within_5_seconds(data: Path) -> None:
    first = Demo(data)
    before = first.wait()
    first.stop()
    counting = "from tasks.models import Item; print(Item.objects.count())"
    shell = [sys.executable, "manage.py", "shell", "--no-imports", "-c", counting]

    def items() -> int:
        done = subprocess.run(
            shell, cwd=ROOT, env=environment(data, 0), check=True, capture_output=True
        )
        return int(done.stdout)

    made = items()
    assert made >= 24
    second = Demo(data)
    after = second.wait()
    took = time.time() - second.begun
    try:
        assert after["accounts"] == before["accounts"]
        assert log_in(after["url"], after["accounts"][0])
        assert items() == made  # a command beside it, on the same DATA
        assert took < SECONDS_TO_RESTART
    finally:
        second.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_all_of_it(demo: Demo, number: int) -> None:
    demo.wait()
    assert len(processes_of(demo.data)) > 3
    _printed, complaints = demo.stop(number)
    assert complaints == ""
    assert demo.process.returncode == 0
    assert processes_of(demo.data) == []


def test_sigterm_to_make_alone_stops_it_even_in_the_background_of_a_script(data: Path) -> None:
    # Such a shell starts it with SIGINT ignored. `--no-print-directory`, and no environment to make
    # anew.
    script = 'make demo >"$DATA.out" 2>&1 & echo $!; wait'
    shell = Demo(data, command=("/bin/sh", "-c", script))
    assert shell.process.stdout
    make = psutil.Process(int(shell.process.stdout.readline()))
    shell.wait()
    make.terminate()
    shell.process.communicate(timeout=20)
    deadline = time.monotonic() + 5
    while processes_of(data) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of(data) == []
    assert "Traceback" not in data.with_name("data.out").read_text()


def test_a_killed_first_process_takes_all_the_others_with_it(data: Path) -> None:
    run = Demo(data)
    run.wait()
    run.process.kill()
    run.process.communicate()
    deadline = time.monotonic() + 15
    while processes_of(data) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_of(data) == []


def test_a_killed_database_starts_again_and_who_asks_meanwhile_is_told(
    demo: Demo,
) -> None:
    said = demo.wait()
    before = postmaster(demo)
    before.suspend()  # else it would tidy up while its children die
    for process in (*before.children(), before):
        process.kill()
    refusals: list[tuple[int, str]] = []
    page = ""
    deadline = time.monotonic() + 30
    while not page and time.monotonic() < deadline:
        try:
            page = log_in(said["url"], said["accounts"][0])
        except HTTPError as error:
            refusals.append((error.code, error.headers["Retry-After"]))
            time.sleep(0.1)
    assert set(refusals) <= {(503, "5")}
    assert said["accounts"][0]["name"] in page
    assert postmaster(demo) != before


def postmaster(demo: Demo) -> psutil.Process:
    found = cluster._postmaster(cluster.find_home(demo.data))
    assert found is not None
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_it_starts_ends_it_without_a_trace(data: Path, number: int) -> None:
    run = Demo(data)
    while not (data / "postgres" / "postmaster.pid").exists():
        assert run.process.poll() is None
        time.sleep(0.01)
    _printed, complaints = run.stop(number)
    assert complaints == ""
    assert processes_of(data) == []


def test_a_taken_port_is_said_and_nothing_is_started(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = Demo(data, port=port)
        printed, complaints = run.process.communicate(timeout=20)
    assert run.process.returncode == 1
    assert printed == ""
    assert f"Port {port} on 127.0.0.1 can't be used" in complaints
    assert "make demo PORT=" in complaints
    assert "Traceback" not in complaints
    assert processes_of(data) == []


def test_it_keeps_away_from_a_database_that_was_named(data: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "demo"],
        cwd=ROOT,
        env={
            **environment(data, 0),
            "DATABASE_URL": "postgresql://u@h/n",
            "SECRET_KEY": secrets.token_urlsafe(64),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "unset DATABASE_URL" in done.stderr
