"""The columns of an upload's file: what each is, as its lead chose or as the file proposes.

A page shows `provisional` at once, from the beginning of the file. A worker reads all of it
(`read_columns`); `uploading.py` then examines or imports it by the mapping.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import BinaryIO

from django.db.models import Q
from django.utils.translation import gettext as _

from tasks.models import Batch, Upload
from tasks.models.uploads import Content

from .batches.loading import UploadRefused
from .columns.choices import Certainty, ColumnChoice, with_groups
from .columns.file_counts import FileCounts, estimated_counts
from .columns.joining import propose_join
from .columns.layouts import LAYOUTS, OWN
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
from .report import ColumnReport, ReadingChoice, UploadReport
from .upload_choices import choices_of, reading_of

FIRST_ROWS = 30  # of a file that no worker has read yet
MOST_MAPPINGS = 20  # of earlier batches, to find one of the same columns


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """The columns of a file, and the report of them."""

    report: UploadReport
    profile: Profile
    column_mapping: Mapping
    choices: Sequence[ColumnChoice]
    is_our_shape: bool

    @property
    def mapping(self) -> Mapping | None:
        """The mapping by which the file is loaded; our own shape needs none."""
        return None if self.is_our_shape else self.column_mapping

    @property
    def counts(self) -> FileCounts:
        """How much the file has, as its columns say it."""
        return estimated_counts(self.profile, self.column_mapping)

    def sentence(self, counts: FileCounts) -> str:
        """Return the file in short, with the counts of its import."""
        return file_sentence(self.profile, self.column_mapping, self.choices, counts)


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
            reading = _read(upload, profile, is_sure=not source.guesses)
    except ChoiceNeeded as error:
        join = propose_join(file, upload.file_name, reading_of(upload), error)
        raise FileChoice(upload.file_name, error, join) from error
    except Unreadable as error:
        raise UploadRefused(_("%(file)s %(fault)s"), file=upload.file_name, fault=error) from error
    remarks = (*source.remarks, *reading.report.remarks)
    report = reading.report.but(rows=profile.rows + profile.bad, remarks=remarks)
    if len(source.parts) > 1:
        report = report.but(choices={"part": _choices(source.parts)})
    return replace(reading, report=report)


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
    """Return the columns. `is_sure`: nothing was guessed when the file was opened."""
    if not profile.rows:  # no row is good: its load tells the faults
        return ColumnReading(UploadReport(), profile, Mapping(OWN, {}), (), is_our_shape=True)
    lead_choices = choices_of(upload)
    proposal, proposal_remarks = _proposal(upload, profile, lead_choices)
    mapping = proposal.mapping
    choices = tuple(proposal.choices)
    layout = lead_choices.shape
    is_sent = bool(lead_choices.mapping)  # by a call, with the file
    if is_sent:
        mapping, proposal_remarks = read_mapping(lead_choices.mapping), []
    if layout:
        mapping = _as_chosen(mapping, lead_choices, choices)
    if layout or is_sent:
        choices = tuple(_chosen(choice, mapping) for choice in choices)
    is_changed = mapping != proposal.mapping
    is_doubtful = any(choice.certainty is Certainty.DOUBTFUL for choice in choices)
    is_our_shape = proposal.is_our_shape and is_sure and not (is_changed or is_doubtful)
    report = UploadReport(
        sentence=file_sentence(profile, mapping, choices),
        layout=mapping.shape,
        layouts=_layouts(profile, mapping.shape),
        columns=_columns(profile, choices, mapping),
        missing=tuple(map(printable, _missing(profile, mapping, choices))),
    )
    if not is_our_shape:
        remarks = tuple(map(printable, proposal_remarks))
        report = report.but(mapping=mapping.as_yaml({}), remarks=remarks)
    return ColumnReading(report, profile, mapping, choices, is_our_shape)


def _proposal(
    upload: Upload, profile: Profile, lead_choices: LeadChoices
) -> tuple[Proposal, list[str]]:
    """Return what is proposed, with remarks: a layout that was chosen, or as an earlier file."""
    is_chosen = lead_choices.shape or lead_choices.mapping
    earlier = None if is_chosen else _earlier(upload, profile)
    if earlier is None:
        proposal = propose(profile, lead_choices.shape)
        return proposal, [*proposal.remarks]
    proposal, batch = earlier
    remark = _("The columns are as in batch “%(batch)s”.") % {"batch": batch}
    return proposal, [remark, *proposal.remarks]


def _layouts(profile: Profile, first: str) -> tuple[tuple[str, str], ...]:
    """Return the names and labels of the layouts to choose from."""
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
        meaning = mapping.rated_columns.rating_keys.get(choice.path, RatingKey())
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
