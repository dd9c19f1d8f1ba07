"""Settings come from the environment: understood, or refused by name."""

from __future__ import annotations

import os
import runpy
import secrets
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from psycopg.sql import SQL, Literal

from config import environment, gunicorn
from config.data_folder import stored_secret
from config.database import IMPATIENT, database_settings, parse_url
from tests.cases import cases

KEY = secrets.token_urlsafe(64)


@pytest.mark.parametrize(
    ("value", "understood"), [("yes", True), ("0", False), ("ON", True), (" ", False)]
)
def test_a_flag_is_yes_or_no(monkeypatch: pytest.MonkeyPatch, value: str, understood: bool) -> None:
    monkeypatch.setenv("HTTPS", value)
    assert environment.flag("HTTPS", default=False) is understood


def test_a_flag_that_is_neither_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS", "perhaps")
    with pytest.raises(
        ImproperlyConfigured, match="HTTPS is 'perhaps'; allowed are 1, yes, true, on and 0"
    ):
        environment.flag("HTTPS", default=False)


@pytest.mark.parametrize("value", ["-1", "65536", "8k", "٣", "80.0"])
def test_a_number_out_of_bounds_or_none_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("PORT", value)
    with pytest.raises(
        ImproperlyConfigured, match=r"PORT is .*; it must be a whole number from 0 to 65535"
    ):
        environment.number("PORT", default=8000, least=0, most=65535)


def test_a_database_address_is_taken_apart() -> None:
    found = parse_url("postgresql://an%40na:p%2Fw@db.example:6432/even%20hand?sslmode=require")
    assert found == {
        "NAME": "even hand",
        "USER": "an@na",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6432",
        "OPTIONS": {**IMPATIENT, "sslmode": "require"},
    }


def test_a_database_may_be_behind_a_socket() -> None:
    found = parse_url("postgresql:///evenhand?host=/run/postgresql")
    assert (found["HOST"], found["NAME"]) == ("/run/postgresql", "evenhand")


def test_a_database_may_have_two_hosts_and_every_parameter_of_libpq() -> None:
    found = parse_url(
        "postgresql://u@one:5432,two:5433/n?target_session_attrs=read-write&passfile=/p"
        "&options=-c%20lock_timeout%3D2s&connect_timeout=10"
    )
    assert (found["HOST"], found["PORT"]) == ("one,two", "5432,5433")
    assert found["OPTIONS"] == {
        **IMPATIENT,
        "target_session_attrs": "read-write",
        "passfile": "/p",
        "options": "-c lock_timeout=2s",
        "connect_timeout": "10",
    }


def test_a_machine_that_vanishes_is_noticed_after_some_five_seconds() -> None:
    options = database_settings("postgresql://u@h/n", data=Path("/nowhere"), threads=4)["OPTIONS"]
    assert (options["connect_timeout"], options["tcp_user_timeout"]) == (3, 5000)
    probed = options["keepalives_idle"], options["keepalives_interval"], options["keepalives_count"]
    assert probed[0] + probed[1] * probed[2] == 5


def test_nothing_stays_on_the_server_between_two_statements_unless_told_so() -> None:
    asked = (
        "import config.settings as it; "
        "print(it.DATABASES['default']['DISABLE_SERVER_SIDE_CURSORS'])"
    )
    assert started(asked).stdout.strip() == "True"
    assert started(asked, SERVER_SIDE_CURSORS="yes").stdout.strip() == "False"


def test_only_a_setting_asks_for_encryption_of_all_subdomains() -> None:
    asked = (
        "import config.settings as it; print(it.SECURE_HSTS_SECONDS > 0, "
        "it.SECURE_HSTS_INCLUDE_SUBDOMAINS, it.SECURE_HSTS_PRELOAD)"
    )
    assert started(asked).stdout.split() == ["True", "False", "False"]
    assert started(asked, HSTS_SUBDOMAINS="yes").stdout.split() == ["True", "True", "True"]


# --- poolers ---


