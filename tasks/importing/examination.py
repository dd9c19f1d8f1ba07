"""The examination of an upload's file: its columns, its first items, its ratings, as a report."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from statistics import median
from typing import BinaryIO, NamedTuple

from django.db.models import Q, QuerySet, Sum
from django.utils.translation import gettext as _

from tasks.models import Batch, Item, Project, Upload
from tasks.models.uploads import Content
from tasks.overview.partial_dimensions import partly_applied
from tasks.text.excerpt import excerpt_of

from .batches.loading import Load, UploadRefused
from .batches.staging import count_models, longest_item
from .columns.choices import Certainty, ColumnChoice, with_groups
from .columns.file_counts import FileCounts, estimated_counts
from .columns.joining import propose_join
from .columns.layouts import LAYOUTS
from .columns.mapping import UNNAMED, Mapping
from .columns.mapping_yaml import read_mapping
from .columns.opening import open_file
from .columns.profile import Profile
from .columns.proposals import Proposal, propose, propose_again
from .columns.recognising import layouts_of
from .columns.scoring import RatingKey
from .columns.summary import file_sentence
from .columns.table_cells import file_rows
from .columns.uses import Use
from .files.formats import LONGEST_START, is_packed
from .files.options import ReadingOptions
from .files.rows import ChoiceNeeded, Option, Unreadable, fill_in, printable
from .first_look import with_ratings
from .lead_choices import LeadChoices
from .report import ColumnReport, ItemExample, ItemsReport, ReadingChoice, UploadReport
from .upload_choices import choices_of, reading_of

FIRST = 3  # items to show
FIRST_ROWS = 30  # of a file that no worker has read yet
MOST_MODELS = 50
MOST_MAPPINGS = 20  # of earlier batches, to find one of the same columns
LONGEST_TEXT = 20_000  # characters of a text in a report


class ColumnReading(NamedTuple):
    """A file's mapping, and the report of its columns. Our own shape has no mapping."""

    mapping: Mapping | None  # None, too, if no row is good
    report: UploadReport
    counts: FileCounts = FileCounts()  # as the columns say it
    sentence: Callable[[FileCounts], str] = str  # about the file, with other counts


def provisional(upload: Upload) -> UploadReport:
    """Return what the beginning of a file of text says, at little cost."""
    report = UploadReport(is_provisional=True)
    start = next(upload.read(Content.FILE), b"")
    if is_packed(start[:LONGEST_START]):
        return report
    if upload.size > len(start):
        start = start[: start.rfind(b"\n") + 1]
    try:
        with open_file(BytesIO(start), upload.file_name, reading_of(upload)) as source:
            profile = Profile.of(file_rows(source), FIRST_ROWS)
            proposal = propose(profile) if profile.rows else None
    except Unreadable:  # the worker says why
        return report
    if proposal is None:
        return report
    columns = _columns(profile, proposal.choices, proposal.mapping)
    return report.but(sentence=proposal.sentence, columns=columns, rows=profile.rows)


def read_columns(upload: Upload, file: BinaryIO) -> ColumnReading:
    """Return what the columns of a file are, as chosen or proposed. Raises UploadRefused."""
    try:
        with open_file(file, upload.file_name, reading_of(upload)) as source:
            profile = Profile.of(file_rows(source))
            is_sure = not source.guesses
            reading = ColumnReading(None, UploadReport())
            if profile.rows:
                reading = _read(upload, profile, is_sure=is_sure)
    except ChoiceNeeded as error:
        join = propose_join(file, upload.file_name, reading_of(upload), error)
        raise FileChoice(upload.file_name, error, join) from error
    except Unreadable as error:
        raise UploadRefused(_("%(file)s %(fault)s"), file=upload.file_name, fault=error) from error
    remarks = (*source.remarks, *reading.report.remarks)
    report = reading.report.but(rows=profile.rows + profile.bad, remarks=remarks)
    if len(source.parts) > 1:
        report = report.but(choices={"part": _choices(source.parts)})
    return reading._replace(report=report)


