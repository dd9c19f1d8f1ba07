"""`make demo`: from nothing to pages, and back to nothing, with the data kept."""

import fcntl
import json
import os
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import psutil
import pytest

from annotators.management.commands.demo import Command
from config.data_folder import make_data_folder
from config.embedded_postgres import cluster, programs
from tasks.api_pages.client import Client
from tests.clusters import remove_cluster
from tests.demonstration import free_port
from tests.settings import FOLDER

ROOT = Path(__file__).resolve().parents[2]

begun: list["Demo"] = []


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
        begun.append(self)

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
        pytest.fail(f"no demo.json after {seconds} s; it said {self.stop()}")

    def stop(self, number: int = signal.SIGTERM) -> tuple[str, str]:
        """Ask it to end; what it printed, and its complaints."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=20)


def environment(data: Path, port: int) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "DATA": str(data), "PORT": str(port)}


def processes_of(data: Path) -> list[str]:
    """The command lines of what works for this DATA: gunicorn, the worker and PostgreSQL."""
    home = cluster.find_home(data)
    found = []
    for process in psutil.process_iter():
        try:
            works_here = process.environ().get("DATA") == str(data) and "manage.py" in " ".join(
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
            a_signal_stops_all_of_it(first, signal.SIGTERM)
            subprocess.run(("cp", "-a", folder, made), check=True)
    if not folder.exists():
        subprocess.run(("cp", "-a", made, folder), check=True)
    yield folder
    remove_cluster(cluster.find_home(folder))
    shutil.rmtree(parent)


@pytest.fixture(autouse=True)
def _none_is_left_up() -> Iterator[None]:
    """Ends what a test that failed did not end."""
    begun.clear()
    yield
    for run in begun:
        if run.process.poll() is None:
            run.stop()


def send(
    address: str, browser: OpenerDirector | None = None, form: str = "", /, **answers: str
) -> str:
    """The page that comes after the form at an address is sent, as a browser would.

    `form`: the address of the page that has the form, if it is another one.
    """
    browser = browser or build_opener(HTTPCookieProcessor(CookieJar()))
    page = browser.open(form or address).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    answers["csrfmiddlewaretoken"] = token[1]
    return str(browser.open(Request(address, urlencode(answers).encode())).read().decode())


def log_in(url: str, account: dict[str, str]) -> str:
    """The page that greets after logging in through the form."""
    return send(f"{url}/accounts/login/", login=account["name"], password=account["password"])


# --- one that is up, and is started again ---


def test_the_demonstration_serves_everyone_ends_with_ctrl_c_and_is_back_with_its_data(
    data: Path, tmp_path: Path
) -> None:
    """One start, and one more, are enough for all of this."""
    run = Demo(data, port=(port := free_port()))
    demo_json_is_there_before_the_first_page_answers(run, port)
    said = run.wait()
    the_address_is_printed_and_everyone_can_log_in(run)
    a_worker_makes_the_figures_and_takes_at_most_90_mb(run)
    # Only now: for its first e-mail the worker loads every page's address, which takes 8 MB more.
    an_email_is_a_file_with_a_link_to_the_site(run)
    static_files_are_hashed_compressed_and_kept_for_long(run)
    the_pipeline_of_the_api_runs_as_its_document_has_it(run, tmp_path)
    a_second_demonstration_of_the_same_data_is_refused(run)
    items = count_items(data)
    assert items >= 24
    printed = a_signal_stops_all_of_it(run, signal.SIGINT)
    for shown in (said["url"], *(account["password"] for account in said["accounts"])):
        assert shown in printed
    again = Demo(data)
    a_restart_has_all_that_was_made(again, said["accounts"], items)
    a_killed_database_starts_again_and_requests_meanwhile_get_a_503(again)
    a_command_beside_it_finds_the_finished_projects_finished_by_people_who_agree_but_for_one(data)
    a_killed_first_process_takes_all_the_others_with_it(again)
    data_from_before_the_first_release_stay_as_they_are(data, items)


def demo_json_is_there_before_the_first_page_answers(run: Demo, port: int) -> None:
    while True:
        try:
            build_opener().open(f"http://127.0.0.1:{port}/accounts/login/", timeout=90).close()
            break
        except URLError:  # the port is not bound yet
            assert run.process.poll() is None
            time.sleep(0.01)
    assert json.loads(run.file.read_text())["url"] == f"http://127.0.0.1:{port}"


def the_address_is_printed_and_everyone_can_log_in(run: Demo) -> None:
    said = run.wait()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", said["url"])
    assert [(each["name"], each["role"]) for each in said["accounts"]] == [
        ("ada", "annotator"),
        ("ben", "annotator"),
        ("lea", "lead"),
        ("admin", "admin"),
    ]
    assert stat.S_IMODE(run.file.stat().st_mode) == 0o600
    for account in said["accounts"]:
        page = log_in(said["url"], account)
        assert 'name="login"' not in page
        assert account["name"] in page


def an_email_is_a_file_with_a_link_to_the_site(run: Demo) -> None:
    url = run.wait()["url"]
    send(f"{url}/accounts/password/reset/", email="ada@example.org")
    deadline = time.monotonic() + 60
    text = ""
    while f"{url}/accounts/password/reset/key/" not in text:  # the worker sends it
        assert time.monotonic() < deadline, text
        time.sleep(0.1)
        text = "".join(email.read_text() for email in (run.data / "emails").glob("*"))


def a_worker_makes_the_figures_and_takes_at_most_90_mb(run: Demo) -> None:
    address = "/projects/response-quality-finished/agreement/"
    lead = next(each for each in run.wait()["accounts"] if each["name"] == "lea")
    deadline = time.monotonic() + 60
    while "resamples, seed" not in (page := read_as(run, lead, address)):
        assert time.monotonic() < deadline, page
        time.sleep(1)
    [worker] = [
        each
        for each in psutil.Process(run.process.pid).children(recursive=True)
        if "work" in each.cmdline()
    ]
    memory = worker.memory_full_info()
    assert memory.uss < 90 * 2**20, memory


def read_as(run: Demo, account: dict[str, str], address: str) -> str:
    """A page, as someone who logs in sees it."""
    own = {"login": account["name"], "password": account["password"], "next": address}
    return send(f"{run.wait()['url']}/accounts/login/", **own)


def the_pipeline_of_the_api_runs_as_its_document_has_it(run: Demo, folder: Path) -> None:
    """For its project “everyday”, which the API makes first, and whose ratings come in a file."""
    url, accounts = run.wait()["url"], run.wait()["accounts"]
    [password] = [account["password"] for account in accounts if account["name"] == "lea"]
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    send(f"{url}/accounts/login/", browser, login="lea", password=password)
    send(f"{url}/accounts/reauthenticate/", browser, password=password)
    page = f"{url}/projects/dialogue/tokens/"
    answer = send(f"{page}make/", browser, page, name="night", may="write", project="", days="30")
    [secret] = re.findall(r"evh_[\w-]{43}", answer)
    client_file = folder / "evenhand_client.py"
    client_file.write_bytes(browser.open(f"{url}/api/client.py").read())
    client = Client(secret, url)
    client.post("projects", {"title": "everyday", "rubric": "response-quality"})
    document = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    [pipeline] = re.findall(r"```python\n(.*?)```", document, re.DOTALL)

    def run_pipeline() -> None:
        environment = {"EVENHAND_TOKEN": secret}
        subprocess.run([sys.executable, "-c", pipeline], cwd=folder, env=environment, check=True)

    said = [{"model": "heron", "text": "So."}]
    items = [{"id": name, "prompt": "Why?", "responses": said} for name in "ab"]
    (folder / "new.jsonl").write_text("\n".join(map(json.dumps, items)))
    run_pipeline()
    ratings = folder / "ratings.csv"
    ratings.write_text("id,annotator,dimension,score\na,Dora,quality,4\nb,Dora,quality,5\n")
    client.wait(client.send_file("everyday", ratings), every=0.2)
    run_pipeline()
    with sqlite3.connect(folder / "scores.db") as table:
        scores = table.execute("SELECT row ->> 'item', row ->> 'score' FROM scores").fetchall()
    assert sorted(scores) == [("a", 4), ("b", 5)]


def static_files_are_hashed_compressed_and_kept_for_long(run: Demo) -> None:
    url = run.wait()["url"]
    browser = build_opener()
    page = browser.open(f"{url}/accounts/login/").read().decode()
    [evaluated] = re.findall(r'href="(/static/css/site\.[0-9a-f]{12}\.css)"', page)
    answer = browser.open(Request(url + evaluated, headers={"Accept-Encoding": "br"}))
    assert answer.headers["Content-Encoding"] == "br"
    assert "immutable" in answer.headers["Cache-Control"]


def a_second_demonstration_of_the_same_data_is_refused(run: Demo) -> None:
    said = run.wait()
    second = Demo(run.data)
    _printed, complaints = second.process.communicate(timeout=20)
    assert second.process.returncode == 1
    assert "A demonstration is running on" in complaints
    assert json.loads(run.file.read_text()) == said
    assert log_in(said["url"], said["accounts"][0])


def a_signal_stops_all_of_it(run: Demo, number: int) -> str:
    """And that without a complaint; what it had printed."""
    assert len(processes_of(run.data)) > 3
    printed, complaints = run.stop(number)
    assert complaints == ""
    assert run.process.returncode == 0
    assert processes_of(run.data) == []
    return printed


def a_restart_has_all_that_was_made(run: Demo, accounts: list[dict[str, str]], items: int) -> None:
    said = run.wait()
    assert said["accounts"] == accounts
    assert log_in(said["url"], accounts[0])
    assert count_items(run.data) == items
    # What takes seconds is not done again.
    assert (run.data / "static" / "staticfiles.json").stat().st_mtime < run.begun


def shell(data: Path, program: str) -> bytes:
    """What a program prints that manage.py runs on this DATA."""
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", program]
    return subprocess.run(
        command, cwd=ROOT, env=environment(data, 0), check=True, capture_output=True
    ).stdout


def count_items(data: Path) -> int:
    address = ["-h", cluster.find_home(data).sockets, "-U", cluster.SUPERUSER, cluster.DATABASE]
    ask = [
        programs.installed_programs() / "bin/psql",
        *address,
        "-Atc",
        "SELECT count(*) FROM tasks_item",
    ]
    return int(subprocess.run(list(map(str, ask)), check=True, capture_output=True).stdout)


def a_killed_database_starts_again_and_requests_meanwhile_get_a_503(run: Demo) -> None:
    said = run.wait()
    before = postmaster(run)
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
    assert postmaster(run) != before


def postmaster(run: Demo) -> psutil.Process:
    found = cluster._postmaster(cluster.find_home(run.data))
    assert found is not None
    return found


# What a command on the same DATA finds of the projects that are finished.
FINISHED = """
import json
from django.utils import timezone
from tasks.agreement.results import result
from tasks.models.open_cases import open_cases
from tasks.models import Project