class Pooler:
    """A pooler that gives prepared statements names of its own, or does not."""

    def __init__(self, *, renames: bool, fails: type[psycopg.Error] | None = None) -> None:
        self.renames, self.fails, self.prepared = renames, fails, False

    def connect(self, url: str, **options: Any) -> Pooler:
        return self

    def __enter__(self) -> Pooler:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def execute(self, statement: str, *, prepare: bool = False) -> Any:
        if prepare and self.fails:
            raise self.fails
        self.prepared |= prepare
        return SimpleNamespace(rowcount=int(self.prepared and not self.renames))


@pytest.mark.parametrize(
    "pooler",
    [
        Pooler(renames=False),
        Pooler(renames=True, fails=psycopg.errors.DuplicatePreparedStatement),
        Pooler(renames=True, fails=psycopg.errors.InvalidSqlStatementName),
    ],
)
def test_a_pooler_that_mixes_up_prepared_statements_is_refused(
    monkeypatch: pytest.MonkeyPatch, pooler: Pooler
) -> None:
    monkeypatch.setattr(psycopg, "connect", pooler.connect)
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:hidden@h/n")
    with pytest.raises(SystemExit, match=r"Use PgBouncer 1.21 or newer") as refused:
        gunicorn.on_starting(None)
    assert "hidden" not in str(refused.value)


def test_the_pooler_is_asked_at_the_address_in_a_file_by_the_password_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(gunicorn, "refuse_old_pooler", asked.append)
    gunicorn.on_starting(None)
    (tmp_path / "url").write_text("postgresql://u@h/n")
    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "url"))
    monkeypatch.setenv("DATABASE_PASSWORD", "p@/w")
    gunicorn.on_starting(None)
    assert [parse_url(url)["PASSWORD"] for url in asked] == ["p@/w"]


@pytest.mark.parametrize(
    "pooler", [Pooler(renames=True), Pooler(renames=True, fails=psycopg.OperationalError)]
)
def test_the_program_starts_behind_a_better_one_and_while_the_database_is_away(
    monkeypatch: pytest.MonkeyPatch, pooler: Pooler
) -> None:
    monkeypatch.setattr(psycopg, "connect", pooler.connect)
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@h/n")
    gunicorn.on_starting(None)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("mysql://u:hidden@h/n", "does not begin with postgresql://; it must look like"),
        ("host=h password=hidden", "does not begin with postgresql://"),
        ("hidden", "does not begin with postgresql://"),
        ("postgresql://u:hid/den@h:port/n", r"is malformed; .*/NAME\.$"),
        ("postgresql://u:5432/hid@h", "names no database"),
        ("postgresql://u:hidden@h/", "names no database"),
        ("postgresql://u:1/2/hidden", "names no database"),
        ("postgresql://u:1/n?hidden=1", "is malformed"),
        ("postgresql://u:hidden@h/n?sllmode=require", "has the option 'sllmode', which libpq"),
        ("postgresql://u:hid%zzden@h/n", "NAME. Write % in the password as %25, or use DATABASE_"),
        ("postgresql://u:hidden%@h/n", "NAME. Write % in the password as %25, or use DATABASE_"),
    ],
)
def test_a_bad_database_address_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, url: str, complaint: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(ImproperlyConfigured, match=complaint) as refused:
        parse_url(environment.database_url())
    assert "DATABASE_URL" in str(refused.value)
    assert "hid" not in str(refused.value)


# --- secrets ---

# All that has a meaning in a URL, or in a file of settings.
AWKWARD = "p@s/s:w#o?r d&x=1%41'\"$\\[é"


