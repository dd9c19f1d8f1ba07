"""The final scores of an item by its scores alone, as an export has them."""

from dataclasses import dataclass

from psycopg import sql

from config.web.raw_sql import all_rows
from tasks.models import Item
from tasks.models.counting import CURRENT

from .figures import ANSWERS_SEEN, FINAL_OF_SCORES, figures_of_targets


@dataclass(frozen=True, slots=True)
class FinalScore:
    """A final score, and where it comes from (docs/export.md, `final_source`)."""

    value: int | None
    source: str  # "" for a dropped item
    seen: str  # a digest of the answers
    without: str = ""  # why nobody gave a score, if all gave the same reason: a `Without`


def final_scores_of(item: Item) -> dict[tuple[int | str, str], FinalScore]:
    """Return the final scores by target and dimension; none where nobody has scored."""
    project = item.project
    only = sql.SQL(" AND {current} AND rating.item_id = {item}").format(
        current=CURRENT, item=sql.Literal(item.pk)
    )
    statement = sql.SQL(
        "SELECT response_id, model, dimension, {final}, final_source, {seen}, without "
        "FROM ({figures}) AS score"
    ).format(
        final=sql.SQL(FINAL_OF_SCORES),
        seen=ANSWERS_SEEN,
        figures=figures_of_targets(project, [project.rubric], only),
    )
    finals = {}
    for response, model, dimension, value, source, seen, without in all_rows(statement, ()):
        target = model if response is None else response
        finals[target, dimension] = FinalScore(value, source or "", seen, without)
    return finals
