"""The decision what each column is: a clear one is chosen with its reason, others are asked.

No Django but its translations.
"""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from ..files.rows import filled
from .candidates import PROSE, Candidate
from .choices import Certainty, ColumnChoice
from .names import MODEL_NAME, Strength, is_turns, meaning
from .profile import Profile, ValueKind
from .sample import leaves
from .turns import as_ours
from .uses import ANSWERING, ASKING, Use

# Of these an item has one, by the best name.
SINGLE = (Use.SYSTEM, Use.CONTEXT, Use.REFERENCE, Use.SOURCE, Use.WARNING, Use.PERSONA)


class Decision:
    """The choices for the columns of a file, made one after another."""

    def __init__(
        self, profile: Profile, candidates: Sequence[Candidate], choices: Iterable[ColumnChoice]
    ) -> None:
        self.profile = profile
        self.candidates = candidates
        self.choices = {choice.path: choice for choice in choices}
        self.models: dict[str, str] = {}
        # A layout says what is asked and what the responses are.
        self.is_known = bool(self.of(*ASKING) and self.of(*ANSWERING))
        self.texts: list[dict[str, object]] = []
        for row in profile.sample.rows:
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
    def is_open(self) -> bool:
        """True if anything is asked."""
        return any(choice.certainty is Certainty.OPEN for choice in self.choices.values())

    def of(self, *uses: Use) -> list[str]:
        """Return the paths of the columns that are chosen for some uses."""
        return [path for path, choice in self.choices.items() if choice.use in uses]

    def chosen(self, *uses: Use) -> list[Candidate]:
        """Return the columns that are chosen for some uses."""
        paths = self.of(*uses)
        return [column for column in self.candidates if column.path in paths]

    def take(self, column: Candidate, use: Use, reason: str = "") -> None:
        """Choose a use for a column, by its name if there is no other reason."""
        is_sure = not reason and column.strength == Strength.OURS
        certainty = Certainty.SURE if is_sure else Certainty.LIKELY
        choice = ColumnChoice(column.path, use, certainty, reason or by_name(column))
        self.choices[column.path] = choice

    def keep(self, column: Candidate, reason: str) -> None:
        """Choose a column as metadata, where its name says more."""
        self.take(column, Use.METADATA, reason)

    def ask(self, columns: Iterable[Candidate], options: tuple[Use, ...], question: str) -> None:
        """Ask what some columns are; the options are offered first."""
        for column in columns:
            self.choices[column.path] = ColumnChoice(
                column.path, Use.UNDECIDED, Certainty.OPEN, "", options, question
            )

    def stands_in(self, column: Candidate, other: Candidate) -> bool:
        """Tell whether a column's texts are in another's, row by row."""
        pairs = [(row.get(column.path), row.get(other.path)) for row in self.texts]
        if all(value == longer for value, longer in pairs):  # in the first rows
            return self.profile.same(column.path, other.path)
        filled_pairs = [(value, longer) for value, longer in pairs if plain_text(value)]
        is_part = all(plain_text(value) in plain_text(longer) for value, longer in filled_pairs)
        return is_part and filled_pairs != []

    def choose_rest(self) -> None:
        """Choose what goes with the prompt and the responses."""
        self._choose_models()
        for use in SINGLE:
            if not self.of(use):
                self._choose_single(use)
        self._doubt_names()

    def ask_all(self) -> None:
        """Ask what each text is, if none has the name of a prompt or a response."""
        words = [column for column in self.free if column.has_words and not column.use]
        self.ask(words, (Use.RESPONSE, Use.PROMPT, Use.METADATA), _("what is it?"))

    def keep_rest(self) -> None:
        """Keep what is not decided as metadata."""
        if self.of(*ANSWERING) and not self.is_known:
            for column in self.free:
                if column.is_prose:
                    self.keep(column, _("other texts"))
        for path in self.profile.columns:
            self.choices.setdefault(path, ColumnChoice(path, Use.METADATA, Certainty.SURE))

    def _doubt_names(self) -> None:
        """Ask about what annotators would see and may name the models, if nothing else does."""
        if self.of(Use.MODEL) or self.models:
            return
        for column in self.chosen(Use.SYSTEM, Use.SOURCE, Use.PERSONA, Use.CONTEXT):
            use = self.choices[column.path].use
            is_name = column.is_short and column.values.mean_length < PROSE
            has_models = any(map(MODEL_NAME.search, column.values.counts))
            if is_name and column.values.distinct > 1 and (use is Use.SYSTEM or has_models):
                question = _("is it the model? Annotators would see it")
                self.ask([column], (Use.MODEL, use, Use.METADATA), question)

    def _choose_models(self) -> None:
        if partners := self._partners():
            self.models = {}
            for column in partners:
                self.take(column, Use.MODEL, _("named after its response"))
        if self.of(Use.MODEL) or self.models:
            return
        parents = {path.rpartition(".")[0] for path in self.of(*ANSWERING)}
        several = [column for column in self.free if _may_be_model(column, parents)]
        marked = [column for column in several if column.mark]
        inside = [column for column in several if "[*]" in column.path]
        single = sorted(several, key=lambda column: -column.strength)[:1]
        for column in marked if len(marked) > 1 else inside or single:
            self.take(column, Use.MODEL)

    def _partners(self) -> list[Candidate]:
        """Return columns such as `chosen_model` and `rejected_model`, one for each response."""
        responses = self.of(*ANSWERING)
        partners = []
        for path in responses:
            for column in self.free:
                rest = column.path.removeprefix(f"{path}_")
                known = meaning(rest) if rest != column.path else None
                if known and known.use is Use.MODEL and column.is_short:
                    partners.append(column)
        return partners if len(partners) == len(responses) > 1 else []

    def _choose_single(self, use: Use) -> None:
        several = [column for column in self.free if column.use is use and _fits(column, use)]
        for column in sorted(several, key=lambda column: -column.strength)[:1]:
            if column.strength == Strength.NEAR:
                words = _("is “%(column)s” %(use)s?")
                question = filled(words, column=column.name, use=use.label)
                self.ask([column], (use, Use.METADATA), question)
            else:
                self.take(column, use)


def by_name(column: Candidate) -> str:
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


def _may_be_model(column: Candidate, parents: set[str]) -> bool:
    """Tell whether a column may name models: it is short, and beside responses or above."""
    parent, _dot, last = column.path.rpartition(".")
    if not column.filled or not column.is_short or column.strength == Strength.NEAR:
        return False
    if "[*]" in column.path and parent not in parents:
        return False
    # In translation and speech, a system is a model.
    if column.use is Use.SYSTEM:
        return column.is_word
    return column.use is Use.MODEL or ("[*]" in parent and last == "name")


def _fits(column: Candidate, use: Use) -> bool:
    """Tell whether a column holds what its name says."""
    if column.mark and use is not Use.CONTEXT:
        return False
    if use is Use.REFERENCE and column.values.share(ValueKind.WHOLE, ValueKind.DECIMAL) >= 0.5:
        return column.strength >= Strength.STRONG
    if column.strength <= Strength.WEAK and column.is_label:
        return False
    return column.has_words and not column.has_turns