@pytest.mark.parametrize("mark", [*"@/:#?&=[]; ", "@h/n?", "ü"])
def test_a_password_in_the_address_may_have_any_character_but_a_bare_percent_sign(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    for password in (f"{mark}start", f"mid{mark}dle", f"{mark}end{mark}", f"en%63oded{mark}"):
        monkeypatch.setenv("DATABASE_URL", f"postgresql://u:{password}@h:6432/n?sslmode=require")
        found = parse_url(environment.database_url())
        assert found["PASSWORD"] == password.replace("%63", "c")
        assert (found["USER"], found["HOST"], found["PORT"]) == ("u", "h", "6432")
        assert (found["NAME"], found["OPTIONS"]["sslmode"]) == ("n", "require")


@pytest.mark.parametrize(
    "url", ["postgresql://u@h/n", "postgresql://u@h/n?sslmode=require", "postgresql:///n?host=/run"]
)
def test_a_password_apart_from_the_address_may_be_any(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str
) -> None:
    (tmp_path / "password").write_text(f"{AWKWARD}\n", encoding="utf-8")
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("DATABASE_PASSWORD_FILE", str(tmp_path / "password"))
    assert parse_url(environment.database_url()) == {**parse_url(url), "PASSWORD": AWKWARD}


@pytest.fixture
def place(transactional_db: None) -> Iterator[str]:
    """Where the tests' database is, which lets `awkward` in by the password only."""
    known = connection.get_connection_params()
    with connection.cursor() as cursor:
        cursor.execute("SHOW hba_file")
        rules = Path(cursor.fetchone()[0])
        cursor.execute("DROP ROLE IF EXISTS awkward")
        cursor.execute(SQL("CREATE ROLE awkward LOGIN PASSWORD {}").format(Literal(AWKWARD)))
        before = rules.read_text()
        rules.write_text(f"local all awkward scram-sha-256\n{before}")
        cursor.execute("SELECT pg_reload_conf()")
        found = f"/{known['dbname']}?host={known['host']}"
        while is_let_in(f"postgresql://awkward@{found}"):  # until it has read them
            time.sleep(0.01)
        yield found
        rules.write_text(before)
        cursor.execute("SELECT pg_reload_conf()")
        cursor.execute("DROP ROLE awkward")


def is_let_in(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def test_a_database_lets_the_program_in_by_a_password_of_any_characters(place: str) -> None:
    asked = (
        "from django.apps import apps; apps.populate([]); from django.db import connection; "
        "print(connection.cursor().execute('SELECT current_user').fetchone()[0])"
    )
    within = f"postgresql://awkward:{AWKWARD.replace('%', '%25')}@{place}"
    apart = {"DATABASE_URL": f"postgresql://awkward@{place}", "DATABASE_PASSWORD": AWKWARD}
    for told in ({"DATABASE_URL": within}, apart):
        done = started(asked, DJANGO_SETTINGS_MODULE="config.settings", **told)
        assert done.stdout == "awkward\n", done.stderr
    wrong = {**apart, "DATABASE_PASSWORD": f"{AWKWARD}."}
    done = started(asked, DJANGO_SETTINGS_MODULE="config.settings", **wrong)
    assert done.returncode == 1
    assert "password authentication failed" in done.stderr
    assert not any(part in done.stderr for part in ("p@s", "w#o", "r d&x", "p%40s"))


def test_a_secret_may_be_in_a_file(tmp_path: Path) -> None:
    asked = (
        "import config.settings as it; print(it.SECRET_KEY, it.DATABASES['default']['HOST'], "
        "it.EMAIL_HOST_PASSWORD)"
    )
    told: dict[str, str] = {}
    for name, text in {
        "SECRET_KEY": f"{KEY}\n",
        "DATABASE_URL": "postgresql://u:p@elsewhere/n\n",
        "EMAIL_URL": "smtp://u:w@r/d@relay.example",
    }.items():
        (tmp_path / name).write_text(text)
        told |= {name: "", f"{name}_FILE": str(tmp_path / name)}
    done = started(asked, **told, SITE_URL="https://evenhand.example")
    assert done.stdout.split() == [KEY, "elsewhere", "w@r/d"], done.stderr


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        ("missing", "cannot be read: No such file or directory"),
        (".", "cannot be read: Is a directory"),
        ("binary", "cannot be read: it is not UTF-8"),
        ("empty", "is empty"),
    ],
)
def test_a_file_that_has_no_secret_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, complaint: str
) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "binary").write_bytes(b"\xff")
    monkeypatch.setenv("SECRET_KEY_FILE", f"{tmp_path}/{file}")
    with pytest.raises(ImproperlyConfigured) as refused:
        environment.secret("SECRET_KEY")
    assert str(refused.value) == f"The file that SECRET_KEY_FILE names {complaint}."


def test_a_secret_in_the_place_of_its_file_is_not_repeated() -> None:
    done = started(SECRET_KEY="", SECRET_KEY_FILE=KEY)
    assert done.returncode == 1
    assert "The file that SECRET_KEY_FILE names cannot be read: No such file" in done.stderr
    assert KEY not in done.stderr


