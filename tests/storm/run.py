"""One storm: what is done next is drawn by a seed; what is wrong is written down with the trail to
it."""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from playwright.sync_api import Error, TimeoutError

from tasks.models import Item

from . import acts, checks
from .around import NAME, Around, entered
from .device import Device, State
from .network import Fault, Network

TRAIL = 60  # steps that are told of
SENT = 16  # forms likewise
MOST_BREACHES = 3
LONGEST, MOST_STEPS = 3_600.0, 1_000_000  # seconds
LONGEST_QUESTION = 8_000.0  # milliseconds until one is signed out, or asked whether one means it
MOST_QUESTIONS = 6  # of a page that comes to its end
SIGN_OUT = "form[action*='logout'] button"
OUTAGE = 6  # steps, about, for which the network is away
# What is done beside the acts of `acts`, likewise of a hundred times.
EVENTS = {
    "rest": 7,
    "reload": 4,
    "cut": 3,
    "break_one": 7,
    "turn_to_the_other": 7,
    "rate_beside": 6,
    "let_the_log_in_end": 1.2,
    "log_out": 0.8,
    "let_the_lease_end": 1.5,
    "restart": 0.5,
}


@dataclass
class Storm:
    """`revive`: kills the server and starts it again; None where there is none to kill."""

    around: Around
    network: Network
    devices: list[Device]
    chance: random.Random
    revive: Callable[[], None] | None = None
    breaches: list[str] = field(default_factory=list)
    trail: deque[str] = field(default_factory=lambda: deque(maxlen=TRAIL))
    counts: Counter[str] = field(default_factory=Counter)
    steps: int = 0

    def __post_init__(self) -> None:
        self.device = self.devices[0]
        for device in self.devices:
            device.note = self.note

    def note(self, words: str) -> None:
        self.trail.append(f"{self.steps:5} {words}")

    def breach(self, words: str) -> None:
        self.note(f"BREACH: {words}")
        trail = [f"    {line}" for line in self.trail]
        sent = [f"      {each}" for each in self.network.log[-SENT:]]
        self.breaches.append("\n".join([words, *trail, "    sent:", *sent]))

    def run(
        self,
        *,
        seconds: float = LONGEST,
        steps: int = MOST_STEPS,
        most_breaches: int = MOST_BREACHES,
    ) -> None:
        """Go on until the time is over, or all steps are done, or so much is broken; and then the
        end, at which all must be right."""
        self._log_everyone_in()
        deadline = time.monotonic() + seconds
        while (
            time.monotonic() < deadline
            and self.steps < steps
            and len(self.breaches) < most_breaches
        ):
            self.steps += 1
            try:
                self.step()
            except Error as error:  # what should have come did not
                self.breach(f"{str(error)[:300]}; on {self.device.name}: {self.device.state()}")
            self._look_for_errors()
        if not self.breaches:
            self._end()

    def step(self) -> None:
        if self.network.is_down and self.chance.random() < 1 / OUTAGE:
            self.heal()
        state = self.device.state()
        if not self._is_at_the_form(state):
            return
        if state.conflict and self.chance.random() < 0.5:
            self._do("choose", lambda: acts.choose(self.device, self.chance))
            return
        [name] = self.chance.choices([*acts.ACTS, *EVENTS], [*acts.ACTS.values(), *EVENTS.values()])
        if name in EVENTS:
            self._do(name, getattr(self, name))
            return
        self._do(name, lambda: getattr(acts, name)(self.device, self.chance))

    def _do(self, name: str, act: Callable[[], str | None]) -> None:
        self.note(f"{self.device.name} {name}")
        self.counts[name] += 1
        what = act()
        self.note(f"{self.device.name} {name}: {what or '-'}")

    def _is_at_the_form(self, state: State) -> bool:
        """Whether there is something to rate; else one step towards it is taken."""
        device = self.device
        if state.lease and not (state.login or state.covered or state.signed_anew):
            if state.dialog:
                device.press("Escape")
            return True
        if self.network.is_down:
            self.heal()
        self.note(
            f"{device.name} goes on from"
            f" {'the log-in' if state.login else state.item or 'elsewhere'}"
        )
        if state.login:
            self.counts["log in"] += 1
            acts.log_in(device, NAME)
        elif state.covered:
            device.click(
                ".covered .primary" if self.chance.random() < 0.8 else ".covered .secondary"
            )
        elif state.start:
            device.click("form[action$='/start/'] button")
        elif state.signed_anew or not state.idle:
            device.open()
        else:
            self.around.ask_for_nothing()
            device.page.wait_for_timeout(50)
            device.open()
        if device.rest() is None:
            self.breach(f"{device.name} does not come to rest: {device.state()}")
        return False

    def _since(self, device: Device) -> float:
        return self.network.pages.get(device.name, 0)

    # --- what happens, beside what is done at the form ---

    def heal(self) -> None:
        """The network is back."""
        self.network.is_down = False
        self.network.faults.clear()
        self.note("the network is back")

    def cut(self) -> str:
        self.network.is_down = True
        return "the network is away"

    def break_one(self) -> str:
        """The next form meets something, or the one after it too."""
        faults = self.chance.choices(list(Fault), k=self.chance.choice((1, 1, 2)))
        self.network.faults.extend(faults)
        return ", ".join(faults)

    def turn_to_the_other(self) -> str:
        self.device = next(device for device in self.devices if device is not self.device)
        self.device.page.bring_to_front()
        return self.device.name

    def rate_beside(self) -> str:
        """Write on the other device too, and submit on this one."""
        self.heal()
        other = next(device for device in self.devices if device is not self.device)
        other.open()
        if other.rest() is None or not acts.write(other, self.chance) or other.rest() is None:
            return "nothing to write in there"
        return acts.complete(self.device, self.chance)

    def rest(self) -> str:
        """Wait until nothing is left to be done, and look whether what is said is so."""
        self.heal()
        state = self.device.rest()
        if state is None:
            self.breach(f"{self.device.name} does not come to rest: {self.device.state()}")
            return ""
        for words in checks.said_on(state, self.around, self.network.log, self._since(self.device)):
            self.breach(f"{self.device.name}: {words}")
        return state.saved

    def reload(self) -> str:
        """With whatever is on its way just then."""
        since, before = self._since(self.device), self.device.state()
        if not self.device.reload():
            self.heal()
            self.device.open()
        self.network.is_down = False
        if (values := self.device.left(before.writer)) is not None:
            before = replace(before, values=values)
        self._comes_back(before, "a reload", since)
        return before.item

    def let_the_log_in_end(self) -> str:
        """Everywhere, in mid-item; what is written then comes along through the log-in."""
        self.heal()
        if self.device.rest() is None:
            return ""
        self.around.end_sessions()
        if not acts.write(self.device, self.chance):
            return "nothing to write in"
        since, before = self._since(self.device), self.device.state()
        self.device.page.wait_for_selector("[name=password]")
        acts.log_in(self.device, NAME)
        self._comes_back(before, "a log-in", since)
        return before.item

    def log_out(self) -> str:
        """Which gives back what one holds. The same item comes again, if nobody was quicker."""
        self.heal()
        before = self.device.rest()
        if before is None or before.conflict or before.login:
            return ""
        for _click in range(1 + bool(before.kept)):  # what is kept is asked about first
            if not self.device.click(SIGN_OUT):  # in the menu of the account
                self.device.click(".me")
                self.device.click(SIGN_OUT)
            with suppress(TimeoutError):
                self.device.page.wait_for_selector("[name=password]", timeout=LONGEST_QUESTION)
        kept = self.device.state().kept
        if kept:
            there = self.device.page.evaluate("JSON.stringify(localStorage)")
            self.breach(
                f"{self.device.name} keeps {kept} texts of who has logged out:"
                f" {there}, before {before}"
            )
        acts.log_in(self.device, NAME)
        self.device.open()
        return before.item

    def let_the_lease_end(self) -> str:
        """Perhaps someone else takes the item, and perhaps they rate it."""
        ended = self.around.end_lease()
        if self.chance.random() < 0.5:
            taken = self.around.let_rival_rate(submits=self.chance.random() < 0.7)
            return f"{ended} ended, and {taken} taken"
        return f"{ended} ended"

    def restart(self) -> str:
        """The server is killed, and comes again; for the browser it is away meanwhile."""
        if self.revive is None:
            return ""
        self.network.is_down = True
        self.revive()
        self.heal()
        return "another server"

    # --- what must be so ---

    def _comes_back(self, before: State, after_what: str, since: float) -> None:
        """That what stood on the screen stands there again, or is asked about. `since`: when the
        page before was asked for."""
        device = self.device
        state = device.rest()
        if state is not None and state.login:
            acts.log_in(device, NAME)
            state = device.rest()
        if state is None:
            self.breach(f"{device.name} does not come to rest after {after_what}: {device.state()}")
            return
        if not before.lease or before.conflict:
            return
        item = self.around.item_of(before.lease)
        is_here = bool(state.lease) and self.around.item_of(state.lease) == item
        if is_here and state.values == before.values:
            return
        there = [entered(draft.answers) for draft in self.around.drafts_of(item)]
        values = entered(before.values)
        if any(item.external_id in about.split() for about in state.panels):  # it was rated since
            self.counts["saved beside a rating"] += 1
            if not any(values.items() <= each.items() for each in there):
                self.breach(
                    f"after {after_what} {item} has {there} beside its rating, not {values}"
                )
            return
        if state.conflict and is_here:
            self.counts["conflicts after a page came back"] += 1
            self.breach(
                checks.differing(f"after {after_what} both versions are shown, but", before, state)
            )
            return
        if self._others_wrote(item, since, before.writer) or self.around.is_rated(item):
            return
        if is_here:
            # Offline one may answer what forces a score that was given before. That score is saved,
            # and shown no more.
            unseen = checks.forced(self.around.project.rubric, state.values)
            stays = {name: value for name, value in before.values.items() if name not in unseen}
            is_saved = any(values.items() <= each.items() for each in there)
            if stays != state.values or not is_saved:
                self.breach(checks.differing(f"after {after_what}", before, state))
            return
        if values not in (there or [{}]):
            self.breach(
                f"after {after_what} {item} is with nobody, its drafts {there}; not {values}"
            )

    def _others_wrote(self, item: Item, since: float, writer: str) -> bool:
        """Whether another page has sent anything of an item that this page had not been shown: on
        another device, or an earlier one whose form this browser kept."""
        leases = self.around.leases()
        return any(
            (sent.device != self.device.name or sent.writer not in ("", writer))
            and leases.get(sent.lease) == item.pk
            and sent.arrived
            and sent.ended > since
            for sent in self.network.log
        )

    def _look_for_errors(self) -> None:
        for device in self.devices:
            while device.errors:
                self.breach(f"{device.name} has an error in its console: {device.errors.pop(0)}")

    def _log_everyone_in(self) -> None:
        for device in self.devices:
            device.open()
            acts.log_in(device, NAME)
            device.open()

    def _settle(self, device: Device) -> None:
        """Have done with all that a page asks for; what it has to say is said by then."""
        for _ in range(MOST_QUESTIONS):
            state = device.rest()
            if state is None:
                self.breach(f"{device.name} does not come to rest in the end: {device.state()}")
                return
            if state.login:
                acts.log_in(device, NAME)
                device.open()
            elif state.conflict:
                acts.choose(device, self.chance)
            else:
                return

    def _end(self) -> None:
        """All is well again: each device comes to rest, both show what is saved, the tables have it
        all."""
        self.steps += 1
        self.heal()
        for device in self.devices:
            self._settle(device)
        self.network.wait_until_idle()
        for device in self.devices:
            device.open()
            state = device.rest()
            if state is None or state.conflict:
                self.breach(f"{device.name} is not done in the end: {device.state()}")
            else:
                for words in checks.said_on(
                    state, self.around, self.network.log, self._since(device)
                ):
                    self.breach(f"{device.name} in the end: {words}")
                if state.lease:
                    self._look_for_versions(state, self.around.item_of(state.lease))
        for words in checks.of_ratings(self.around, self.devices):
            self.breach(words)
        for words in checks.of_drafts(self.around, self.network.log, self.network.corrections):
            self.breach(words)
        for rating in self.around.ratings():  # what was saved is one link away from its rating too
            if rating.revision == 1 and self.around.drafts_of(rating.item):
                self.counts["ratings with other versions"] += 1
                self.device.page.goto(f"{self.device.url}../ratings/{rating.pk}/")
                if self.device.state().login:
                    acts.log_in(self.device, NAME)
                self._look_for_versions(self.device.state(), rating.item)

    def _look_for_versions(self, state: State, item: Item) -> None:
        for words in checks.not_linked(state, self.around, item):
            self.breach(f"of {item} nothing leads to {words} from {state}")
