"""`make torture`, and for tests `python -m tests.torture --small`: exit code 0 when every promise
was kept, 3 when one was broken, 2 when it could not be run.

--kill-web and --kill-database have servers killed meanwhile; --broken breaks the queue first, to
see whether the torture notices. The same --seed asks for the same habits; what meets what is
chance.
"""

from __future__ import annotations

import argparse
import http.client
import json
import mmap
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.frame import SMALL
from benchmarks.place import ON_DISK, own_place
from benchmarks.processes import end, leave_on_signals, start

from .broken import BREAKS

if TYPE_CHECKING:
    import psycopg

    from benchmarks.serving import Server

    from .chaos import Chaos
    from .promises import Findings
    from .world import World

PROCESSES = 2  # of annotators
LONGEST_END = 120.0  # seconds for what is under way when it is over
LONGEST_DRAIN = 600.0
BROKEN_PROMISE, NOT_RUN = 3, 2


@dataclass
class Crowd:
    """Processes of annotators, and what they say."""

    processes: list[subprocess.Popen[str]]
    said: list[dict[str, Any]] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.said = [{"acknowledged": 0, "silent": 1} for _ in self.processes]
        self.threads = [
            threading.Thread(target=self._listen, args=(number,))
            for number in range(len(self.processes))
        ]
        for thread in self.threads:
            thread.start()

    def _listen(self, number: int) -> None:
        output = self.processes[number].stdout
        assert output
        for line in output:
            self.said[number] = json.loads(line)

    @property
    def acknowledged(self) -> int:
        return sum(said["acknowledged"] for said in self.said)

    @property
    def silent(self) -> int:
        """How many have not sent a rating yet."""
        return sum(said["silent"] for said in self.said)

    @property
    def works(self) -> bool:
        return any(thread.is_alive() for thread in self.threads)

    def finish(self, patience: float) -> dict[str, Any]:
        """Have them end, and give what they did, all together."""
        deadline = time.monotonic() + patience
        for process in self.processes:
            assert process.stdin
            process.stdin.close()
        for thread in self.threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        complaints = summed_up(
            complaint for said in self.said for complaint in said.get("complaints", [])
        )
        for number, (process, said) in enumerate(
            zip(self.processes, self.said, strict=True), start=1
        ):
            if "counts" not in said:
                complaints.append(f"crowd {number} did not come to an end: a request hangs")
                end(process)
        return {
            "counts": sum((Counter(said.get("counts", {})) for said in self.said), Counter()),
            "longest": max(said.get("longest", 0) for said in self.said),
            "complaints": complaints,
        }