@pytest.mark.parametrize("name", ["DATABASE_PASSWORD", "DATABASE_PASSWORD_FILE"])
def test_a_password_of_no_database_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "password").write_text("hidden")
    value = str(tmp_path / "password") if name.endswith("_FILE") else "hidden"
    done = started(**{"DATABASE_URL": "", name: value})
    assert done.returncode == 1
    assert "DATABASE_PASSWORD is set without DATABASE_URL; set both of them" in done.stderr
    assert "hidden" not in done.stderr


@pytest.mark.parametrize("url", ["postgresql://u:hid/1@h/n", "postgresql://u@h/n?password=hid1"])
def test_a_password_that_is_given_twice_is_refused(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("DATABASE_PASSWORD", "hid2")
    with pytest.raises(ImproperlyConfigured, match="leave one of them out") as refused:
        environment.database_url()
    assert "hid" not in str(refused.value)


def test_a_secret_that_is_given_twice_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hidden")
    done = started(SECRET_KEY_FILE=f"{tmp_path}/key")
    assert done.returncode == 1
    assert "SECRET_KEY and SECRET_KEY_FILE are both set; set one of them." in done.stderr
    assert KEY not in done.stderr
    assert "hidden" not in done.stderr


@pytest.mark.parametrize("url", ["", "postgresql://u@h/n"])
def test_connections_are_pooled_checked_and_enough_for_all_threads(url: str) -> None:
    settings = database_settings(url, data=Path("/nowhere"), threads=4)
    assert settings["ENGINE"] == "config.embedded_postgres"  # which checks them
    pool = {"min_size": 1, "max_size": 6, "timeout": 3.0, "reconnect_timeout": 1.0}
    assert settings["OPTIONS"]["pool"] == pool


def test_a_key_is_made_once_even_by_many_at_once_and_is_its_owner_s(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with ThreadPoolExecutor(8) as many:
        keys = set(many.map(lambda _: stored_secret(folder), range(8)))
    assert len(keys) == 1
    assert len(keys.pop()) > 50
    assert [file.name for file in folder.iterdir()] == ["secret_key"]
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600


# --- the key ---


def started(
    code: str = "import config.settings", **environment: str
) -> subprocess.CompletedProcess[str]:
    """The program as it starts beside a database, which nothing connects to."""
    deployed = {"DATABASE_URL": "postgresql://u@h/n", "SECRET_KEY": KEY, "DATA": "/nowhere"}
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).resolve().parents[2],
        env={**kept, **deployed, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_key_of_chance_is_taken() -> None:
    assert environment.checked_secret(KEY) == KEY
    assert environment.checked_secret(secrets.token_hex(25)).isalnum()
    assert started().returncode == 0


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ("", "is unset; beside DATABASE_URL it must be given"),
        ("only 23 characters long", "has 23 characters; it must have 50 or more"),
        ("s" * 64, "repeats itself"),
        ("another " * 8, "repeats itself"),
        ("01010011" * 7 + "1", "repeats itself"),
        ("django-insecure-" + "x8#k2!pq7z" * 4 + "w", "is an example"),
        ("ChangeMe-before-you-go-online-0123456789-abcdefghijk", "is an example"),
        ("50 or more random characters, and then a few more of them", "is an example"),
    ],
    ids=str,
)
def test_a_key_that_can_be_guessed_is_refused_with_how_to_make_one(
    key: str, complaint: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=complaint) as refused:
        environment.checked_secret(key)
    assert "python3 -c 'import secrets; print(secrets.token_urlsafe(64))'" in str(refused.value)
    assert not key or key not in str(refused.value)


def test_the_program_does_not_start_with_such_a_key() -> None:
    done = started(SECRET_KEY="s" * 64)
    assert done.returncode == 1
    assert "SECRET_KEY repeats itself" in done.stderr
    assert "s" * 64 not in done.stderr


# --- where e-mails lead ---

MAIL = "smtp://relay.example:25"