def of(project):
    found = result(project, project.rubric.schema.dimensions[0], timezone.now())
    without = found.result.without
    return {
        "items": project.items.count(),
        "ratings": project.ratings.filter(kind="counted").count(),
        "concerns": project.concerns.count(),
        "apart": found.names_by_number[without.annotator],
        "alpha is of a study": found.result.main_figure.value > 0.5,
        "alpha without one is enough": without.figure.value > 0.667,
        "decisions": project.decisions.count(),
        "cases are open": 5 < open_cases(project).number < 30,
    }

projects = Project.objects.filter(slug__endswith="-finished").select_related("rubric")
print(json.dumps({project.slug: of(project) for project in projects}))
"""


def a_command_beside_it_finds_the_finished_projects_finished_by_people_who_agree_but_for_one(
    data: Path,
) -> None:
    expected = {}
    for slug in ("response-quality", "dialogue"):
        items = 2 * len((ROOT / f"fixtures/demo-{slug}.items.jsonl").read_text().splitlines())
        expected[f"{slug}-finished"] = {
            "items": items,
            "ratings": 4 * items,
            "concerns": 0,
            "apart": "emil",
            "alpha is of a study": True,
            "alpha without one is enough": True,
            "decisions": 4,
            "cases are open": True,
        }
    assert json.loads(shell(data, FINISHED)) == expected


def a_killed_first_process_takes_all_the_others_with_it(run: Demo) -> None:
    run.process.kill()
    run.process.communicate()
    deadline = time.monotonic() + 15
    while processes_of(run.data) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_of(run.data) == []


# --- the ends that need a start of their own ---


# Records the last of the replaced migrations or deletes its record, and prints how many items a
# folder has.
RECORD = """
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from tasks.models import Item
MigrationRecorder(connection).record_%s("tasks", "0021_files_taken_back")
print(Item.objects.count())
"""


def data_from_before_the_first_release_stay_as_they_are(data: Path, items: int) -> None:
    shell(data, RECORD % "unapplied")
    run = Demo(data)
    _printed, complaints = run.process.communicate(timeout=20)
    assert run.process.returncode == 1
    assert complaints.startswith(f"CommandError: The database in {data} was made before")
    assert complaints.endswith("name a new folder: make demo DATA=other\n")
    assert int(shell(data, RECORD % "applied")) == items


def test_sigterm_to_make_alone_stops_it_even_in_the_background_of_a_script(data: Path) -> None:
    # Such a shell starts it with SIGINT ignored.
    data.with_name("data.out").touch()
    script = 'make demo >"$DATA.out" 2>&1 & echo $!; wait'
    shell = Demo(data, port=free_port(), command=("/bin/sh", "-c", script))
    assert shell.process.stdout
    make = psutil.Process(int(shell.process.stdout.readline()))
    try:
        its_steps_are_told_one_by_one(shell)
    finally:
        make.terminate()
    shell.process.communicate(timeout=20)
    deadline = time.monotonic() + 30
    while processes_of(data) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of(data) == []
    assert "Traceback" not in data.with_name("data.out").read_text()


def its_steps_are_told_one_by_one(shell: Demo) -> None:
    """Each when it begins and when it ends."""
    out = shell.data.with_name("data.out")
    while not re.search(r"^Evenhand is at ", out.read_text(), re.MULTILINE):
        assert shell.process.poll() is None
        time.sleep(0.01)
    steps = re.findall(r"^(\w+) \(.+\)( \.\.\.|: \d+ s)$", out.read_text(), re.MULTILINE)
    names = [name for name, _seconds in steps]
    assert names == [
        name for name in ("Environment", "Database", "Demonstration") for _ in range(2)
    ]
    assert [bool(seconds.startswith(":")) for _name, seconds in steps] == [False, True] * 3


def test_a_step_is_told_before_it_is_done_to_whoever_reads_along() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)  # what is kept back is an error
    with os.fdopen(writer, "w") as out, Command(stdout=out).step("Database"):
        assert os.read(reader, 100) == b"Database ...\n"
    assert os.read(reader, 100) == b"Database: 0 s\n"
    os.close(reader)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_it_starts_ends_it_without_a_trace(data: Path, number: int) -> None:
    run = Demo(data)
    while not (data / "postgres" / "postmaster.pid").exists():
        assert run.process.poll() is None
        time.sleep(0.01)
    run.process.send_signal(number)  # and once more: make passes on what the terminal sent already
    _printed, complaints = run.stop(number)
    assert complaints == ""
    assert processes_of(data) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another user")
def test_a_copy_of_both_folders_starts_where_the_database_is_not_in_data(data: Path) -> None:
    copy, closed = data.with_name("copy"), data.with_name("closed")
    closed.mkdir(mode=0o700)
    subprocess.run(("cp", "-a", data, closed / "data"), check=True)
    far, _old = cluster._folders_outside(closed / "data")
    make_data_folder(far.parent)
    subprocess.run(("mv", closed / "data/postgres", far), check=True)
    try:
        run = Demo(closed / "data")
        run.wait()
        printed, _note = run.stop()
        told = re.search(
            r"what was entered is kept in (\S+) and (\S+): copy both\.$", printed.strip()
        )
        assert told
        assert told.groups() == (str(closed / "data"), str(far))
        copied_as_told(told.groups(), copy)
    finally:
        remove_cluster(cluster.find_home(closed / "data"))
        shutil.rmtree(closed)
    assert_items_equal(data, copy)


def copied_as_told(folders: Sequence[str], copy: Path) -> None:
    """Copy the folders by the commands of docs/admins.md, one for each folder."""
    text = (ROOT / "docs/admins.md").read_text(encoding="utf-8")
    told = re.findall(r"^ +(cp -a .+)$", text, re.MULTILINE)
    for command, folder in zip(told, folders, strict=False):
        words = command.replace("COPY", str(copy)).split()
        subprocess.run([*words[:2], folder, words[3]], check=True)


def assert_items_equal(data: Path, copy: Path) -> None:
    """The copy serves the items and lets people in; the copy is removed."""
    passwords = json.loads((data / "demo.passwords.json").read_text())
    try:
        run = Demo(copy)
        said = run.wait()
        assert {each["name"]: each["password"] for each in said["accounts"]} == passwords
        assert log_in(said["url"], said["accounts"][0])
        assert count_items(copy) >= 24
        printed, complaints = run.stop()
        assert printed.endswith(f"what was entered is kept in {copy}.\n")
        assert complaints == ""
    finally:
        remove_cluster(cluster.find_home(copy))
        shutil.rmtree(copy)


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


def test_the_demonstration_keeps_away_from_a_named_database(data: Path) -> None:
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
