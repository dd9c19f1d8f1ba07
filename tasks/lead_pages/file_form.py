"""The form of a file that a lead brings, or of several that belong together."""

import re
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _, ngettext

from tasks.importing.files.containers import MOST_BYTES
from tasks.importing.files.formats import FORMATS
from tasks.importing.files.packing import NamedFile, refuse_files
from tasks.importing.files.rows import FileRefused

from .forms import FormAmongOthers

# Control characters, and those that turn the direction of what follows: in a name they deceive.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class FilesInput(forms.FileInput):
    """A field of a page for a file or several."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """A file, or several that belong together."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Check each of the files, which are one archive later."""
        files = []
        for file in data or [None]:
            cleaned: UploadedFile = super().clean(file, initial)
            cleaned.name = _UNSEEN.sub("", cleaned.name or "") or "file"
            files.append(cleaned)
        return files


class FileForm(FormAmongOthers):
    """A file, or several that belong together."""

    file = FilesField(
        allow_empty_file=True,  # it is refused below, by its name
        label=_("File"),
        help_text=_(
            "CSV, TSV, JSON or JSON lines, also compressed by gzip; XLSX, Parquet or a log of "
            "Inspect. Rows with the same id are one item. Choose two files at once if they belong "
            "together, such as items and their ratings."
        ),
        widget=FilesInput({"accept": ",".join(FORMATS)}),
    )

    def clean_file(self) -> list[UploadedFile]:
        """Refuse files larger than UPLOAD_LIMIT. Much larger ones were never read (error 413)."""
        files: list[UploadedFile] = self.cleaned_data["file"]
        if len(files) > 1:
            try:
                refuse_files([file.name or "" for file in files])
            except FileRefused as error:
                raise forms.ValidationError(str(error)) from error
        for file in files:
            if not file.size:
                raise forms.ValidationError(_("“%(file)s” is empty.") % {"file": file.name})
        limit = min(settings.UPLOAD_LIMIT, MOST_BYTES)
        size = sum(file.size or 0 for file in files)
        if size > MOST_BYTES:  # the command would refuse it too
            raise forms.ValidationError(_splitting_needed(len(files)))
        if size > limit:
            raise forms.ValidationError(_too_large(len(files), limit))
        return files

    @property
    def sent_files(self) -> list[NamedFile]:
        """The files of a valid form."""
        return [NamedFile(file.name, file.file) for file in self.cleaned_data["file"]]


def _splitting_needed(number: int) -> str:
    text = ngettext(
        "The file is larger than %(limit)s. Split it.",
        "The files are larger than %(limit)s together. Split them.",
        number,
    )
    return text % {"limit": filesizeformat(MOST_BYTES)}


def _too_large(number: int, limit: int) -> str:
    text = ngettext(
        "The file is larger than %(limit)s. Split it, or have it loaded by manage.py import_batch.",
        "The files are larger than %(limit)s together. Split them, or have them loaded by "
        "manage.py import_batch.",
        number,
    )
    return text % {"limit": filesizeformat(limit)}
