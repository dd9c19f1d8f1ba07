"""The choices that decide how a file is read, made on its page or by a command. No Django."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class ReadingOptions(BaseModel):
    """How a file is read. The file itself proposes an option that is not set."""

    model_config = ConfigDict(frozen=True)

    encoding: str = ""
    part: str = ""  # a sheet, a list of a JSON document, or a file of an archive
    join: str = ""  # another part, whose columns are added to the rows
    key: str = ""  # the columns by which they are: see `joins.key_columns`
    delimiter: Literal["", ",", ";", "\t", "|"] = ""
    # The line (or row of a sheet) that holds the names of columns. 0: none does, and they are
    # called `column 1`, `column 2`, ….
    header: Annotated[int, Field(ge=0)] | None = None


AS_PROPOSED = ReadingOptions()
