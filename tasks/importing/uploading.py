"""An upload's file: what a lead sees before anything of it is stored, and its import.

A dry run is the import itself, rolled back. A request and a worker do the same; a request leaves to
the worker what is too much for it.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from statistics import median
from tempfile import TemporaryFile
from time import thread_time
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from django.db import transaction
from django.db.models import Count, Sum
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from tasks.agreement.results import result
from tasks.exporting.writing import csv_line, csv_lines, defuse
from tasks.item_pages.texts import BESIDE
from tasks.models import Batch, Item, Project, Response, Upload
from tasks.models.uploads import Content, Work
from tasks.overview.asked import not_asked
from tasks.text.excerpt import excerpt_of

from .batches.loading import AlreadyLoading, BadLines, Load, UploadRefused, load_batch
from .columns.layouts import LAYOUTS
from .columns.mapping import Mapping
from .columns.mapping_yaml import read_mapping
from .columns.opening import open_file
from .columns.profile import Profile
from .columns.proposals import propose
from .columns.recognising import layouts_of
from .columns.sample import Sample
from .columns.scoring import Said
from .columns.table_cells import file_rows
from .columns.uses import Use
from .files.formats import LONGEST_START, is_packed
from .files.options import ReadingOptions
from .files.rows import ChoiceNeeded, Gathered, LineError, Unreadable, printable
from .files.unpacking import TooLong, at_most
from .ratings.first_look import first_look, scoring_of, with_ratings
from .ratings.rating_loading import load_ratings
from .ratings.rating_writer import RatingLoad

Tick: TypeAlias = Callable[[int, int], object]  # called with the rows and bytes read so far

FIRST = 3  # items to show
MOST_MODELS = 50
MOST_MAPPINGS = 20  # of earlier batches, to find one of the same columns
LONGEST_TEXT = 20_000  # characters of a text in a report
SMALL = 2 * 10**6  # bytes of a file that is read in the request
SMALL_PACKED = SMALL // 10  # of one that is to be unpacked first
FEW = 20  # people: the figures of each two of more take long
MOST_SECONDS = 2  # of work of this thread on a file within a request, and of those that unpack it
HEADS = ("line", "column", "value", "reason", "advice")


@dataclass
class FaultsFile(Gathered):
    """All errors: by kind in memory, and each in a line of a CSV file."""

    file: BinaryIO = field(kw_only=True)

    def add(self, error: LineError) -> None:
        """Add an error to those of its kind, and write it."""
        if not self.number:
            self.file.write(b"".join(csv_lines(HEADS, [])))
        super().add(error)
        cells = [str(error.line), *(getattr(error, name) for name in HEADS[1:])]
        self.file.write(csv_line(map(defuse, cells)).encode())


class Later(Exception):
    """The work is too much for a request."""


class Taken(NamedTuple):
    """All that was imported of a file."""

    items: Load | None  # None: the project has them
    ratings: RatingLoad | None  # None: the file has none

    @property
    def bad(self) -> int:
        """How many rows and ratings were left out."""
        return sum(each.bad for each in self if each)


def do_now(upload: Upload, work: Work, *, now: datetime) -> Taken | None:
    """Do work on a file within a request if it is little, else leave it to a worker.

    Return what was imported, if anything was.
    """
    ends_at = thread_time() + MOST_SECONDS

    def tick(_rows: int, _bytes: int) -> None:
        if thread_time() > ends_at:
            raise Later

    start = next(upload.read(Content.FILE), b"")[:LONGEST_START]
    try:
        has_many = work == Work.IMPORT and upload.report.get("people", 0) > FEW
        if has_many or upload.size >= (SMALL_PACKED if is_packed(start) else SMALL):
            raise Later
        with transaction.atomic(), at_most(MOST_SECONDS):
            # A second click does nothing while the first one is at work.
            is_free = Upload.objects.filter(pk=upload.pk).free().exists()
            return do(upload, work, now=now, tick=tick) if is_free else None
    except (AlreadyLoading, Later, TooLong):
        upload.ask(work)
        return None


def do(upload: Upload, work: str, *, now: datetime, tick: Tick) -> Taken | None:
    """Do work on a file. Return what was imported, if anything was.

    If it cannot be imported as its report shows it, the file is read again.
    """
    said: list[str] = []
    if work != Work.READ:
        try:
            return _take(upload, now=now, tick=tick, at_once=work == Work.START)
        except UploadRefused as refused:
            said = [str(refused)] if work == Work.IMPORT else []
    if not upload.batch:
        _examine(upload, said, now=now, tick=tick)
    return None


def _examine(upload: Upload, said: list[str], *, now: datetime, tick: Tick) -> None:
    """Read the whole file, and store a report of it; see `templates/tasks/uploaded.html`."""
    report: dict[str, Any] = {"items": 0, "bad": 0, "missing": [], "said": said}
    report["parts"] = upload.report.get("parts", [])  # once known, they are offered again
    with upload.opened(partial(tick, 0)) as file, TemporaryFile() as out:
        faults = FaultsFile(file=out)
        try:
            mapping = _mapping(upload, file, report)
            undecided = mapping.of(Use.UNDECIDED) if mapping else ()
            if mapping and undecided:  # see what it is without them
                mapping = mapping.with_uses(dict.fromkeys(undecided, Use.UNUSED))
            if mapping and mapping.repeats:
                mapping, report["scoring"] = scoring_of(upload, file, mapping)
                report["mapping"] = mapping.as_yaml({})
            with transaction.atomic():
                taken = _load(upload, file, mapping, faults, now, tick, take_good=True)
                report |= _found_items(taken.items) if taken.items else {}
                report |= first_look(taken.ratings) if taken.ratings else {}
                report["bad"] = taken.bad
                transaction.set_rollback(True)
        except BadLines as refused:
            report["bad"] = refused.count
        except UploadRefused as refused:
            report["refused"] = "" if report["missing"] else str(refused)
        upload.project.refresh_from_db()  # its rubric may be one that was rolled back
        report["faults"] = _worded(faults)
        upload.put(Content.FAULTS, out)
    upload.report_as(report)


def _take(upload: Upload, *, now: datetime, tick: Tick, at_once: bool) -> Taken:
    """Import the file as the report shows it. Raise UploadRefused if it would be otherwise.

    `at_once`: there is no report yet; import it if nothing about it is doubtful.
    """
    with transaction.atomic(), TemporaryFile() as out:
        upload.refresh_from_db(fields=["batch"])
        if upload.batch:
            raise UploadRefused(
                _("The file is imported, as batch “%(batch)s”."), batch=upload.batch
            )
        with upload.opened(partial(tick, 0)) as file:
            report = upload.report
            if at_once:
                report = {}
                _mapping(upload, file, report)
            if at_once and not report.get("is_own"):
                raise UploadRefused("%(file)s", file=upload.file_name)  # nobody reads it
            said = report.get("mapping")
            mapping = read_mapping(said) if said else None
            faults = FaultsFile(file=out)
            taken = _load(upload, file, mapping, faults, now, tick, take_good=not at_once)
            # A lead must know before the import that a dimension will not be asked.
            if at_once and taken.items and any(not_asked(upload.project, pk=taken.items.batch.pk)):
                raise UploadRefused("%(file)s", file=upload.file_name)
        if not at_once and taken.bad != upload.report["bad"]:
            raise UploadRefused(
                _("The project has changed since the file was read. Look at the file again.")
            )
        batches = Batch.objects.filter(pk__in=taken.ratings.batches if taken.ratings else ())
        upload.batch = taken.items.batch if taken.items else batches[0]
        # The columns of people may be named by their addresses, which are not kept.
        if mapping and taken.items and not (taken.ratings and "@" in said):
            Batch.objects.filter(pk=upload.batch.pk).update(mapping=said)
        if taken.ratings:
            # As the page shows them that follows. The worker makes the others.
            result(upload.project, upload.project.rubric.schema.dimensions[0], now)
            # Names of columns may be addresses.
            kept = ("bad", "faults", "items", "missing", "ratings", "responses")
            upload.report = {name: report[name] for name in kept if name in report}
            upload.choices = dict.fromkeys(("encoding", "part"), "") | {
                name: upload.choices[name] for name in ("batch", "warning")
            }
        upload.blocks.filter(kind=Content.FILE).delete()
        upload.save(update_fields=["batch", "choices", "report"])
    return taken


def _mapping(upload: Upload, file: BinaryIO, report: dict[str, Any]) -> Mapping | None:
    """Return what the columns are, None for our own shape, and report it. Raises UploadRefused."""
    said = upload.choices
    try:
        with open_file(file, upload.file_name, ReadingOptions.model_validate(said)) as source:
            profile = Profile.of(file_rows(source))
            seen = profile.sample
    except Unreadable as error:
        if isinstance(error, ChoiceNeeded) and error.field == "part":
            report["parts"] = [part.value for part in error.options if not part.is_whole]
        raise UploadRefused(_("%(file)s %(fault)s"), file=upload.file_name, fault=error) from error
    if not seen.rows:  # its rows say what is wrong
        return None
    named = said.get("shape", "")
    likely = propose(profile, named)
    mapping = likely.mapping
    earlier, batch = (None, "") if named else _earlier(upload.project, seen)
    if named:
        uses = {path: Use(use) for path, use in said.get("uses", {}).items()}
        mapping = mapping.with_uses(
            {path: uses[printable(path)] for path in mapping.columns if printable(path) in uses}
        )
        mapping = with_ratings(mapping, said)
    elif earlier:
        mapping = earlier
    missing = mapping.faults(seen)
    report |= {
        "sentence": likely.sentence,
        "shapes": [
            [name, str(LAYOUTS[name].label)]
            for name in dict.fromkeys([likely.layout, *layouts_of(profile)])
        ],
        "shape": mapping.shape,
        "columns": [
            {
                "path": printable(column.path),
                "example": column.example,
                "use": mapping.columns.get(column.path, Use.UNDECIDED),
                "certainty": choice.certainty,
                "reason": choice.reason,
                "question": choice.question,
                "said": asdict(mapping.reader.said.get(column.path, Said())),
            }
            for column, choice in zip(seen.columns, likely.choices, strict=True)
        ],
        "told": [
            *([_("The columns are as in batch “%(batch)s”.") % {"batch": batch}] if batch else []),
            *source.remarks,
            *likely.remarks,
        ],
        "missing": [printable(each) for each in missing],
    }
    is_sure = not (likely.open or source.guesses)
    report["is_own"] = likely.is_own and mapping == likely.mapping and is_sure
    report["mapping"] = "" if report["is_own"] else mapping.as_yaml({})
    return None if report["is_own"] else mapping


def _earlier(project: Project, seen: Sample) -> tuple[Mapping | None, str]:
    """Return the latest mapping in the project that was of the same columns, and its batch."""
    columns = {column.path for column in seen.columns}
    for batch in project.batches.exclude(mapping="").order_by("-pk")[:MOST_MAPPINGS]:
        mapping = read_mapping(batch.mapping)
        if set(mapping.columns) == columns:
            return mapping, batch.name
    return None, ""


def _load(
    upload: Upload,
    file: BinaryIO,
    mapping: Mapping | None,
    faults: Gathered,
    now: datetime,
    tick: Tick,
    *,
    take_good: bool,
) -> Taken:
    said = upload.choices
    options: dict[str, Any] = {
        "mapping": mapping,
        "file_name": upload.file_name,
        "batch_name": said["batch"],
        "warning": said["warning"],
        "reading": ReadingOptions.model_validate(said),
        "by": upload.uploader,
        "now": now,
        "report": faults.add,
        "take_good": take_good,
        "tick": lambda rows: tick(rows, file.tell()),
        "wait": False,
    }
    if not (mapping and mapping.repeats):
        return Taken(load_batch(upload.project, file, **options), None)
    options["takes_breaks"] = said.get("breaks") == "take"
    options["makes_rubric"] = said.get("rubric") == "made"
    return Taken(*load_ratings(upload.project, file, **options))


def _found_items(load: Load) -> dict[str, Any]:
    batch = load.batch
    items = batch.items.order_by("position")
    responses = Response.objects.filter(item__batch=batch).order_by()
    empty, unasked = items.filter(pk__in=load.empty[:FIRST]), items.with_blank_prompt()
    longest = items.alias(size=Sum(Length("responses__text"))).order_by("-size", "position")
    shown = {
        **{_("Item %(number)s") % {"number": item.position + 1}: item for item in items[:FIRST]},
        **{_("The longest"): item for item in longest[:1]},
        **{_("The first with an empty response"): item for item in empty[:1]},
    }
    wanted = items.aggregate(wanted=Sum("wanted", default=0))["wanted"]
    days = batch.project.workdays.latest_of_each()
    times = [seconds for day in days for seconds in day.recent]
    models = responses.values_list("model").annotate(number=Count("pk")).order_by("model")
    return {
        "models": [*models[:MOST_MODELS]],
        "items": load.items,
        "responses": load.responses,
        "wanted": wanted,
        "hours": round(wanted * median(times) / 3600) if times else 0,
        "empty": len(load.empty),
        "empty_in": [*empty.values_list("external_id", flat=True)],
        "blank_prompts": unasked.count(),
        "blank_prompts_in": [*unasked.values_list("external_id", flat=True)[:FIRST]],
        "remarks": [*load.remarks, *not_asked(batch.project, pk=batch.pk)],
        "shown": [_cut(label, item) for label, item in shown.items() if not item.lacks_texts],
    }


def _cut(label: str, item: Item) -> dict[str, Any]:
    """Return an item as JSON, with its longest texts cut."""
    return {
        "label": label,
        "external_id": item.external_id,
        "persona": item.persona,
        "warning": item.warning,
        **{name: _shortened(getattr(item, name)) for name in BESIDE},
        "messages": [turn | {"text": _shortened(turn["text"])} for turn in item.messages],
        "responses": [*map(_shortened, item.responses.values_list("text", flat=True))],
        "metadata": item.metadata,
    }


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else excerpt_of(text, LONGEST_TEXT).in_words


def _worded(faults: Gathered) -> list[dict[str, Any]]:
    """Return the kinds of faults, in the language of the request."""
    shown = [
        {
            "number": kind.number,
            "rest": kind.rest,
            "samples": [{name: getattr(error, name) for name in HEADS} for error in kind.samples],
        }
        for kind in faults.kinds
    ]
    return [*shown, *([{"rest": faults.rest}] if faults.others else [])]
