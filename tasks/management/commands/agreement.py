"""Print how well a project's annotators agree: every figure of its agreement page."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.translation import ngettext

from tasks.agreement.measures import MEASURES, Json, percent, sentence, titled, worded
from tasks.agreement.results import result
from tasks.models import Project


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument("--dimension", help="one dimension only, by its code")
        parser.add_argument(
            "--measure",
            choices=MEASURES,
            help="what models, batches, weeks and checks are compared by, where a dimension has it",
        )
        parser.add_argument(
            "--first", action="store_true", help="first revisions, without later corrections"
        )
        parser.add_argument(
            "--sound", action="store_true", help="without imported ratings that break a rule"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *, project: str, dimension: str | None, first: bool, **options: Any) -> None:
        study = Project.objects.select_related("rubric").filter(slug=project).first()
        if study is None:
            raise CommandError(f'There is no project "{project}".')
        dimensions = {each.code: each for each in study.rubric.schema.dimensions}
        if dimension is not None and dimension not in dimensions:
            raise CommandError(
                f'The rubric has no dimension "{dimension}"; it has {", ".join(dimensions)}.'
            )
        found = {
            code: result(study, each, timezone.now(), first=first, sound=options["sound"])
            for code, each in dimensions.items()
            if dimension in (None, code)
        }
        if options["json"]:
            self.stdout.write(json.dumps(found, indent=2, default=str))
            return
        if study.has_imported:
            self.stdout.write(f"Counts ratings of these kinds: {', '.join(study.counted_kinds)}.")
        if study.dropped_count:
            line = ngettext(
                "%(shown)s dropped item left out.",
                "%(shown)s dropped items left out.",
                study.dropped_count,
            )
            self.stdout.write(line % {"shown": study.dropped_count})
        for code, each in found.items():
            self.stdout.write("\n".join(_lines(code, each, options["measure"])))


def _lines(code: str, found: Json, wanted: str | None) -> Iterator[str]:
    all_ = found["overall"]
    measure = wanted if wanted and wanted in all_["figures"] else found["main"]
    yield f"{code}: {all_['units']} rated twice or more, {all_['ratings']} scores"
    yield sentence(found)
    yield from _table("overall", titled(all_["figures"]))
    if found["slots"]:
        yield f"slots, and no persons: {', '.join(found['slots'])}"
    yield from _table(f"by the team {', '.join(found['team'])}", titled(found["of_team"]))
    for part in ("models", "batches", "weeks"):
        yield from _table(part, ((each["name"], each["figures"][measure]) for each in found[part]))
    yield from _table(
        "checks", ((each["name"], each["figures"][MEASURES[measure]]) for each in found["checks"])
    )
    for pair in found["pairs"]:
        names = f"{pair['first']} and {pair['second']}, {pair['units']} rated by both"
        yield from _table(names, titled(pair["figures"]))
    yield "where the disagreement sits"
    for each in found["sources"]:
        check = each["check"] or "same answers"
        apart = f"{each['apart']:.1f} apart"
        yield f"  {check:<32} {each['pairs']} pairs, {apart}, {percent(each['share'])}"
    for each in found["furthest"]:
        scores = ", ".join(map(str, each["scores"]))
        yield f"  {each['item']} {each['response'] or each['model']}: {scores}"
    yield ""


def _table(title: str, figures: Iterable[tuple[Any, Json]]) -> Iterator[str]:
    yield title
    for name, each in figures:
        yield f"  {name!s:<32} {worded(each)}"
