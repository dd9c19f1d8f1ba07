"""The columns of a file that a command loads: proposed, told by its options, or in doubt."""

import shlex
from argparse import ArgumentTypeError
from collections.abc import Mapping as AnyMapping
from typing import BinaryIO, NamedTuple

from django.core.management.base import CommandError

from tasks.importing.columns.choices import Certainty, ColumnChoice, with_groups
from tasks.importing.columns.joining import propose_join
from tasks.importing.columns.mapping import Mapping
from tasks.importing.columns.opening import open_file
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import Proposal, propose
from tasks.importing.columns.sample import ROWS
from tasks.importing.columns.table_cells import file_rows
from tasks.importing.columns.uses import Use
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.rows import ChoiceNeeded, LineError, Unreadable

UNSURE = 2  # the exit status if something must be chosen
WAY_OUT = (
    "Nothing was loaded. --yes takes what is likely; --use COLUMN=USE or --mapping FILE says what "
    "a column is; --guess prints what each column may be, for --mapping."
)


class FileColumns(NamedTuple):
    """The mapping of a file, and sentences about it."""

    mapping: Mapping | None  # None: our own shape
    sentences: tuple[str, ...] = ()


def column_use(text: str) -> tuple[str, Use]:
    """Return the column and the use in an argument such as `answer=response`."""
    path, _equals, name = text.rpartition("=")
    if not path or name not in [*Use]:
        uses = ", ".join(use for use in Use if use != Use.UNDECIDED)
        raise ArgumentTypeError(f"it is COLUMN=USE; the uses are {uses}")
    return path, Use(name)


def part_and_key(text: str) -> tuple[str, str]:
    """Return the part and the key in an argument such as `questions=id`."""
    part, _equals, key = text.rpartition("=")
    if not (part and key):
        raise ArgumentTypeError("it is PART=KEY, such as questions=id or questions=question_id:id")
    return part, key


def choose(
    file: BinaryIO, name: str, reading: ReadingOptions, uses: AnyMapping[str, Use], *, yes: bool
) -> FileColumns:
    """Return what the columns of a file are; `uses` say it of some, `yes` takes what is likely.

    Raises CommandError with the status UNSURE if that leaves a doubt.
    """
    try:
        with open_file(file, name, reading) as source:
            profile = Profile.of(file_rows(source), ROWS)
            if not profile.rows:
                return FileColumns(None)  # its faults say why
            proposal = propose(profile)
            is_our_shape = proposal.is_our_shape and not (uses or source.guesses)
            if is_our_shape and not _doubts(proposal, {}, yes=False):
                return FileColumns(None, tuple(source.remarks))
            profile = Profile.of(file_rows(source))
            guesses = () if yes else source.guesses
            remarks = [remark for remark in source.remarks if remark not in guesses]
    except ChoiceNeeded as error:
        join = propose_join(file, name, reading, error)
        words = f"{name} {error}."
        if join:
            words += f" Or join them: {_arguments(join)}"
        raise CommandError(words, returncode=UNSURE) from error
    except Unreadable as error:
        raise CommandError(f"{name} {error}") from error
    proposal = propose(profile)
    unknown = [path for path in uses if path not in profile.columns]
    if unknown:
        missing = ", ".join(unknown)
        present = ", ".join(profile.columns)
        raise CommandError(f"{name} has no column {missing}; it has {present}.")
    uses = with_groups(uses, proposal.choices)
    doubts = [f"Likely: {guess}" for guess in guesses]
    doubts += map(_in_words, _doubts(proposal, uses, yes=yes))
    sentences = (f"{name}: {proposal.sentence}", *remarks, *proposal.remarks)
    if doubts:
        lines = [*sentences, *doubts, *proposal.mapping.faults(profile.sample), WAY_OUT]
        raise CommandError("\n".join(lines), returncode=UNSURE)
    if is_our_shape and proposal.is_our_shape:
        return FileColumns(None, sentences)
    mapping = proposal.mapping.with_uses(uses) if uses else proposal.mapping
    return FileColumns(mapping, sentences)


def as_yaml(file: BinaryIO, name: str, reading: ReadingOptions) -> str:
    """Return the likeliest mapping of a file as YAML."""
    try:
        with open_file(file, name, reading) as source:
            profile = Profile.of(file_rows(source))
            if profile.sample.columns:
                return propose(profile).as_yaml(profile)
            for row in file_rows(source):
                if isinstance(row.content, LineError):
                    raise CommandError(f"{name}, {row.content}.")
            raise CommandError(f"{name} holds no items; {source.hint}.")
    except Unreadable as error:
        raise CommandError(f"{name} {error}") from error


def _arguments(join: ReadingOptions) -> str:
    key = f"{join.join}={join.key}"
    return shlex.join(["--part", join.part, "--join", key])


def _doubts(proposal: Proposal, uses: AnyMapping[str, Use], *, yes: bool) -> list[ColumnChoice]:
    """Return the choices that nobody has made."""
    certain = (Certainty.SURE, Certainty.LIKELY) if yes else (Certainty.SURE,)
    choices = (choice for choice in proposal.choices if choice.path not in uses)
    return [choice for choice in choices if choice.certainty not in certain]


def _in_words(choice: ColumnChoice) -> str:
    if choice.certainty is Certainty.DOUBTFUL:
        options = ", ".join(choice.options)
        return f"Open: {choice.path}: {choice.question} ({options})"
    reason = f", because: {choice.reason}" if choice.reason else ""
    return f"Likely: {choice.path} is {choice.use.label}{reason} ({choice.use})"
