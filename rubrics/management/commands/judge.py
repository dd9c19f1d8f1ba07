"""manage.py judge RUBRIC DIMENSION [CHECK…]: which scores the checks leave open, as JSON on one line.

RUBRIC is the slug of a rubric (its newest published version; where none is stored, the document that ships
with the program) or the path of a document. The checks are what holds, by the names that rules use:
`unhelpful`, not `helpful=not`; what is not named does not hold. `missing` lists the questions for which
nothing was named.

Checks that exclude one another, and names that no check has, give a line with `error`, `checks` and
`clauses`, and the exit status 1. With --jsonl each line of standard input is a JSON list of checks and is
answered by a line, in order and at once; a line that cannot be read or judged is answered by a line with
`error`, and the status stays 0.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from functools import lru_cache
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from rubrics import schema
from rubrics.document import DocumentError, read
from rubrics.models import Rubric
from rubrics.rules import UnknownCheck, judge
from rubrics.shipped import SLUGS, shipped
from rubrics.verdict_json import as_plain, fault_as_plain, unknown_as_plain


class Command(BaseCommand):
    help = "Print which scores of a dimension the given checks leave open, as JSON on one line."
    requires_system_checks = ()
    stealth_options = ("stdin",)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", help="a rubric's slug, or the path of a document")
        parser.add_argument("dimension", help="the dimension's code, such as quality")
        parser.add_argument("checks", nargs="*", metavar="check", help="what holds, such as language_error")
        parser.add_argument(
            "--jsonl", action="store_true", help="answer each line of standard input, a JSON list of checks"
        )

    def handle(self, *args: object, **options: Any) -> None:
        try:
            rubric = find_rubric(options["rubric"], say=self.stderr.write)
        except LookupError as error:
            self._refuse(str(error.args[0]))
        codes = [part.code for part in rubric.dimensions]
        if options["dimension"] not in codes:
            self._refuse(
                f'"{options["dimension"]}" is no dimension of {rubric.slug}; it has {", ".join(codes)}'
            )
        judged = judge_lines(rubric.dimension(options["dimension"]), ascii_only=not self._takes_unicode())
        if not options["jsonl"]:
            line, good = judged(frozenset(options["checks"]))
            self.stdout.write(line)
            if not good:
                sys.exit(1)
            return
        if options["checks"]:
            self._refuse("with --jsonl the checks come from standard input; name none")
        try:
            for answer in answers(options.get("stdin") or sys.stdin.buffer, judged):
                self.stdout.write(answer)
                self.stdout.flush()  # whoever waits for this answer before asking on must get it
        except BrokenPipeError:
            sys.stderr.close()  # nobody listens any more: no trace of it either

    def _takes_unicode(self) -> bool:
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        return encoding.lower().replace("-", "") == "utf8"

    def _refuse(self, text: str) -> None:
        self.stdout.write(json.dumps(fault_as_plain(text)))
        sys.exit(1)


def find_rubric(name: str, *, say: Callable[[str], object] = lambda text: None) -> schema.Rubric:
    """The rubric that a slug or a path stands for; `say` is told where the database could not be asked.

    Raises LookupError, with what to do.
    """
    if "/" in name or name.endswith((".yaml", ".yml", ".json")):
        try:
            return read(Path(name).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise LookupError(f"{name}: {error}") from error
        except DocumentError as error:
            raise LookupError("; ".join(f"{name}: {fault}" for fault in error.faults)) from error
    stored = _newest_published(name, say)
    if stored is not None:
        return stored
    if name in SLUGS:
        return shipped(name)
    raise LookupError(
        f'"{name}" is no rubric here; load one with manage.py load_rubric FILE, give the path of a document,'
        f" or name one that ships with the program: {', '.join(SLUGS)}"
    )


def _newest_published(slug: str, say: Callable[[str], object]) -> schema.Rubric | None:
    # The embedded database would be made by asking it; where there is none yet, nothing is stored.
    if settings.EMBEDDED and not (settings.DATA / "postgres.users.lock").exists():
        return None
    try:
        return Rubric.objects.published().newest(slug).schema
    except Rubric.DoesNotExist:
        return None
    except DatabaseError as error:  # not reached, or not migrated
        cause = str(error).strip().splitlines()[0]
        say(f"The database was not asked ({cause}); only the rubrics that ship with the program are known.")
        return None


Judged = Callable[[frozenset[str]], tuple[str, bool]]


def judge_lines(dimension: schema.Dimension, *, ascii_only: bool = False) -> Judged:
    """A function from facts to (the answer as a line of JSON, whether it is a verdict)."""

    # A few thousand combinations make up nearly all of what is asked; each answer is some 2 kB.
    @lru_cache(maxsize=20_000)
    def judged(facts: frozenset[str]) -> tuple[str, bool]:
        try:
            judgement = judge(dimension, facts)
        except UnknownCheck as error:
            return json.dumps(unknown_as_plain(error), ensure_ascii=ascii_only), False
        line = json.dumps(as_plain(judgement), ensure_ascii=ascii_only)
        return line, isinstance(judgement, schema.Verdict)

    return judged


def answers(lines: Iterable[bytes], judged: Judged) -> Iterable[str]:
    """A line of JSON for each line that asks."""
    for number, line in enumerate(lines, start=1):
        try:
            checks = json.loads(line)
        except (ValueError, RecursionError) as error:
            what = (
                f"{error.msg}, at character {error.pos + 1}" if isinstance(error, JSONDecodeError) else error
            )
            yield _bad_line(number, f"not readable as JSON: {what}")
            continue
        if isinstance(checks, list) and all(isinstance(check, str) for check in checks):
            yield judged(frozenset(checks))[0]
        else:
            yield _bad_line(number, 'expected a JSON list of checks, such as ["harmless", "language_error"]')


def _bad_line(number: int, text: str) -> str:
    return json.dumps(fault_as_plain(f"line {number}: {text}"))
