"""Names of people and models in what a token reads: as its owner's pages have them, or hidden.

People are pseudonyms otherwise, as in exports. Models are numbers, as on the pages of the token's
owner.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from psycopg import sql

from tasks.exporting.column_types import Column
from tasks.exporting.columns import ANNOTATOR
from tasks.exporting.filters import Filters
from tasks.exporting.pseudonyms import pseudonyms_of
from tasks.lead_pages.model_names import NumberedModels
from tasks.models import Project, RatingsChange

from .authentication import Caller

# The columns with the name of a model; a target is one if it is a candidate set.
MODEL_COLUMNS = {
    "model": sql.SQL("COALESCE(response.model, score.model)"),
    "target": sql.SQL("CASE WHEN score.response_id IS NULL THEN score.model END"),
}
MOST_PROJECTS = 50  # whose pseudonyms are remembered


class Names:
    """The names that a token may read of a project."""

    def __init__(self, caller: Caller, project: Project) -> None:
        self.token = caller.token
        self.project = project

    def shown_in(self, columns: Sequence[Column], people: Collection[int]) -> list[Column]:
        """Return columns with the names that are shown. `people`: all who are in the rows."""
        shown = []
        for column in columns:
            if column.name == ANNOTATOR.name and not self.token.names_people:
                pseudonyms = pseudonyms_with(self.project, people)
                column = replace(column, sql=Filters(pseudonyms=pseudonyms).pseudonym)
            elif column.name in MODEL_COLUMNS and not self.token.names_models:
                column = replace(column, sql=self._numbered(column))
            shown.append(column)
        return shown

    def model_called(self, text: str) -> str | None:
        """Return the model that a token reads by this name, or None."""
        if self.token.names_models:
            return text
        models = {words: model for model, words in self._hidden.items()}
        return models.get(text)

    @property
    def _hidden(self) -> Mapping[str, str]:
        return NumberedModels(self.project, self.token.owner).hidden

    def _numbered(self, column: Column) -> sql.Composable:
        """Return the expression for a model's number in place of its name."""
        numbered = sql.SQL("COALESCE({}::jsonb ->> {}, {})")
        mapping = sql.Literal(json.dumps(self._hidden))
        return numbered.format(mapping, MODEL_COLUMNS[column.name], column.sql)


_remembered: dict[int, tuple[int, dict[int, str]]] = {}


def pseudonyms_with(project: Project, people: Collection[int]) -> dict[int, str]:
    """Return the pseudonym of everyone who rated, with these people.

    Making them reads all ratings. They are remembered: a person who comes has the next number, and
    the others keep theirs until a change (`RatingsChange`).
    """
    last = (
        RatingsChange.objects.filter(project=project).order_by("-pk").values_list("pk", flat=True)
    )
    change = last.first() or 0
    known_change, pseudonyms = _remembered.get(project.pk, (0, {}))
    if known_change != change or not pseudonyms.keys() >= set(people):
        pseudonyms = pseudonyms_of(project)
        if len(_remembered) >= MOST_PROJECTS:
            _remembered.clear()
        _remembered[project.pk] = (change, pseudonyms)
    return pseudonyms
