"""Bodies of calls."""

from pydantic import BaseModel, ConfigDict


class Sent(BaseModel):
    """A body, or a part of one. A name that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")
