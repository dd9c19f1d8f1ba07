"""Names of people and models in what a token reads: as its owner's pages have them, or hidden.

People are pseudonyms otherwise, as in exports. Models are numbers, as on the pages of the token's
owner.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

from psycopg import sql

from tasks.exporting.column_types import Column
from tasks.exporting.columns import ANNOTATOR
from tasks.exporting.filters import Filters
from tasks.exporting.pseudonyms import pseudonyms_with
from tasks.exporting.rows import NAMING
from tasks.lead_pages.model_names import NumberedModels
from tasks.models import Project
from tasks.models.imported import names_of

from .authentication import Caller

# The columns with the name of a model; a target is one if it is a candidate set.
MODEL_COLUMNS = {
    "model": "COALESCE(response.model, {table}.model)",
    "target": "{table}.model",
}


class Names:
    """The names that a token may read of a project."""

    def __init__(self, caller: Caller, project: Project) -> None:
        self.token = caller.token
        self.project = project

    @cached_property
    def models(self) -> NumberedModels:
        """The models by their names, or by the numbers that the token's owner sees."""
        owner, are_visible = self.token.owner, self.token.names_models
        return NumberedModels(self.project, owner, are_visible=are_visible)

    def of_people(self, people: Collection[int]) -> dict[int, str]:
        """Return the name or the pseudonym of each of these people who has one, in their order."""
        if self.token.names_people:
            return names_of(people)
        return pseudonyms_with(self.project, people)

    def shown_in(
        self, columns: Sequence[Column], people: Collection[int], *, table: str = "score"
    ) -> list[Column]:
        """Return columns with the names that are shown.

        `people`: all who are in the rows. `table`: the statement's name of the table of the rows.
        """
        shown = []
        for column in columns:
            if column in NAMING and not self.token.names_people:
                column = replace(column, sql=sql.NULL)
            elif column.name == ANNOTATOR.name and not self.token.names_people:
                pseudonyms = pseudonyms_with(self.project, people)
                column = replace(column, sql=Filters(pseudonyms=pseudonyms).pseudonym)
            elif column.name in MODEL_COLUMNS and not self.token.names_models:
                column = replace(column, sql=self._numbered(column, table))
            shown.append(column)
        return shown

    def model_called(self, text: str) -> str | None:
        """Return the model that a token reads by this name, or None."""
        if self.token.names_models:
            return text
        for model, words in self.models.hidden.items():
            if words == text:
                return model
        return None

    def _numbered(self, column: Column, table: str) -> sql.Composable:
        """Return the expression for a model's number in place of its name."""
        name_column, rows = sql.SQL(MODEL_COLUMNS[column.name]), sql.Identifier(table)
        words = sql.Literal(json.dumps({"": "", **self.models.hidden}))
        numbered = sql.SQL("{}::jsonb ->> {}").format(words, name_column.format(table=rows))
        if column.name == "model":
            return numbered
        return sql.SQL("CASE WHEN {}.response_id IS NULL THEN {} ELSE {} END").format(
            rows, numbered, column.sql
        )