@cases(
    ("url", "parts"),
    {
        MAIL: "relay.example 25 '' '' False False",
        "smtp://u:p%40s@relay.example": "relay.example 587 'u' 'p@s' False True",
        "smtps://u:p@relay.example": "relay.example 465 'u' 'p' True False",
    }.items(),
)
def test_the_mail_server_is_read_from_its_url(url: str, parts: str) -> None:
    asked = (
        "import config.settings as it; print(it.EMAIL_HOST, it.EMAIL_PORT, "
        "repr(it.EMAIL_HOST_USER), repr(it.EMAIL_HOST_PASSWORD), "
        "it.EMAIL_USE_SSL, it.EMAIL_USE_TLS)"
    )
    done = started(asked, EMAIL_URL=url, SITE_URL="https://evenhand.example")
    assert done.stdout.strip() == parts, done.stderr


def test_where_emails_are_sent_the_site_has_to_be_named() -> None:
    done = started(EMAIL_URL=MAIL)
    assert done.returncode == 1
    assert "SITE_URL is unset" in done.stderr
    assert started(EMAIL_URL=MAIL, SITE_URL="https://evenhand.example").returncode == 0
    assert started(EMAIL_URL=MAIL, DATABASE_URL="").returncode == 0


@pytest.mark.parametrize(
    ("value", "understood"),
    [
        ("", "http://127.0.0.1:8000"),
        ("https://evenhand.example/", "https://evenhand.example"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_a_site_is_named_by_scheme_and_host(
    monkeypatch: pytest.MonkeyPatch, value: str, understood: str
) -> None:
    monkeypatch.setenv("SITE_URL", value)
    assert environment.origin("SITE_URL", default="http://127.0.0.1:8000") == understood


@pytest.mark.parametrize(
    "value",
    [
        "evenhand.example",
        "//evenhand.example",
        "https://",
        "ftp://e.example",
        "https://e.example/a?b",
        "https://e.example:port",
        "https://e.example:99999",
        "https://e example",
        "https://user:word@e.example",
    ],
)
def test_a_site_that_is_none_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("SITE_URL", value)
    with pytest.raises(
        ImproperlyConfigured, match=r"SITE_URL is '.*'; it must look like https://even"
    ):
        environment.origin("SITE_URL", default="")


# --- where it listens ---


@pytest.mark.parametrize(
    ("value", "understood"),
    [("", "127.0.0.1"), ("192.0.2.7", "192.0.2.7"), ("::1", "[::1]"), ("[::]", "[::]")],
)
def test_the_server_listens_on_its_own_machine_unless_set_otherwise(
    monkeypatch: pytest.MonkeyPatch, value: str, understood: str
) -> None:
    monkeypatch.setenv("HOST", value)
    monkeypatch.setenv("PORT", "8123")
    assert runpy.run_path(gunicorn.__file__)["bind"] == f"{understood}:8123"


@pytest.mark.parametrize("value", ["everywhere", "127.0.0.1:80", "evenhand.example", "127.1"])
def test_an_address_that_is_none_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("HOST", value)
    with pytest.raises(
        ImproperlyConfigured, match=r"HOST is '.*'; it must be an IP address, such as 127"
    ):
        environment.address("HOST", default="127.0.0.1")


def test_the_container_is_reached_from_outside() -> None:
    lines = (Path(gunicorn.__file__).parent.parent / "Dockerfile").read_text(encoding="utf-8")
    assert "HOST=0.0.0.0" in lines.split()


# --- the log ---


@pytest.mark.parametrize(
    ("told", "level"),
    [({}, "INFO"), ({"LOG_LEVEL": "ERROR"}, "INFO"), ({"DATABASE_URL": ""}, "WARNING")],
    ids=str,
)
def test_log_ins_are_told_whatever_else_is(told: dict[str, str], level: str) -> None:
    """The demonstration tells of failed ones only."""
    asked = "import config.settings as it; print(it.LOGGING['loggers']['evenhand.access']['level'])"
    assert started(asked, **told).stdout.strip() == level


def test_a_log_in_lasts_for_twelve_hours_without_use_unless_told_otherwise() -> None:
    asked = "import config.settings as it; print(it.SESSION_COOKIE_AGE)"
    assert started(asked).stdout.strip() == str(12 * 60 * 60)
    assert started(asked, SESSION_HOURS="2").stdout.strip() == str(2 * 60 * 60)
    assert "SESSION_HOURS is 'a day'" in started(SESSION_HOURS="a day").stderr
