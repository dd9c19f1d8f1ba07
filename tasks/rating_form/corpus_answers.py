"""Answers about a corpus (DQ-11) on a page, compared with the recorded ones.

One answer applies to all items of a batch, so another page may change it while this page is open.
Each page posts the revision that it was shown. That number shows whether the annotator changed
the answer there or left it unchanged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .fields import revision_of
from .item_view import ItemView

NUMBER = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Recorded:
    """The answer on the page and the revisions recorded of it."""

    given: str  # on the page; "" for none
    shown: int  # revision that the page was shown; 0 for none
    revisions: tuple[str, ...] = ()  # oldest first

    @property
    def revision(self) -> int:
        """The number of the newest revision."""
        return len(self.revisions)

    @property
    def newest(self) -> str:
        return self.revisions[-1] if self.revisions else ""

    @property
    def is_untouched(self) -> bool:
        """True if the page has no answer, or still the one it was shown."""
        return not self.given or self.given in self.revisions[: self.shown][-1:]

    @property
    def stands(self) -> str:
        """The answer to use: the one on the page if changed there, else the newest recorded."""
        return self.newest if self.is_untouched else self.given

    @property
    def is_change(self) -> bool:
        """True if the page gives the first answer or changes the newest one."""
        return self.stands != self.newest and self.shown >= self.revision

    @property
    def is_contradicted(self) -> bool:
        """True if this page and another one changed the answer differently: a conflict."""
        return self.stands != self.newest and not self.is_change


NOT_RECORDED = Recorded("", 0)


def recorded_answers(desk: ItemView, answers: Mapping[str, str]) -> dict[str, Recorded]:
    """Return the answers to all questions about a corpus, by field name."""
    found = {}
    for name in desk.corpus_fields:
        shown = answers.get(revision_of(name), "")
        found[name] = Recorded(
            answers.get(name, ""),
            int(shown) if NUMBER.fullmatch(shown) else 0,
            desk.recorded.get(name, ()),
        )
    return found
