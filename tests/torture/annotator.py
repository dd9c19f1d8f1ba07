"""One annotator: rates, and does everything that people, browsers and networks do meanwhile.

What is written down (`journal`): an intent with the lease and every answer before each request that
stores something, and its number again once the program said that it has it. A promise that is seen
to be broken on the spot (no answer at all, an error that is none to be sent again, another answer
the second time) is written down as a complaint.
"""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, replace

from benchmarks.desk_page import Page

from .drafting import Drafting
from .habits import HABITS, REASONS, Form
from .person import LONGEST_OUTAGE, Complaint, Unavailable
from .wire import Cut, Hang, Tab, Where


@dataclass
class Annotator(Drafting):
    """Who works until it is over."""

    def work(self, *, drain: bool = False) -> None:
        """Until it is over; or, to drain, rate and little else until there is nothing left."""
        self._log_in()
        try:
            self._look()
            while not self.over.is_set():
                if self.page.opening:
                    self._uncover(skips=not drain)
                elif self.page.lease:
                    [habit] = self.chance.choices([*HABITS], [*HABITS.values()])
                    if (
                        drain
                    ):  # some save a draft first, so that the slowest machine has seen that too
                        habit = "draft" if habit != "rate" and not self.counts["draft"] else "rate"
                    self.counts[habit] += 1
                    getattr(self, habit)()
                elif self.page.start:
                    self._start()
                elif self.page.practice:
                    self._practise()
                elif self._told_of_a_limit(drain) or (drain and self.page.says_nothing_left):
                    return
                else:
                    self._told_to_wait(drain)
        except (Complaint, Hang) as complaint:
            self._complain(str(complaint))
        except Exception as error:  # a fault of the torture's own; it must not end in silence
            self._complain(
                f"{error!r} at"
                f" {error.__traceback__ and traceback.extract_tb(error.__traceback__)[-1]}"
            )
        finally:
            for tab in self.tabs:
                tab.close()
            self.journal.close()

    # --- what an annotator does ---

    def rate(self) -> None:
        """Fill the form in and send it."""
        self._send_until_taken(self._fill(), self.tabs[0])

    def rate_twice_at_once(self) -> None:
        """A double click: the answers must be the same."""
        form = self._fill()
        answers = self._at_once(lambda tab: self._send(form, tab))
        following = {page.lease for page in answers if page is not None}
        if (
            len(following) > 1
        ):  # the clock may have passed between them: for those who read the journal
            self.journal.note(differ=sorted(following), lease=form.lease)
        self._look()

    def rate_in_two_tabs(self) -> None:
        """The same item open twice, with other answers. One of them is stored and stays."""
        forms = {0: self._fill(), 1: self._fill()}
        if self.chance.random() < 0.5:
            self._at_once(lambda tab: self._send(forms[self.tabs.index(tab)], tab))
        else:
            for number, form in forms.items():
                self._send(form, self.tabs[number])
        self._look()

    def send_again(self) -> None:
        """A form that was stored before: out of the history, by the back button."""
        if self.stored:
            form = self.chance.choice(self.stored[-6:])
            self._send_until_taken(form, self.tabs[0])
        if self.page.lease and not self.page.opening:
            self.rate()

    def break_off(self) -> None:
        """Send it over a connection that breaks; then once more, or look what is there."""
        form = self._fill()
        where = self.chance.choice(list(Where))
        self.counts[f"cut {where}"] += 1
        self.journal.note(cut=where, intent_number=form.intent)
        self.unsure.add(form.lease)
        self.tabs[0].break_off(form.path + "submit/", form.fields, where, self.chance)
        if self.chance.random() < 0.5:
            self._send_until_taken(form, self.tabs[0])
        else:
            self._look()

    def dawdle(self) -> None:
        """Take long: the clock may pass the lease's end."""
        self.over.wait(self.chance.uniform(0.5, 3))

    def renew(self) -> None:
        """The heartbeat."""
        answer = self._post(f"{self.page.path}renew/", {}, allowed={204, 409})
        if answer is None or answer.status == 409:
            self._look()

    def skip(self) -> None:
        """Give the item back, with a reason; now and then by a double click."""
        fields = {"reason": self.chance.choice(REASONS), "note": "cannot say"}
        path = f"{self.page.path}skip/"
        intent = self.journal.intend("skip", lease=self.page.lease, reason=fields["reason"])
        if self.chance.random() < 0.5:
            self._at_once(lambda tab: self._post(path, fields, tab=tab))
        elif self._post(path, fields, htmx=self._htmx()) is not None:
            self.journal.acknowledge(intent)
        self._look()

    def flag(self) -> None:
        """Say that something is odd, and keep the item."""
        reason = self.chance.choice(REASONS)
        intent = self.journal.intend("flag", lease=self.page.lease, reason=reason)
        fields = {"reason": reason, "note": ""}
        if self._post(f"{self.page.path}flag/", fields, htmx=self._htmx()) is not None:
            self.journal.acknowledge(intent)

    def correct(self) -> None:
        """Change one's mind about what was stored before; perhaps in two tabs, from the same
        revision."""
        if not self.stored:
            return self.rate()
        before = self.chance.choice(self.stored[-6:])
        before.rating = before.rating or self._rating_of(before)
        forms = [self._corrected(before) for _ in range(self.chance.choice((1, 1, 2)))]
        taken = [form for form in forms if self._send_correction(form)]
        if len(taken) > 1:
            self._complain(
                f"two corrections of revision {before.revision} of lease {before.lease} were taken"
            )
        self._look()
        return None

    def log_out(self) -> None:
        """And in again, as long as there are sessions left."""
        if len(self.sessions) < 2:
            return self.rate()
        self._post("/accounts/logout/", {}, allowed={200, 302}, htmx=False)
        self.sessions.pop(0)
        self._log_in()
        self._look()
        return None

    # --- how it is done ---

    def _start(self) -> None:
        """A double click on the button: one item all the same."""
        path = self.page.start
        self._at_once(lambda tab: self._post(path, {}, tab=tab, htmx=self._htmx()))
        self._look()

    def _practise(self) -> None:
        """A double click on the button of practice: one round; then a lead lets one in."""
        path = self.page.practice
        self._at_once(lambda tab: self._post(path, {}, tab=tab, htmx=self._htmx()))
        self.counts["practised"] += 1
        self.over.wait(0.3)
        self._look()

    def _told_to_wait(self, drain: bool) -> None:
        """There is nothing for one: while others work there is always something, as much as was
        uploaded."""
        self.counts["told to wait"] += 1
        self.journal.note(told=self.page.words[:300])
        if not drain and self.page.says_nothing_left:
            raise Complaint(f"was told that nothing is left: {self.page.words[:200]}")
        self.over.wait(0.3)
        self._look()

    def _rating_of(self, form: Form) -> str:
        """Where what was stored lies among one's own ratings."""
        listed = self._persist(
            lambda: self._ask("GET", self.desk_path.replace("/desk/", "/ratings/"))
        )
        for path in Page(listed.page).ratings_of(form.item):
            rating = self._persist(lambda path=path: self._ask("GET", path))  # type: ignore[misc]
            if f"{form.path}texts/" in rating.page:
                return path
        raise Complaint(f"what was stored of lease {form.lease} is not among one's own ratings")

    def _corrected(self, before: Form) -> Form:
        targets = tuple(
            dict.fromkeys(name.partition(".")[0] for name in before.fields if ".quality" in name)
        )
        empty = {name: value for name, value in before.fields.items() if ".quality" not in name}
        fields, said = self._answers(empty, targets)
        fields["revision"] = str(before.revision)
        intent = self.journal.intend(
            "correct",
            lease=before.lease,
            comment=fields["comment"],
            said=said,
            based_on=before.revision,
        )
        return replace(before, fields=fields, intent=intent)

    def _send_correction(self, form: Form) -> bool:
        """Whether it was taken; sent twice now and then, which must give the same."""
        taken = False
        for _ in range(self.chance.choice((1, 1, 2))):
            answer = self._persist(
                lambda: self._ask(
                    "POST",
                    f"{form.rating}correct/",
                    form.fields,
                    allowed={200, 302, 409},
                    htmx=self._htmx(),
                )
            )
            if taken and answer.status == 409:
                raise Complaint(f"a correction of lease {form.lease} was taken, and then refused")
            if answer.status != 409:
                taken = True
                self.journal.acknowledge(form.intent)
                self.counts["acknowledged corrections"] += 1
        if taken:
            revised = replace(form, revision=form.revision + 1)
            self.stored = [revised if each.lease == form.lease else each for each in self.stored]
        return taken

    def _send(self, form: Form, tab: Tab) -> Page | None:
        """Send a form once; the desk that follows, where it was taken."""
        htmx = self._htmx()
        try:
            path = f"{form.path}submit/"
            answer = self._ask(
                "POST", path, form.fields, tab=tab, allowed={200, 302, 409}, htmx=htmx
            )
        except (Cut, Unavailable):
            self.unsure.add(form.lease)
            return None
        except Complaint as complaint:
            self._complain(str(complaint))
            return None
        if answer.status == 409:
            form.refused = True
            self.journal.note(refused=form.intent)
            if not self._may_be_rated(form.lease, answer):
                self._complain(f"a form of lease {form.lease} was refused, and it has no rating")
            return None
        page = Page(answer.page)
        if answer.status == 200 and page.lease == form.lease:
            self._complain(
                f"a whole form of lease {form.lease} was not taken: {page.refusal[:600]}"
            )
            return None
        self.journal.acknowledge(
            form.intent, lease=form.lease, next=page.lease, plain=answer.status == 302
        )
        self.leases.add(form.lease)
        if form.lease not in {each.lease for each in self.stored}:
            self.stored.append(form)
        return page if answer.status == 200 else None

    def _send_until_taken(self, form: Form, tab: Tab) -> None:
        """Send the same again after an error, as often as it takes; or give up, now and then, and
        look."""
        given_up = time.monotonic() + LONGEST_OUTAGE
        while self.chance.random() < 0.9:
            if (page := self._send(form, tab)) is not None:
                self._check_shown(page)
                self.page = page
                return
            if form.lease in self.leases or form.lease in self.gone or form.refused:
                break
            if time.monotonic() > given_up:
                raise Complaint(
                    f"lease {form.lease} could not be submitted in {LONGEST_OUTAGE:.0f} s"
                )
            time.sleep(self.chance.uniform(0.1, 0.6))
        self._look()
