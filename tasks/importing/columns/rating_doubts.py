"""Questions about columns of ratings: of several people, of another text, with codes.

No Django but its translations.
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from ..files.rows import filled
from .names import fold
from .rating_choices import RatingChoices
from .rating_names import is_machine, is_preference, is_self_doubt, last_name, rater_role
from .rating_scoring import common_spellings
from .scoring import RatingKey
from .uses import ANSWERING, PROMPTS, Use

BESIDE = (*PROMPTS, Use.CONVERSATION, Use.CONTEXT, Use.REFERENCE, Use.SYSTEM, Use.PERSONA)
FEW = 0.9  # of the rows: fewer different ones repeat each other


class RatingDoubts(RatingChoices):
    """The choices about ratings, with questions about those that are doubtful."""

    codes: Sequence[str] = ()  # numbers that may mean no answer

    def _doubt_preferences(self) -> None:
        """Leave out what compares responses, or ask of which response it is."""
        answers = self.of(*ANSWERING)
        several = [path for path in answers if self.uses[path] is not Use.CHAT]
        lists = [path for path in several if "[" in path or self.columns[path].is_list]
        if (len(answers) < 2 and not lists) or self.of(Use.TARGET):
            return
        beginnings = {path.partition("[")[0] for path in lists}
        compare = []
        for path in self.of(Use.SCORE):
            key = self.rating_keys.get(path, RatingKey())
            if key.response or path.partition("[")[0] in beginnings:
                continue
            scale = self.columns[path].scale
            is_order = scale and scale[1] <= max(2, len(answers))
            if is_order or self.columns[path].texts:
                self._take(path, Use.METADATA, _("compares the responses"))
                compare.append(path)
            else:
                question = _("it does not say which of the responses it rates: leave it out?")
                self._ask(path, (Use.UNUSED, Use.METADATA), question)
        self.explain_preferences(compare)

    def _leave_preferences(self) -> None:
        """Say that orders and preferences of raters have no place, where they are all there is."""
        if not self.of(Use.RATER):
            return
        compare = []
        for column in self.free:
            if is_preference(column.name) and (column.is_numeric or column.texts):
                self._take(column.path, Use.METADATA, _("compares the responses"))
                compare.append(column.path)
        self.explain_preferences(compare)

    def explain_preferences(self, names: Sequence[str]) -> None:
        """Say once that preferences have no place."""
        if names:
            words = _("Left out, as it compares responses: %(columns)s.")
            self.remarks.append(filled(words, columns=", ".join(names)))

    def explain_slots(self) -> None:
        """Say why the raters are taken for slots."""
        words = _(
            "Items with fewer ratings lack the last raters, never an earlier one: raters look like "
            "slots, which other people have in each item."
        )
        self.remarks.append(words)

    def _doubt_repeats(self) -> None:
        """Ask about scores if one person has several rows for one response."""
        if not self.by_rows or self.of(Use.TIME, Use.EXPORTED, Use.CHECK):
            return
        about = (*PROMPTS, Use.CONVERSATION, Use.GROUP, *ANSWERING, Use.MODEL, Use.CONTEXT)
        paths = self.of(*about, Use.RATER, Use.DIMENSION, Use.TARGET)
        if len(paths) < 2:
            return
        number = self.profile.combinations(*paths)
        if number >= FEW * len(self.profile.marks):
            return
        question = _("a person has several rows for one response: does this column say the rating?")
        for path in [*self.of(Use.SCORE), *self.open_scores()]:
            self._ask(path, (Use.SCORE, Use.UNUSED), question)

    def _doubt_spellings(self) -> None:
        """Ask whether names that differ in capitals and blanks alone are one person.

        In an export that a layout knows they are accounts.
        """
        for path in self.of(Use.RATER):
            if self.before[path].use is Use.RATER:
                continue
            column = self.profile.columns[path]
            spellings = common_spellings((column.entries or column).counts)
            names = [f"“{name}” = “{common}”" for name, common in spellings.items()]
            if names:
                words = _("one person each: %(names)s?")
                self._doubt_rater(path, filled(words, names=", ".join(names)))

    def _doubt_raters(self) -> None:
        """Ask which column says who rated, if several name different people in a row."""
        paths = [path for path in self.of(Use.RATER) if self.before[path].use is not Use.RATER]
        paths = [path for path in paths if "." not in path and "[" not in path]
        first, *others = paths or [""]
        for path in others:
            is_same = self.profile.follows(path, first) and self.profile.follows(first, path)
            if not is_same or rater_role(path) != rater_role(first):
                question = _("several columns name people: did this one give the scores?")
                for rater in paths:
                    self._ask(rater, (Use.RATER, Use.METADATA), question)
                return

    def _doubt_scores(self) -> None:
        """Ask about scores of two scales, with a code, of a machine, or of how sure a rater is."""
        scores = [path for path in self.of(Use.SCORE) if self.before[path].use is not Use.SCORE]
        self._doubt_codes(scores)
        for path in self.of(Use.SCORE):
            if path not in scores:
                continue
            column = self.columns[path]
            question = ""
            if other := self._other_text(path):
                words = _("is it a score of the response, or of “%(column)s”?")
                question = filled(words, column=other)
            elif column.has_scales:
                question = _("its scores are of several scales: is it a score?")
            elif self.by_rows and len(scores) > 1 and is_self_doubt(column.name):
                question = _("is it a score, or how sure the rater is?")
            elif self.by_rows and is_machine(column.name) and not self._is_of_response(path):
                question = _("is it a score of the rater, or of a model?")
            if question:
                self._ask(path, (Use.SCORE, Use.UNUSED), question)

    def _doubt_codes(self, scores: Sequence[str]) -> None:
        """Ask once whether numbers such as -99 mean no answer. The scoring has them as such."""
        coded = [path for path in scores if self.columns[path].codes]
        codes: set[int] = set()
        for path in coded:
            codes.update(self.columns[path].codes)
        self.codes = [*map(str, sorted(codes))]
        words = _("is it a score? %(codes)s then means no answer, unless you say otherwise below")
        for path in coded:
            question = filled(words, codes=", ".join(self.codes))
            group = coded[0] if path != coded[0] else ""
            self._ask(path, (Use.SCORE, Use.UNUSED), question, group=group)

    def _is_of_response(self, path: str) -> bool:
        """Tell whether a column says of which response its scores are."""
        return bool(self.rating_keys.get(path, RatingKey()).response)

    def _other_text(self, path: str) -> str:
        """Return the column of another text than the response after which a score is named."""
        name = fold(last_name(path))
        if self._is_of_response(path):
            return ""
        answers = [fold(last_name(answer)) for answer in self.of(*ANSWERING)]
        if name.startswith(tuple(answers)):
            return ""
        texts = [*self.of(*BESIDE), *self.of(Use.UNDECIDED)]
        for text in texts:
            title = fold(last_name(text))
            if text not in self.choices and title and name != title and name.startswith(title):
                return text
            is_prompt = self.uses[text] in PROMPTS
            if is_prompt and name.startswith(("prompt", "question", "instruction")):
                return text
        return ""

    def _leave_models(self) -> None:
        """Leave out the models that gave numbers: `quality.suggestion.agent`."""
        for path in self.of(Use.MODEL):
            parent = self.columns.get(path.rpartition(".")[0])
            if parent and parent.is_numeric:
                self._take(path, Use.METADATA, _("looks like scores of a model"))
