"""Print the open scores for some checks as one line of JSON.

Usage: manage.py judge RUBRIC DIMENSION [CHECK…] [--answered QUESTION…]

RUBRIC is the path of a document or the slug of a rubric. A slug means the newest published
version or, if none is stored, the document that ships with the program. Each CHECK is a fact that
holds, by the name that rules use: `unhelpful`, not `helpful=not`. Facts that are not named do not
hold.

--answered names a question that was answered by an option without a fact of its own, such as
`comprehensive` answered with no; repeat it for more. A question with a named fact counts as
answered. `missing` lists the other questions. Without --answered all count as answered, and
`missing` is empty.

An error is a line with `error`, `checks` and `clauses`, and the exit status is 1. Unknown names are
errors, and checks that exclude each other, unless one of them forces the score.

With --jsonl, each line of standard input is a JSON list of checks, or an object with `checks` and
`answered`.

With --item, each line is one item: a JSON list of its targets, each {"checks": […], "score": n,
"answered": […]}. Score and answered are optional. The answer without a score, in a dimension that
has one, is "-"; no rule ranks such a target. The answer has the verdicts as `targets`, with the
scores that are open beside the other targets. Its `out_of_order` lists pairs
{"lower": i, "higher": j} of indexes from 0 whose scores contradict a rule.

The command answers each line with one line, in order and at once. For a line that cannot be read
or judged, it prints a line with `error`, and the status stays 0.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand
from django.db import DatabaseError
from django.utils import translation

from config.embedded_postgres.programs import EmbeddedDatabaseError, NoDatabaseError
from rubrics import schema
from rubrics.document import read
from rubrics.models import Rubric
from rubrics.rules import UnknownCheck, judge, judge_item
from rubrics.scales import BLANK
from rubrics.shipped import GALLERY, SLUGS, shipped
from rubrics.verdict import as_plain, fault_as_plain, item_as_plain
from rubrics.yaml_lines import DocumentError


class Command(BaseCommand):
    help = "Print which scores of a dimension the given checks leave open, as JSON on one line."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rubric", help="a rubric's slug, or the path of a document")
        parser.add_argument("dimension", help="the dimension's code, such as quality")
        parser.add_argument(
            "checks", nargs="*", metavar="check", help="what holds, such as language_error"
        )
        parser.add_argument(
            "--answered",
            action="append",
            metavar="QUESTION",
            help="a question answered by an option without a fact; repeat for more",
        )
        parser.add_argument(
            "--jsonl",
            action="store_true",
            help="answer each line of standard input, a JSON list of checks or an object",
        )
        parser.add_argument(
            "--item",
            action="store_true",
            help='answer each line of standard input, a JSON list of {"checks": […], "score": n}',
        )

    @translation.override("en")  # one language in the terminal
    def handle(self, *args: object, **options: Any) -> None:
        try:
            rubric = find_rubric(options["rubric"], say=self.stderr.write)
        except LookupError as error:
            self._refuse(str(error.args[0]))
        codes = [part.code for part in rubric.dimensions]
        if options["dimension"] not in codes:
            self._refuse(
                f'"{options["dimension"]}" is no dimension of {rubric.slug};'
                f" it has {', '.join(codes)}"
            )
        dimension = rubric.dimension(options["dimension"])
        if not (options["jsonl"] or options["item"]):
            asked = {"checks": options["checks"], "answered": options["answered"]}
            answer = _answer(answer_checks, dimension, asked)
            self.stdout.write(json.dumps(answer))
            if "error" in answer:
                sys.exit(1)
            return
        if options["checks"] or options["answered"]:
            self._refuse("with --jsonl or --item all comes from standard input; name none")
        if options["jsonl"] and options["item"]:
            self._refuse("--jsonl and --item read different lines; choose one")
        answer_of = answer_item if options["item"] else answer_checks
        try:
            for number, line in enumerate(sys.stdin.buffer, start=1):
                try:
                    asked = json.loads(line)
                    answer = _answer(answer_of, dimension, asked, f"line {number}: ")
                except (ValueError, RecursionError) as error:
                    fault = getattr(error, "msg", error)
                    answer = fault_as_plain(f"line {number}: not readable as JSON: {fault}")
                self.stdout.write(json.dumps(answer))
                self.stdout.flush()  # the caller may wait for this answer before the next line
        except BrokenPipeError:
            sys.stderr.close()  # the reader has gone; print no traceback either

    def _refuse(self, text: str) -> NoReturn:
        self.stdout.write(json.dumps(fault_as_plain(text)))
        sys.exit(1)


def find_rubric(name: str, *, say: Callable[[str], object] = lambda text: None) -> schema.Rubric:
    """Return the rubric for a slug or a path.

    Calls `say` with a message if the database cannot be queried. Raises LookupError, with a hint
    at what to do.
    """
    if "/" in name or name.endswith((".yaml", ".yml", ".json")):
        try:
            return read(Path(name).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise LookupError(f"{name}: {error}") from error
        except DocumentError as error:
            raise LookupError("; ".join(f"{name}: {fault}" for fault in error.faults)) from error
    stored = _newest_stored(name, say)
    if stored is not None:
        return stored
    if name in (*SLUGS, *GALLERY):
        return shipped(name)
    raise LookupError(
        f'"{name}" is no rubric here; load one with manage.py load_rubric FILE,'
        " give the path of a document,"
        f" or name one that ships with the program: {', '.join((*SLUGS, *GALLERY))}"
    )


def _newest_stored(slug: str, say: Callable[[str], object]) -> schema.Rubric | None:
    try:
        return Rubric.objects.newest(slug).schema
    except (Rubric.DoesNotExist, NoDatabaseError):  # nothing is stored
        return None
    except (DatabaseError, EmbeddedDatabaseError) as error:  # not reachable, or not migrated
        cause = str(error).strip().splitlines()[0]
        say(
            f"The database was not asked ({cause});"
            " only the rubrics that ship with the program are known."
        )
        return None


class WrongShape(TypeError):
    """A line is JSON, but neither checks nor an item. The message is the expected shape."""


def _answer(
    answer_of: Callable[[schema.Dimension, Any], dict[str, Any]],
    dimension: schema.Dimension,
    asked: Any,
    where: str = "",
) -> dict[str, Any]:
    try:
        return answer_of(dimension, asked)
    except UnknownCheck as error:
        return fault_as_plain(str(error), checks=error.unknown)
    except WrongShape as error:
        return fault_as_plain(f"{where}expected {error}")


def answer_checks(dimension: schema.Dimension, asked: Any) -> dict[str, Any]:
    """Return the verdict on checks as plain values. Raises WrongShape."""
    asked = {"checks": asked} if isinstance(asked, list) else asked
    if not _is_target(asked, {"checks", "answered"}):
        raise WrongShape(
            'a JSON list of checks, such as ["harmless", "language_error"],'
            ' or {"checks": […], "answered": […]}'
        )
    return as_plain(judge(dimension, asked["checks"], answered=_answered(dimension, asked)))


def answer_item(dimension: schema.Dimension, targets: Any) -> dict[str, Any]:
    """Return the verdict on the targets of an item as plain values. Raises WrongShape."""

    def is_scored(target: dict[str, Any]) -> bool:
        score = target.get("score")
        is_on_scale = type(score) is int and score in dimension.scores
        return score is None or is_on_scale or (score == BLANK and bool(dimension.blank))

    names = {"checks", "score", "answered"}
    if not isinstance(targets, list) or not all(
        _is_target(target, names) and is_scored(target) for target in targets
    ):
        raise WrongShape(
            'a JSON list of {"checks": ["harmless"], "score": n, "answered": ["honest"]},'
            f" with n from {dimension.lowest} to {dimension.highest}, null or left out"
            + (f', or "{BLANK}"' if dimension.blank else "")
        )
    judged = [
        schema.Judged(
            str(position),
            frozenset(target["checks"]),
            None if target.get("score") == BLANK else target.get("score"),
            _answered(dimension, target),
            schema.Without.BLANK if target.get("score") == BLANK else "",
        )
        for position, target in enumerate(targets)
    ]
    return item_as_plain(judge_item(dimension, judged))


def _answered(dimension: schema.Dimension, target: dict[str, Any]) -> frozenset[str] | None:
    """Return the questions named as answered, None for all. Raises WrongShape."""
    given = target.get("answered")
    if given is None:
        return None
    questions = [check.code for check, _facts in dimension.asked]
    if unknown := sorted(set(given).difference(questions)):
        raise WrongShape(
            f"questions of {dimension.code} in answered ({', '.join(questions) or 'it has none'}),"
            f" found {', '.join(unknown)}"
        )
    return frozenset(given)


def _is_target(value: Any, names: set[str]) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= names
        and _are_names(value.get("checks"))
        and (value.get("answered") is None or _are_names(value["answered"]))
    )


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
