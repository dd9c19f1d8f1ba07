"""The databases that the measures work in. Each is made once, and each measure has its own copy.

A world is a database with content. Its maker fills a copy of the world that it adds to. What one
measure changes, no other one sees.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from django.db import connection
from psycopg import sql

from config.embedded_postgres.base import close_all

from .place import Place

EMPTY = "empty"  # the tables alone
# Each world: module:function that makes it, and the world that it adds to.
WORLDS = {
    "rated": ("content:make_world", EMPTY),
    "single": ("browser_rating:make", "rated"),
    "queued": ("queued:make", "rated"),
    "nearly_done": ("queued:finish", "queued"),
    "exported": ("export_scores:make", "rated"),
    "exported_many": ("export_scores:make_many", "rated"),
    "uploaded": ("import_1m:make", "rated"),
    "agreed": ("agreement:make", "rated"),
    "agreed_less": ("agreement:make_smaller", "rated"),
    "overviewed": ("overview:make", "rated"),
    "led": ("overview:make_led", "rated"),
}


def lineage(world: str) -> Iterator[str]:
    """Yield a world and those that it rests on."""
    while world != EMPTY:
        yield world
        world = WORLDS[world][1]


class Worlds:
    """The worlds of one run. The database that all programs use is always a copy of one of them.

    Nobody may use that database while it is replaced.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.used = connection.settings_dict["NAME"]
        self.kept: set[str] = set()
        self._keep(EMPTY)

    @contextmanager
    def entered(self, world: str, later: Iterable[str] = ()) -> Iterator[Place]:
        """Yield the place in a fresh copy of a world, and end its web servers afterwards.

        `later` are the worlds that will be entered after this one. A world that none of them needs
        is given away instead of copied.
        """
        needed = {EMPTY}.union(*map(lineage, later))
        self._enter(world, needed)
        place = replace(self.place, closing=ExitStack())
        with place.closing:
            yield place

    def _enter(self, world: str, needed: set[str]) -> None:
        if world not in self.kept:
            self._make(world, needed)
        if world in needed:
            self._replace_used("CREATE DATABASE {used} TEMPLATE {kept}", world)
        else:
            self._replace_used("ALTER DATABASE {kept} RENAME TO {used}", world)
            self.kept.remove(world)

    def _make(self, world: str, needed: set[str]) -> None:
        maker, base = WORLDS[world]
        self._enter(base, needed)
        module, _, name = maker.partition(":")
        make = getattr(importlib.import_module(f"{__package__}.{module}"), name)
        self.place.made[world] = make(self.place)
        tidy()
        self._keep(world)

    def _keep(self, world: str) -> None:
        close_all()
        self._say("ALTER DATABASE {used} RENAME TO {kept}", world)
        self.kept.add(world)

    def _replace_used(self, statement: str, world: str) -> None:
        close_all()
        # A measure that failed may have left a program behind that still uses it.
        self._say("DROP DATABASE IF EXISTS {used} WITH (FORCE)", world)
        self._say(statement, world)

    def _say(self, statement: str, world: str) -> None:
        names = {"used": self.used, "kept": f"world_{world}"}
        with connection._nodb_cursor() as cursor:
            cursor.execute(
                sql.SQL(statement).format(**{key: sql.Identifier(n) for key, n in names.items()})
            )


def tidy() -> None:
    """Do what autovacuum and a checkpoint do in time on a server that runs for long."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
