"""The program broken on purpose, in this torture's own database and server alone: the torture must
see it.

`recheck`: what was looked up without a lock is lent as it was found, and the database no longer
asks whether there is a place. `constraint`: the database no longer holds that an annotator has one
live lease at most. `draft`: one draft in three is acknowledged and not stored. `limit`: nobody's
day comes to its end. `removal`: a batch is removed whatever was saved of it. `practice`: nobody
practises first. `decision`: one decision in three is acknowledged and not stored.

Served in place of config.wsgi, with TORTURE_BREAKS saying which; `break_database` is the part in
SQL.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import psycopg

BREAKS = ("recheck", "constraint", "draft", "limit", "removal", "practice", "decision")
STATEMENTS = {
    "recheck": """
        CREATE OR REPLACE FUNCTION tasks_take_place() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE tasks_item SET reserved = reserved + 1 WHERE id = NEW.item_id;
          RETURN NULL;
        END $$""",
    "constraint": "DROP INDEX an_annotator_holds_one_item_at_a_time",
}


def break_database(line: psycopg.Connection, what: str) -> None:
    """Take away what the database holds by itself."""
    if what in STATEMENTS:
        line.execute(STATEMENTS[what])


def break_queue(what: str) -> None:
    """Take away what the program does."""
    if what == "recheck":
        break_recheck()
    elif what == "draft":
        break_drafts()
    elif what == "limit":
        break_situations(lambda found: found.unlimited)
    elif what == "practice":
        break_situations(lambda found: replace(found, admitted=True))


def break_removal() -> None:
    """Have the lead, who works in the torture's own process, take back what others have begun."""
    from tasks.models import batch_removal

    drafts = "DELETE FROM tasks_draft USING tasks_item AS item"
    drafts += " WHERE item_id = item.id AND item.batch_id = %(batch)s"
    setattr(batch_removal, "UNTOUCHED", "SELECT true")  # noqa: B010 - as below
    setattr(batch_removal, "REMOVE", (drafts, *batch_removal.REMOVE))  # noqa: B010


def break_decisions() -> None:
    """Have the deciders, who work in the torture's own process, told of what is not stored."""
    from tasks.models import ScoreDecision

    save, stored = ScoreDecision.save, count(1)

    def save_some(decision: ScoreDecision, **how: Any) -> None:
        if next(stored) % 3:
            save(decision, **how)

    setattr(ScoreDecision, "save", save_some)  # noqa: B010 - as above


def break_drafts() -> None:
    from annotators.desk import drafts

    save, sent = drafts.save_form, count(1)

    def save_some(*arguments: Any, **how: Any) -> int | None:
        return save(*arguments, **how) if next(sent) % 3 else 1

    setattr(drafts, "save_form", save_some)  # noqa: B010 - as below


def break_situations(change: Callable[[Any], Any]) -> None:
    from tasks.queue.situation import Situation

    look = Situation.of

    def look_otherwise(*arguments: Any) -> Situation | None:
        found = look(*arguments)
        return found and change(found)

    setattr(Situation, "of", look_otherwise)  # noqa: B010 - as below


def break_recheck() -> None:
    from tasks.queue import selection as queue

    pick = queue.pick

    def pick_without_a_lock(*arguments: Any, **how: Any) -> Any:
        return pick(*arguments, **{**how, "lock": ""})

    users = [module for module in sys.modules.values() if vars(module).get("pick") is pick]
    assert len(users) > 1, "the queue no longer picks by this name; break it otherwise"
    for module in users:
        setattr(module, "pick", pick_without_a_lock)  # noqa: B010 - whatever module it is


def _application() -> Any:
    from config.wsgi import application

    break_queue(os.environ["TORTURE_BREAKS"])
    return application


if "TORTURE_BREAKS" in os.environ:
    application = _application()
