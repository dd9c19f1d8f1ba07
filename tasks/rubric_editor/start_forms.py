"""Forms that start a rubric, and that replace a draft by a document.

`document_views` shows one for each of the `WAYS`. A valid form has the `content` of the draft, as
the plain values of a document.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _, pgettext

from rubrics.documents.document import dump, read_with_faults
from rubrics.documents.nodes import LONGEST
from rubrics.documents.shipped import GALLERY, SLUGS, shipped
from rubrics.documents.yaml_lines import MOST_BYTES, DocumentError
from rubrics.editor.elements import slug_of
from rubrics.editor.from_prose import read_answer
from rubrics.editor.prose_document import is_plain_prose
from rubrics.judging.plain import Entries
from rubrics.models import Rubric
from tasks.new_projects.forms import ProjectTemplate, project_templates

LONGEST_ANSWER = 200_000
CODE = {"rows": 14, "class": "code", "spellcheck": "false", "dir": "ltr"}


class GalleryForm(forms.Form):
    """The rubrics to start from that a lead looks for."""

    q = forms.CharField(
        label=_("Search rubrics"),
        required=False,
        widget=forms.TextInput({"type": "search", "dir": "auto", "placeholder": _("summary, 1–5")}),
    )

    @property
    def kinds(self) -> list[tuple[str, Any, list[ProjectTemplate]]]:
        """The rubrics that have all the words, in three lists, each with its name and label."""
        words = self.data.get("q", "").lower().split()
        matches = []
        for template in project_templates().values():
            text = f"{template.rubric.summary} {template} {template.scales}".lower()
            if all(word in text for word in words):
                matches.append(template)
        scales = [template for template in matches if template.has == {"scores"}]
        rules = [template for template in matches if "rules" in template.has]
        return [
            ("", pgettext("rubrics", "All"), matches),
            ("1", _("Scales only"), scales),
            ("2", _("With rules"), rules),
        ]


class StartForm(forms.Form):
    """A way to start a draft. A valid form has its content, if it is time to open one."""

    content: Entries | None = None
    unread: Sequence[str] = ()  # titles of dimensions that could not be read
    is_by_program = False  # what it reads was written by a language model


class CopyForm(StartForm):
    """A rubric to copy: a stored version, or a shipped one by its short name."""

    rubric = forms.ModelChoiceField(Rubric.objects.all(), required=False)
    slug = forms.ChoiceField(choices=[(slug, slug) for slug in (*SLUGS, *GALLERY)], required=False)

    def clean(self) -> None:
        """Make a document of the rubric."""
        stored = self.cleaned_data.get("rubric")
        slug = self.cleaned_data.get("slug")
        rubric = None
        if stored:
            rubric = stored.schema
        elif slug:
            rubric = shipped(slug)
        self.content = dump(rubric)


class DocumentForm(StartForm):
    """A rubric as a document, pasted or in a file."""

    text = forms.CharField(
        label=_("Document"), strip=False, required=False, widget=forms.Textarea(CODE)
    )
    file = forms.FileField(
        label=_("File"),
        help_text=_("YAML or JSON"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput({"accept": ".yaml,.yml,.json"}),
    )

    def clean(self) -> None:
        """Read the document. The text of a file stands in the form then."""
        text = self.cleaned_data.get("text", "")
        file = self.cleaned_data.get("file")
        if file:
            content = file.read(MOST_BYTES + 1)
            text = content.decode("utf-8-sig", errors="replace")
            self.data = {"text": text}
            if "\ufffd" in text[:-1]:
                raise forms.ValidationError(_("The file is not in UTF-8. Save it as UTF-8."))
        try:
            rubric, self.faults = read_with_faults(text)
        except DocumentError as error:
            raise forms.ValidationError(list(error.faults)) from error
        self.content = dump(rubric)


class EmptyForm(StartForm):
    """The title and the language of a rubric that has nothing yet."""

    title = forms.CharField(label=_("Title"), max_length=LONGEST["line"])
    language = forms.CharField(
        label=_("Language of its texts"),
        help_text=_("Its code, such as en or pt-BR"),
        initial="en",
        max_length=LONGEST["short"],
        validators=[
            RegexValidator(r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z", _("Write a code, such as de."))
        ],
        widget=forms.TextInput({"list": "languages"}),
    )

    def clean(self) -> None:
        """Make a document without dimensions."""
        title = self.cleaned_data.get("title", "")
        slug = slug_of(title) or "rubric"
        self.content = {"slug": slug, "summary": "", **self.cleaned_data, "dimensions": []}


class AnswerForm(StartForm):
    """The answer of a language model, which is read before what stands becomes a draft."""

    is_by_program = True

    answer = forms.CharField(
        label=_("The model’s answer"),
        max_length=LONGEST_ANSWER,
        strip=False,
        widget=forms.Textarea(CODE),
    )
    opens = forms.BooleanField(required=False)

    def clean(self) -> None:
        """Read the answer. Prose that no model has turned into a document is refused."""
        answer = self.cleaned_data.get("answer", "")
        if answer and is_plain_prose(answer):
            message = _(
                "This has no “dimensions:” in it, so it is no answer to the instructions. Give"
                " them and your prose to a model, and paste its answer here."
            )
            self.add_error("answer", message)
        self.read = read_answer(answer)
        self.unread = self.read.unread
        opens = self.cleaned_data.get("opens")
        self.content = self.read.content if opens else None


WAYS: Mapping[str, type[StartForm]] = {
    "copy": CopyForm,
    "file": DocumentForm,
    "empty": EmptyForm,
    "prose": AnswerForm,
}
