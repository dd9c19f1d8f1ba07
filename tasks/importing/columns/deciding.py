"""The decision what each column is: a clear one is chosen with its reason, others are asked.

`Decision` has what is chosen so far. Other modules have the steps, in the order of
`proposals.propose`. No Django but its translations.
"""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from ..files.rows import JsonObject
from .candidates import Candidate
from .choices import Certainty, ColumnChoice
from .model_names import SAYS_A_JUDGE
from .name_tables import Strength
from .profile import Profile
from .sample import leaves
from .turn_keys import is_turns
from .turns import as_ours
from .uses import ANSWERING, ASKING, Use


class Decision:
    """The choices for the columns of a file, made one after another."""

    def __init__(
        self,
        profile: Profile,
        candidates: Sequence[Candidate],
        column_choices: Iterable[ColumnChoice],
    ) -> None:
        self.profile = profile
        self.candidates = candidates
        self.choices = {choice.path: choice for choice in column_choices}
        self.models: dict[str, str] = {}  # by the column of its responses
        # A layout says what is asked and what the responses are.
        self.is_known = bool(self.of(*ASKING) and self.of(*ANSWERING))
        self.texts: list[JsonObject] = []  # of the first rows, by column
        for row in profile.sample.first_rows:
            values = leaves(row.content, profile.columns, profile.packed)
            self.texts.append({leaf.path: leaf.value for leaf in values})

    @property
    def free(self) -> list[Candidate]:
        """The columns that are not decided; in a layout only those that stand for themselves."""
        free = [column for column in self.candidates if column.path not in self.choices]
        if self.is_known:
            free = [column for column in free if not {".", "["}.intersection(column.name)]
        return free

    @property
    def free_texts(self) -> list[Candidate]:
        """The free columns of longer texts whose names say nothing, also not of a judge."""
        texts = [column for column in self.free if column.is_prose and not column.use]
        return [column for column in texts if not SAYS_A_JUDGE.search(column.name)]

    @property
    def has_questions(self) -> bool:
        """True if the lead is asked about a column."""
        return any(choice.certainty is Certainty.DOUBTFUL for choice in self.choices.values())

    def of(self, *uses: Use) -> list[str]:
        """Return the paths of the columns that are chosen for some uses."""
        return [path for path, choice in self.choices.items() if choice.use in uses]

    def chosen(self, *uses: Use) -> list[Candidate]:
        """Return the columns that are chosen for some uses."""
        paths = self.of(*uses)
        return [column for column in self.candidates if column.path in paths]

    def take(self, column: Candidate, use: Use, reason: str = "") -> None:
        """Choose a use for a column. Without a reason its name is the reason."""
        is_sure = not reason and column.strength == Strength.OURS
        certainty = Certainty.SURE if is_sure else Certainty.LIKELY
        choice = ColumnChoice(column.path, use, certainty, reason or reason_by_name(column))
        self.choices[column.path] = choice

    def keep(self, column: Candidate, reason: str) -> None:
        """Choose a column as metadata, where its name says more."""
        self.take(column, Use.METADATA, reason)

    def leave_out(self, path: str, reason: str) -> None:
        """Choose that a column is not kept."""
        self.choices[path] = ColumnChoice(path, Use.UNUSED, Certainty.LIKELY, reason)

    def ask(self, candidates: Iterable[Candidate], options: tuple[Use, ...], question: str) -> None:
        """Ask what some columns are; the options are offered first."""
        for column in candidates:
            self.choices[column.path] = ColumnChoice(
                column.path, Use.UNDECIDED, Certainty.DOUBTFUL, "", options, question
            )

    def stands_in(self, column: Candidate, other_column: Candidate, *, longer_by: int = 0) -> bool:
        """Tell whether a column's texts are in another's, row by row.

        `longer_by`: so many characters at least stand beside them in the other's.
        """
        pairs = [(row.get(column.path), row.get(other_column.path)) for row in self.texts]
        if all(value == longer for value, longer in pairs):  # in the first rows
            return not longer_by and self.profile.same(column.path, other_column.path)
        filled_pairs = [(value, longer) for value, longer in pairs if plain_text(value)]
        for value, longer in filled_pairs:
            part, whole = plain_text(value), plain_text(longer)
            if part not in whole or len(whole) < len(part) + longer_by:
                return False
        return filled_pairs != []


def reason_by_name(column: Candidate) -> str:
    """Return why a column has the use of its name."""
    if column.strength == Strength.OURS:
        return _("named as ours")
    if column.strength == Strength.NEAR:
        return _("nearly named as ours")
    return _("by its name") if column.use else _("by what it holds")


def plain_text(value: object) -> str:
    """Return the texts of a value, with one blank between any two words."""
    if is_turns(value):
        value = [as_ours(turn)["content"] for turn in value]
    if isinstance(value, list):
        return " ".join(map(plain_text, value))
    return " ".join(str(value or "").split())
