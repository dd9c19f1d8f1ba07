"""Print the open scores for some checks as one line of JSON.

Usage: manage.py rubric judge RUBRIC DIMENSION [CHECK…] [--answered QUESTION…]

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
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from django.core.management.base import BaseCommand, CommandParser

from rubrics.judging.answering import WrongShape, answer_checks, answer_item
from rubrics.judging.dimension import Dimension
from rubrics.judging.plain import Entries
from rubrics.judging.rules import UnknownCheck
from rubrics.judging.verdict import fault_as_plain

from .files import NoRubric, find_rubric

# A reader of a line of standard input: a dimension and the line's value → the verdict.
Answering: TypeAlias = Callable[[Dimension, Any], Entries]


class JudgeChecks(BaseCommand):
    help = "Print which scores of a dimension the given checks leave open, as JSON on one line."

    def add_arguments(self, parser: CommandParser) -> None:
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

    def handle(self, *args: object, **options: Any) -> None:
        try:
            rubric = find_rubric(options["rubric"], say=self.stderr.write)
        except NoRubric as error:
            self._refuse("; ".join(error.args))
        codes = [part.code for part in rubric.dimensions]
        if options["dimension"] not in codes:
            self._refuse(
                f'"{options["dimension"]}" is no dimension of {rubric.slug};'
                f" it has {', '.join(codes)}"
            )
        dimension = rubric.dimension(options["dimension"])
        if not (options["jsonl"] or options["item"]):
            request = {"checks": options["checks"], "answered": options["answered"]}
            answer = _answer(answer_checks, dimension, request)
            self.stdout.write(json.dumps(answer))
            if "error" in answer:
                sys.exit(1)
            return
        if options["checks"] or options["answered"]:
            self._refuse("with --jsonl or --item all comes from standard input; name none")
        if options["jsonl"] and options["item"]:
            self._refuse("--jsonl and --item read different lines; choose one")
        self._answer_lines(answer_item if options["item"] else answer_checks, dimension)

    def _answer_lines(self, answer_of: Answering, dimension: Dimension) -> None:
        """Answer each line of standard input at once."""
        try:
            for number, line in enumerate(sys.stdin.buffer, start=1):
                try:
                    request = json.loads(line)
                    answer = _answer(answer_of, dimension, request, f"line {number}: ")
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


def _answer(answer_of: Answering, dimension: Dimension, request: Any, where: str = "") -> Entries:
    """Return the answer to a request, or why it cannot be judged, with its place before it."""
    try:
        return answer_of(dimension, request)
    except UnknownCheck as error:
        return fault_as_plain(str(error), checks=error.unknown)
    except WrongShape as error:
        return fault_as_plain(f"{where}expected {error}")