class FileChoice(UploadRefused):
    """How to read a file must be chosen first."""

    def __init__(
        self, file_name: str, choice_needed: ChoiceNeeded, join: ReadingOptions | None
    ) -> None:
        if join:
            text = _(
                "%(file)s has two parts. Each row of “%(part)s” would get the columns of the row "
                "of “%(join)s” that has the same “%(key)s”. If that is right, read the file again; "
                "else choose otherwise."
            )
            super().__init__(text, file=file_name, **_printable(join))
        else:
            super().__init__(_("%(file)s %(fault)s"), file=file_name, fault=choice_needed)
        self.field = choice_needed.field
        self.options = _choices(choice_needed.options)
        self.proposed = _printable(join) if join else {}  # reading options


def _printable(join: ReadingOptions) -> dict[str, str]:
    """Return the options that join two parts, to be shown."""
    options = join.model_dump(include={"part", "join", "key"})
    return {name: printable(value) for name, value in options.items()}


def _choices(options: Sequence[Option]) -> tuple[ReadingChoice, ...]:
    choices = []
    for option in options:
        value, sample = printable(option.value), printable(option.sample)
        if not option.is_whole:
            choices.append(ReadingChoice(value=value, sample=sample))
    return tuple(choices)


def _read(upload: Upload, profile: Profile, *, is_sure: bool) -> ColumnReading:
    """Return what the columns are, as the lead chose or as the file proposes."""
    lead_choices = choices_of(upload)
    layout = lead_choices.shape
    is_sent = bool(lead_choices.mapping)
    reading_remarks: list[str] = []
    earlier = None if layout or is_sent else _earlier(upload, profile)
    if earlier:
        proposal, batch = earlier
        reading_remarks.append(_("The columns are as in batch “%(batch)s”.") % {"batch": batch})
    else:
        proposal = propose(profile, layout)
    mapping, choices = proposal.mapping, proposal.choices
    if is_sent:
        mapping = read_mapping(lead_choices.mapping)
    else:
        reading_remarks += proposal.remarks
    if layout:
        mapping = _as_chosen(mapping, lead_choices, choices)
    if layout or is_sent:
        choices = tuple(_chosen(choice, mapping) for choice in choices)
    is_doubtful = any(choice.certainty is Certainty.DOUBTFUL for choice in choices)
    is_changed = mapping != proposal.mapping
    is_our_shape = proposal.is_our_shape and is_sure and not (is_changed or is_doubtful)
    counts = estimated_counts(profile, mapping)
    sentence = partial(file_sentence, profile, mapping, choices)
    report = UploadReport(
        sentence=sentence(counts),
        layout=mapping.shape,
        layouts=_layouts(profile, mapping.shape),
        columns=_columns(profile, choices, mapping),
        missing=tuple(map(printable, _missing(profile, mapping, choices))),
    )
    if is_our_shape:
        return ColumnReading(None, report, counts, sentence)
    remarks = tuple(map(printable, reading_remarks))
    report = report.but(mapping=mapping.as_yaml({}), remarks=remarks)
    return ColumnReading(mapping, report, counts, sentence)


def _layouts(profile: Profile, first: str) -> tuple[tuple[str, str], ...]:
    names = dict.fromkeys([first, *layouts_of(profile)])
    layouts = []
    for name in names:
        label = str(LAYOUTS[name].label)
        layouts.append((name, label))
    return tuple(layouts)


def _chosen(choice: ColumnChoice, mapping: Mapping) -> ColumnChoice:
    """Return the choice of a column whose use the lead has chosen."""
    use = mapping.columns.get(choice.path, UNNAMED.get(mapping.shape, Use.UNDECIDED))
    if use is choice.use and choice.certainty is not Certainty.DOUBTFUL:
        return choice
    certainty = Certainty.DOUBTFUL if use is Use.UNDECIDED else Certainty.SURE
    return replace(choice, use=use, certainty=certainty, reason="")


def _columns(
    profile: Profile, choices: Sequence[ColumnChoice], mapping: Mapping
) -> tuple[ColumnReport, ...]:
    """Return the columns as the page lists them."""
    examples = {column.path: column.example for column in profile.sample.columns}
    columns = []
    for choice in choices:
        meaning = mapping.reader.rating_keys.get(choice.path, RatingKey())
        column = ColumnReport(
            path=printable(choice.path),
            example=examples.get(choice.path, ""),
            use=Use.UNDECIDED if choice.certainty is Certainty.DOUBTFUL else choice.use,
            certainty=choice.certainty,
            reason=choice.reason,
            question=choice.question,
            options=choice.options,
            group=printable(choice.group),
            rater=meaning.rater,
            dimension=meaning.dimension,
        )
        columns.append(column)
    return tuple(columns)


