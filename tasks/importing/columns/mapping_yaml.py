"""A mapping of columns, read from YAML. No Django but its translations."""

from collections.abc import Iterator
from typing import Annotated

from django.utils.translation import gettext as _
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from rubrics.documents.yaml_lines import DocumentError, values

from ..files.rows import FileRefused, fill_in
from .layouts import BY_HAND, LAYOUTS
from .mapping import Mapping
from .scoring import Name, RatingKey, Scoring
from .uses import Use

MOST_BYTES = 2_000_000  # of a mapping: a thousand columns of long names
SCORING = (
    *("no_answer: [NA]", "scales: {quality: [1, 5]}", "words: {quality: [bad, good]}"),
    *("dimensions: {Q: quality}", "doubled: true", "first: 0", "rater: Anna"),
    *("slots: true", "merged: {anna: Anna}"),
)
# Shapes of earlier mappings, which are columns of any kind now.
RETIRED = frozenset(
    ["arena", "chat", "pairs", "per-model", "plain", "preference", "response-list", "sharegpt"]
)


class MappingRefused(FileRefused):
    """A mapping cannot be read, or does not fit its file. The message is whole sentences."""


class ColumnEntry(BaseModel):
    """A column as YAML has it: its use, or an object with more."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    use: Use
    model: Name | None = None
    rater: Name = ""
    dimension: Name = ""
    check: Name = ""
    response: Name = ""


def _with_use(entry: object) -> object:
    return entry if isinstance(entry, dict) else {"use": entry}


class MappingDocument(BaseModel):
    """A mapping as YAML has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    shape: str = BY_HAND
    root: str = ""
    packed: list[Name] = Field(default=[], alias="json")
    ratings: Scoring = Scoring()
    columns: dict[Name, Annotated[ColumnEntry, BeforeValidator(_with_use)]]


def read_mapping(text: str) -> Mapping:
    """Parse a mapping from YAML. Raises MappingRefused."""
    try:
        content = values(text, MOST_BYTES)
    except DocumentError as error:
        raise MappingRefused(
            _("The mapping is %(fault)s."), fault=f"not readable as YAML: {error}"
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("columns"), dict):
        raise MappingRefused(_('The mapping has no "columns"; write what each column is below it.'))
    try:
        document = MappingDocument.model_validate(content)
    except ValidationError as error:
        raise _refused(*_unknown(error)) from error
    shape = BY_HAND if document.shape in RETIRED else document.shape
    if shape not in LAYOUTS:
        raise _refused((_("a shape"), shape, ", ".join(LAYOUTS)))
    rating_keys = {}
    for path, entry in document.columns.items():
        words = entry.model_dump(exclude={"use", "model"})
        if any(words.values()):
            rating_keys[path] = RatingKey(**words)
    models = {path: entry.model for path, entry in document.columns.items()}
    return Mapping(
        shape,
        {path: entry.use for path, entry in document.columns.items()},
        {path: model for path, model in models.items() if model is not None},
        document.root,
        frozenset(document.packed),
        rating_keys=rating_keys,
        scoring=document.ratings,
    )


def _unknown(validation_error: ValidationError) -> Iterator[tuple[str, object, str]]:
    """Yield what is not known in a mapping: of which kind it is, itself, what there is."""
    for fault in validation_error.errors():
        *_path, last = place = [str(part) for part in fault["loc"]]
        if place[0] == "ratings":
            what = _("a part of ratings that can be read")
            yield what, ": ".join(place[1:]) or fault["input"], ", ".join(SCORING)
        elif fault["type"] == "extra_forbidden":
            model = MappingDocument if len(place) == 1 else ColumnEntry
            keys = [field.alias or name for name, field in model.model_fields.items()]
            yield _("a key"), last, ", ".join(keys)
        elif last == "use":
            what = _("a use of %(column)s") % {"column": place[1]}
            yield what, fault["input"], ", ".join(Use)
        else:
            yield _("a value"), last, fault["type"].removesuffix("_type").removesuffix("_parsing")


def _refused(*unknown: tuple[str, object, str]) -> MappingRefused:
    words = _("“%(given)s” is not %(what)s in a mapping; there are %(allowed)s.")
    sentences = []
    for what, value, allowed in unknown:
        sentences.append(fill_in(words, given=value, what=what, allowed=allowed))
    return MappingRefused(" ".join(sentences).replace("%", "%%"))
