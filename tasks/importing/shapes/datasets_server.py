"""Rows as the Hugging Face dataset viewer gives them: each is under `row`."""

from ..shape import FileShape, Use, _

SHAPE = FileShape(
    _("rows of the dataset viewer"),
    ("row_idx", r"row\..*"),
    {"truncated_cells": Use.UNUSED},
    root="row",
    judge=lambda sample: (
        _("Some of its cells are cut off (truncated_cells): load the dataset itself.")
        if any(column.path == "truncated_cells" and column.filled for column in sample.columns)
        else ""
    ),
)