@dataclass
class Torture:
    """One run."""

    options: argparse.Namespace
    folder: Path
    server: Server
    world: World
    address: str
    report: dict[str, Any] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.folder / "journals").mkdir()
        (self.folder / "flight").write_bytes(bytes(self.options.annotators))

    def run(self) -> Findings:
        """The work with all that goes wrong; the check; the rest of the work; and the check once
        more."""
        import psycopg
        from django.db import DatabaseError, connection

        from . import promises
        from .chaos import pass_leases
        from .world import take_limits_away

        self._work()
        try:
            # As the next request would, which starts it again: a connection of before may be a dead
            # one's.
            self._persist(lambda: connection.cursor().execute("SELECT 1"))
        except DatabaseError as error:
            self.complaints.append(f"the database did not come back: {error}")
            return promises.Findings()
        with closing(psycopg.connect(self.address, autocommit=True)) as line:
            findings = self._check(line)
            if findings.breaches or self.complaints or self.options.broken:
                return findings
            self.report["leases passed for the drain"] = pass_leases(line, None)
            self._persist(lambda: take_limits_away(self.world.project))
            self._drain()
            findings = self._check(line)
            promises.check_drained(line, findings)
            return findings

    def _check(self, line: psycopg.Connection) -> Findings:
        from . import batches, decider, promises

        findings = promises.check(line, self.folder / "journals")
        batches.check_batches(line, self.folder / "journals", findings)
        decider.check_decisions(line, self.folder / "journals", findings)
        return findings

    def _work(self) -> None:
        from .world import change_wanted

        target = self.options.acknowledgements
        begun = time.monotonic()
        with ExitStack() as stack:
            crowd = stack.enter_context(self._crowd(drain=False))

            def share() -> float:
                passed = (time.monotonic() - begun) / self.options.seconds
                return max(crowd.acknowledged / target, passed)

            chaos = self._start_chaos(stack, crowd, share)
            changed = False
            latest = begun + self.options.seconds + LONGEST_END
            # On a busy machine some come to their first rating late: they are waited for.
            while crowd.works and (share() < 1 or (crowd.silent and time.monotonic() < latest)):
                if not changed and share() > 0.5:
                    changed = self._persist(lambda: change_wanted(self.world.project, 2, 3))
                if self.options.broken and any(each.complaints for each in chaos):
                    break  # it was noticed; all that follows would be as broken
                time.sleep(0.05)
            self.report["seconds"] = round(time.monotonic() - begun, 1)
            outcome = crowd.finish(LONGEST_END)
            self.report["acknowledgements"] = crowd.acknowledged
        if not changed and not outcome["complaints"]:
            self._persist(lambda: change_wanted(self.world.project, 2, 3))
        self.report |= {
            "did": dict(sorted(outcome["counts"].items())),
            "longest wait": round(outcome["longest"], 2),
        }
        self.complaints += outcome["complaints"]
        for each in chaos:
            self.complaints += each.complaints
            self.report |= each.report()

    def _start_chaos(
        self, stack: ExitStack, crowd: Crowd, share: Callable[[], float]
    ) -> list[Chaos]:
        from django.conf import settings

        from config.embedded_postgres import cluster

        from .chaos import Clock, DatabaseKiller, WebKiller
        from .journal import Journal
        from .lead import Lead

        memory = stack.enter_context(_mapped(self.folder / "flight"))
        chance = random.Random(self.options.seed)  # noqa: S311 - whom it hits, no secret
        chaos: list[Chaos] = [
            Clock(chance, address=self.address),
            Lead(
                chance,
                project=self.world.project,
                journal=Journal(self.folder / "journals" / "lead.jsonl"),
                is_killed=self.options.kill_database,
            ),
        ]
        chaos += self._deciders(chance)
        if self.options.kill_web:
            chaos.append(
                WebKiller(chance, workers=self.server.workers, done=lambda: crowd.acknowledged)
            )
        if self.options.kill_database:
            chaos.append(
                DatabaseKiller(
                    chance,
                    address=self.address,
                    home=cluster.find_home(settings.DATA),
                    share=share,
                    in_flight=lambda: sum(memory[:]),
                )
            )
        for each in chaos:
            each.start()
            stack.callback(each.stop)
        return chaos

    def _deciders(self, chance: random.Random) -> list[Chaos]:
        from annotators.models import User

        from .decider import Decider
        from .journal import Journal

        deciders: list[Chaos] = []
        for name in ("decider-one", "decider-two"):
            user, _is_new = User.objects.get_or_create(username=name)
            decider = Decider(
                random.Random(chance.random()),  # noqa: S311 - whom it hits, no secret
                project=self.world.project,
                user=user,
                journal=Journal(self.folder / "journals" / f"{name}.jsonl"),
                is_killed=self.options.kill_database,
            )
            deciders.append(decider)
        return deciders

    def _drain(self) -> None:
        """Everyone rates until they are told that there is nothing left."""
        deadline = time.monotonic() + LONGEST_DRAIN
        with self._crowd(drain=True) as crowd:
            while crowd.works and time.monotonic() < deadline:
                time.sleep(0.05)
            if crowd.works:
                self.complaints.append(
                    "the desk still promises more after all that there is was rated"
                )
            outcome = crowd.finish(LONGEST_END)
        self.complaints += outcome["complaints"]
        self.report["acknowledged in the drain"] = crowd.acknowledged

    @contextmanager
    def _crowd(self, *, drain: bool) -> Iterator[Crowd]:
        host, port = self.server.address
        processes = []
        for number in range(PROCESSES):
            process = start(
                [sys.executable, "-m", "tests.torture.crowd"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            processes.append(process)
            people = self.world.people[number::PROCESSES]
            orders = {
                "host": host,
                "port": port,
                "desk": self.world.desk,
                "people": [
                    {
                        **person,
                        "sessions": person["sessions"][-1:] if drain else person["sessions"][:-1],
                    }
                    | {"notes": 1_000_000 if drain else 0}
                    for person in people
                ],
                "kinds": self.world.kinds,
                "seed": self.options.seed,
                "journals": str(self.folder / "journals"),
                "flight": str(self.folder / "flight"),
                "drain": drain,
            }
            assert process.stdin
            process.stdin.write(json.dumps(orders) + "\n")
            process.stdin.flush()
        crowd = Crowd(processes)
        try:
            yield crowd
        finally:
            for process in processes:
                end(process)

    def _persist(self, act: Callable[[], None]) -> bool:
        """What the lead does, again and again while the database is away."""
        from django.db import DatabaseError, connection

        from config.embedded_postgres.programs import EmbeddedDatabaseError

        deadline = time.monotonic() + 60
        while True:
            try:
                act()
            except (DatabaseError, EmbeddedDatabaseError):  # the one killed still ends
                connection.close()
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
            else:
                return True


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        yield memory


def main(arguments: list[str]) -> int:
    """Run what the command line asks for, and say what came of it."""
    options = parsed(arguments)
    begun = time.monotonic()
    with own_place(options.folder, SMALL, prepared=options.prepared) as place, ExitStack() as stack:
        # Only now: these need Django, which is set up in the place.
        import psycopg
        from django.conf import settings

        from benchmarks.serving import Server
        from config.embedded_postgres import cluster

        from .broken import break_database, break_decisions, break_removal
        from .world import make_world

        home = cluster.find_home(settings.DATA)
        address = f"host={home.sockets} user={cluster.SUPERUSER} dbname={cluster.DATABASE}"
        world = make_world(
            place.folder,
            acknowledgements=options.acknowledgements,
            annotators=options.annotators,
            seed=options.seed,
        )
        application = "config.wsgi"
        if options.broken:
            with psycopg.connect(address, autocommit=True) as line:
                break_database(line, options.broken)
            if options.broken == "removal":
                break_removal()
            if options.broken == "decision":
                break_decisions()
            application, os.environ["TORTURE_BREAKS"] = "tests.torture.broken", options.broken
        server = stack.enter_context(Server(place.folder, application, "config.settings"))
        wait_for_page(server)
        torture = Torture(options, place.folder, server, world, address)
        findings = torture.run()
        logs = complaints_in_logs(server.log, home.folder / cluster.LOG)
        report = torture.report | {"found": dict(findings.figures)}
        print(json.dumps(report, indent=2))
        breaches = [*findings.lines(), *torture.complaints, *logs]
        if breaches:
            print("BROKEN:", *breaches, sep="\n  ", file=sys.stderr)
            kept = Path(tempfile.mkdtemp(prefix="evenhand-torture-")) if options.keep else None
            if kept:
                keep(kept, place.folder, server.log, home.folder / cluster.LOG)
                print(f"Journals and logs are kept in {kept}.", file=sys.stderr)
    print(f"{'BROKEN' if breaches else 'kept'}, {time.monotonic() - begun:.0f} s in all")
    return BROKEN_PROMISE if breaches else 0


def parsed(arguments: list[str]) -> argparse.Namespace:
    """The options, with the sizes that they stand for."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--small", action="store_true", help="seconds, not minutes")
    parser.add_argument("--kill-web", action="store_true")
    parser.add_argument("--kill-database", action="store_true")
    parser.add_argument("--broken", choices=BREAKS)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--acknowledgements", type=int)
    parser.add_argument(
        "--annotators", type=int, default=64, choices=range(1, 201), metavar="1-200"
    )
    parser.add_argument(
        "--seconds", type=float, help="stop after so long, however much was acknowledged"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep journals and logs of a run that broke"
    )
    parser.add_argument(
        "--folder", type=Path, default=ON_DISK, help="where to work; it must be on a disk"
    )
    parser.add_argument(
        "--prepared", type=Path, help="copy empty tables and static files from here; for tests"
    )
    options = parser.parse_args(arguments)
    options.acknowledgements = options.acknowledgements or (120 if options.small else 20_000)
    options.seconds = options.seconds or (18 if options.small else 3_600)
    return options


def summed_up(complaints: Iterable[tuple[str, str]]) -> list[str]:
    """What several annotators have seen is said once, with the first who did."""
    who: dict[str, list[str]] = {}
    for name, words in complaints:
        who.setdefault(words, []).append(name)
    return [
        f"{names[0]}{f' and {len(names) - 1} others' if names[1:] else ''}: {words}"
        for words, names in who.items()
    ]


def wait_for_page(server: Server) -> None:
    """That the program answers at all; without this, what does not start would look like broken
    promises."""
    deadline = time.monotonic() + 60
    while True:
        line = http.client.HTTPConnection(*server.address, timeout=30)
        with closing(line), suppress(OSError):
            line.request("GET", "/accounts/login/")
            if line.getresponse().status == 200:
                return
        if time.monotonic() > deadline:
            raise RuntimeError(f"the program does not answer:\n{server.log.read_text()[-4000:]}")
        time.sleep(0.1)


def complaints_in_logs(web: Path, database: Path) -> list[str]:
    """What the servers wrote that they should never have to."""
    found = []
    for path, words in (
        (web, ("Internal Server Error",)),
        (database, ("deadlock detected", "PANIC")),
    ):
        # Each with its traceback.
        entries = re.split(r"\n(?=\d{4}-\d\d-\d\d )", path.read_text(errors="replace"))
        for word in words:
            if hits := [entry for entry in entries if word in entry]:
                found.append(f"{path.name}: {len(hits)} times: {hits[0]}")
    return found


def keep(where: Path, folder: Path, *logs: Path) -> None:
    """Copies for whoever looks into it."""
    import shutil

    shutil.copytree(folder / "journals", where / "journals")
    for log in logs:
        shutil.copy(log, where)


if __name__ == "__main__":
    leave_on_signals()
    sys.exit(main(sys.argv[1:]))