def _missing(profile: Profile, mapping: Mapping, choices: Sequence[ColumnChoice]) -> Iterator[str]:
    """Yield what is wrong or missing, and which proposed uses need a yes."""
    names = []
    for choice in choices:
        if choice.certainty is Certainty.DOUBTFUL and choice.use is not Use.UNDECIDED:
            names.append(choice.path)
    if names:
        words = _("Still to be chosen: %(columns)s; say what each is.")
        yield fill_in(words, columns=", ".join(names))
    yield from mapping.faults(profile.sample)


def _as_chosen(
    mapping: Mapping, lead_choices: LeadChoices, choices: Sequence[ColumnChoice]
) -> Mapping:
    """Return a mapping with the choices of the lead."""
    uses = {}
    for path in mapping.columns:
        if use := lead_choices.uses.get(printable(path)):
            uses[path] = Use(use)
    return with_ratings(mapping.with_uses(with_groups(uses, choices)), lead_choices)


def _earlier(upload: Upload, profile: Profile) -> tuple[Proposal, str] | None:
    """Return what the lead chose for the latest file of the same columns, and its batch."""
    hers = Q(project=upload.project) | Q(created_by=upload.uploader)
    batches = Batch.objects.filter(hers).exclude(mapping="")
    for batch in batches.order_by("-pk")[:MOST_MAPPINGS]:
        earlier = read_mapping(batch.mapping)
        if proposal := propose_again(profile, earlier):
            return proposal, batch.name
    return None


def items_report(load: Load) -> ItemsReport:
    """Return what a batch holds, within the transaction that is rolled back afterwards."""
    batch = load.batch
    items = batch.items.order_by("position")
    empty = items.filter(pk__in=load.empty[:FIRST])
    blank = items.with_blank_prompt()
    wanted = items.aggregate(wanted=Sum("wanted", default=0))["wanted"]
    checks = partly_applied(batch.project, pk=batch.pk)
    return ItemsReport(
        number=load.items,
        responses=load.responses,
        models=tuple(count_models(MOST_MODELS)),
        wanted=wanted,
        hours=_hours(batch.project, wanted),
        empty=len(load.empty),
        empty_in=_ids(empty),
        blank_prompts=blank.count(),
        blank_prompts_in=_ids(blank[:FIRST]),
        remarks=(*load.text_remarks, *checks),
        examples=tuple(_examples(items, empty)),
    )


def _ids(item_query: QuerySet[Item]) -> tuple[str, ...]:
    return tuple(item_query.values_list("external_id", flat=True))


def _hours(project: Project, wanted: int) -> int:
    """Return how long the ratings take at the pace of the project, or 0 if none is known."""
    seconds = [pace for day in project.workdays.latest_by_annotator() for pace in day.recent]
    return round(wanted * median(seconds) / 3600) if seconds else 0


def _examples(item_query: QuerySet[Item], empty: QuerySet[Item]) -> Iterator[ItemExample]:
    """Yield the first items, the longest, and one with an empty response."""
    for item in item_query[:FIRST]:
        label = _("Item %(number)s") % {"number": item.position + 1}
        yield from _example(label, item)
    for item in item_query.filter(pk=longest_item()):
        yield from _example(_("The longest"), item)
    for item in empty[:1]:
        yield from _example(_("The first with an empty response"), item)


def _example(label: str, item: Item) -> Iterator[ItemExample]:
    """Yield an item with its longest texts cut, unless it lacks texts."""
    if item.lacks_texts:
        return
    messages = [turn | {"text": _shortened(turn["text"])} for turn in item.messages]
    responses = item.responses.values_list("text", flat=True)
    yield ItemExample(
        label=label,
        external_id=item.external_id,
        persona=item.persona,
        warning=item.warning,
        context=_shortened(item.context),
        system=_shortened(item.system),
        reference=_shortened(item.reference),
        source=_shortened(item.source),
        messages=tuple(messages),
        responses=tuple(map(_shortened, responses)),
        metadata=item.metadata,
    )


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else excerpt_of(text, LONGEST_TEXT).in_words
