"""Settings come from the environment: understood, or refused by name."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment
from config.database import database_settings, parse_url
from config.secret import kept_secret


@pytest.mark.parametrize(("value", "understood"), [("yes", True), ("0", False), ("ON", True), (" ", False)])
def test_a_flag_is_yes_or_no(monkeypatch: pytest.MonkeyPatch, value: str, understood: bool) -> None:
    monkeypatch.setenv("HTTPS", value)
    assert environment.flag("HTTPS", default=False) is understood


def test_a_flag_that_is_neither_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="HTTPS is 'perhaps'; allowed are 1, yes, true, on and 0"):
        environment.flag("HTTPS", default=False)


@pytest.mark.parametrize("value", ["-1", "65536", "8k", "٣", "80.0"])
def test_a_number_out_of_bounds_or_none_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("PORT", value)
    with pytest.raises(ImproperlyConfigured, match=r"PORT is .*; it must be a whole number from 0 to 65535"):
        environment.number("PORT", default=8000, least=0, most=65535)


def test_a_database_address_is_taken_apart() -> None:
    found = parse_url("postgresql://an%40na:p%2Fw@db.example:6432/even%20hand?sslmode=require")
    assert found == {
        "NAME": "even hand",
        "USER": "an@na",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6432",
        "OPTIONS": {"sslmode": "require"},
    }


def test_a_database_may_be_behind_a_socket() -> None:
    found = parse_url("postgresql:///evenhand?host=/run/postgresql")
    assert (found["HOST"], found["NAME"], found["OPTIONS"]) == ("/run/postgresql", "evenhand", {})


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("mysql://u:hidden@h/n", "begins with 'mysql'; only PostgreSQL"),
        ("postgresql://u:hidden@h:port/n", "is malformed"),
        ("postgresql://u:hidden@h/", "names the database ''"),
        ("postgresql://u:hidden@h/n?sllmode=require", "has the option 'sllmode'; allowed are"),
    ],
)
def test_a_bad_database_address_is_refused_without_its_password(url: str, complaint: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=complaint) as refused:
        parse_url(url)
    assert "DATABASE_URL" in str(refused.value)
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("url", ["", "postgresql://u@h/n"])
def test_connections_are_pooled_checked_and_enough_for_all_threads(url: str) -> None:
    settings = database_settings(url, data=Path("/nowhere"), threads=4)
    assert settings["ENGINE"] == "config.postgres"  # which checks them
    pool = {"min_size": 1, "max_size": 6, "timeout": 3.0, "reconnect_timeout": 1.0}
    assert settings["OPTIONS"]["pool"] == pool


def test_a_key_is_made_once_even_by_many_at_once_and_is_its_owner_s(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with ThreadPoolExecutor(8) as many:
        keys = set(many.map(lambda _: kept_secret(folder), range(8)))
    assert len(keys) == 1
    assert len(keys.pop()) > 50
    assert [file.name for file in folder.iterdir()] == ["secret_key"]
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600
