"""What annotators do before they submit: drafts are saved, here and elsewhere, warnings are read,
and a day comes to its end."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.desk_page import Page

from .person import Complaint, Person, controls
from .wire import Tab, Where

# Fields of the form that a draft has no answer in.
BESIDE = (
    "csrfmiddlewaretoken",
    "seen",
    "active_seconds",
    "draft_writer",
    "draft_number",
    "draft_shown",
)


@dataclass
class Drafting(Person):
    """The part of an annotator that knows of drafts, warnings and limits."""

    def draft(self) -> None:
        """Save the form as it stands, a few times; now and then over a connection that breaks."""
        for _ in range(self.chance.choice((1, 2, 3))):
            fields, intent = self._part(self.page)
            if self.chance.random() < 0.15:
                where = self.chance.choice(list(Where))
                self.counts[f"draft cut {where}"] += 1
                self.tabs[0].break_off(f"{self.page.path}draft/", fields, where, self.chance)
            else:
                self._save(self.page, fields, intent, self.tabs[0])
        if self.chance.random() < 0.5:
            self._look()

    def draft_elsewhere(self) -> None:
        """The item open twice: what is saved there stays, whatever is saved or submitted here, and
        a link leads to it."""
        here = self.page
        there = Page(self._persist(lambda: self._ask("GET", self.desk_path)).page)
        if there.lease != here.lease or not there.writer:
            return self._look()  # the clock has passed its end meanwhile
        if self._save(there, *self._part(there), self.tabs[1]) != 200:
            return self._look()
        self._save_beside(here)
        if self.chance.random() < 0.5:
            form = self._fill(here)
            answer = self._try(f"{here.path}submit/", form.fields, self.tabs[0])
            if answer is None:
                self.unsure.add(form.lease)
            elif answer.status == 409:
                self.journal.note(refused=form.intent)
            else:
                self.journal.acknowledge(form.intent)
                self.leases.add(form.lease)
                self.counts["ratings beside a draft"] += 1
        self._look()
        return None

    def _save_beside(self, here: Page) -> None:
        settled = not self.drafts.is_open(here.item) and here.lease not in self.unsure
        fields, intent = self._part(here)
        answer = self._try(f"{here.path}draft/", fields, self.tabs[0])
        if answer is None:
            return
        if answer.status == 409:
            self._refused(here.item, fields, intent)
            if not self._may_be_rated(here.lease, answer):
                raise Complaint(f"a draft of lease {here.lease} was refused, and it has no rating")
            return
        self.journal.acknowledge(intent)
        self.drafts.acknowledge(here.item, fields["comment"])
        self.counts["drafts beside another"] += 1
        if settled and not Page(answer.page).links_to_versions:
            raise Complaint(f"a draft of lease {here.lease} has no link to the one saved elsewhere")

    def _part(self, page: Page) -> tuple[dict[str, str], int]:
        """The form half filled in, and the number of its entry in the journal."""
        fields, _said = self._answers(page.fields, page.targets)
        for name in [name for name in fields if "." in name and self.chance.random() < 0.4]:
            del fields[name]
        self.sent += 1
        control = controls(page, self.sent)
        fields |= control
        answers = {name: value for name, value in fields.items() if value and name not in BESIDE}
        intent = self.journal.intend(
            "draft", lease=page.lease, item=page.item, answers=answers, page=control
        )
        self.drafts.send(page.item, fields["comment"], page.writer)
        return fields, intent

    def _save(self, page: Page, fields: dict[str, str], intent: int, tab: Tab) -> int:
        """Send a draft, alone or with the question for a verdict; the answer's status, 0 where none
        came."""
        path = "draft/"
        if self.chance.random() < 0.7:
            path = f"verdict/?row={self.chance.choice(page.targets)}-quality"
        answer = self._try(page.path + path, fields, tab)
        if answer is None:
            return 0
        if answer.status == 409:
            self._refused(page.item, fields, intent)
            if not self._may_be_rated(page.lease, answer):
                raise Complaint(f"a draft of lease {page.lease} was refused, and it has no rating")
            return 409
        self.journal.acknowledge(intent)
        self.counts["acknowledged drafts"] += 1
        self.drafts.acknowledge(page.item, fields["comment"])
        return answer.status

    def _refused(self, item: str, fields: dict[str, str], intent: int) -> None:
        self.journal.note(refused=intent)
        self.drafts.refuse(item, fields["comment"])

    def _uncover(self, *, skips: bool) -> None:
        """Open an item that has a warning, or skip it; before that, ask for what is not to be had
        yet."""
        page = self.page
        if page.shows_texts:
            raise Complaint(f"the texts of lease {page.lease} are shown before they are opened")
        if self.chance.random() < 0.2:
            self._rate_covered(page)
        if skips and self.chance.random() < 0.15:
            self.journal.intend("skip", lease=page.lease, reason="distressing")
            self._post(f"{page.path}skip/", {"reason": "distressing"}, htmx=self._htmx())
        else:
            self.counts["opened"] += 1
            self.journal.intend("open", lease=page.lease)
            self._post(page.opening, {}, htmx=self._htmx())
        self._look()

    def _rate_covered(self, page: Page) -> None:
        """Whatever comes before the item is opened is not taken, and no text is shown."""
        fields, _said = self._answers({}, ("r1", "r2"))
        self.journal.intend("blind", lease=page.lease, comment=fields["comment"])
        path = self.chance.choice(("submit/", "verdict/?row=r1-quality", "verdict/"))
        answer = self._post(page.path + path, fields)
        if answer is None:
            return
        after = Page(answer.page)
        if after.shows_texts or not after.opening:
            raise Complaint(f"{path} of lease {page.lease} was heard before the item was opened")

    def _told_of_a_limit(self, drain: bool) -> bool:
        """Whether the day is over. That it is true is held against the tables."""
        if not self.page.limit:
            return False
        if drain:
            raise Complaint(
                f"was told of a limit that the lead had taken away: {self.page.words[:200]}"
            )
        self.counts[f"limit {self.page.limit}"] += 1
        self.journal.note(limit=self.page.limit)
        return True
