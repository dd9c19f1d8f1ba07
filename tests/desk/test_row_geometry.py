"""Where everything in a row of the desk stands, in every state that the row can have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest
from playwright.sync_api import BrowserContext, ViewportSize, expect

from rubrics.documents import document
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Effect, Kind
from rubrics.models import Rubric
from tests.checkers import LOOKS, look
from tests.desk_keys import log_in, resize, settle, take_item
from tests.factories import (
    FIXTURES,
    NOW,
    make_batch,
    make_item,
    make_project,
    make_rubric,
    make_user,
)
from tests.made_rubrics import ANSWERS, SKILLS, WORDS

# A laptop, and a phone. In a wider window a row is as wide as on the laptop.
WINDOWS = [ViewportSize(width=1280, height=580), ViewportSize(width=390, height=844)]
PERSONA = ["I keep bees.", "I work nights at a bakery, and my favourite colour is orange."]
TWICE = "She works at the harbour. She works at the harbour."

# `make journeys ONLY=gallery` opens the desks of them all.
PUBLISHED = sorted(FIXTURES.glob("rubrics/*.yaml"))
# A published rubric is looked at in these: a laptop, and the phone.
SIZES = [ViewportSize(width=1280, height=720), WINDOWS[1]]

# What is wrong in the rows on the page: controls and titles that overlap, what leaves its row, a
# label on the wrong side of its answers, a scale alone that is narrow, words that are broken, and
# text that is cut. A row that has not changed since it was looked at is passed over.
FAULTS = """() => {
  globalThis.known ??= new Set();
  for (const panel of document.querySelectorAll(".panel")) panel.scrollTop = panel.scrollHeight;
  const faults = [];
  const box = (it) => it.getBoundingClientRect();
  const isSeen = (it) => it.checkVisibility({ visibilityProperty: true }) && it.offsetWidth > 1;
  const isIn = (one, around) =>
    one.left >= around.left - 1 && one.right <= around.right + 1 &&
    one.top >= around.top - 1 && one.bottom <= around.bottom + 1;
  const overlap = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  for (const row of document.querySelectorAll(".target.current :is([data-row], .beside)")) {
    const all = (selector, root = row) => [...root.querySelectorAll(selector)].filter(isSeen);
    const name = (it) => `${row.id} ${it.textContent.trim().replace(/\\s+/g, " ").slice(0, 40)}`;
    const whole = box(row);
    const chosen = [...row.querySelectorAll(":checked")].map((it) => it.id);
    const now = [innerWidth, whole.width, whole.height, ...chosen, row.outerHTML].join();
    if (known.has(now)) continue;
    known.add(now);
    const controls = all(
      "label, button, summary, a, textarea, select, li > input, h3, .in-words, .asks, .ends > span",
    ).map((one) => [one, [...one.getClientRects()]]);
    controls.forEach(([one, boxes], at) => {
      if (!boxes.every((each) => isIn(each, whole))) faults.push(`leaves its row: ${name(one)}`);
      for (const [other, others] of controls.slice(at + 1)) {
        if (!boxes.some((each) => others.some((next) => overlap(each, next)))) continue;
        if (!one.contains(other) && !other.contains(one))
          faults.push(`overlap: ${name(one)} / ${name(other)}`);
      }
    });
    const scale = row.querySelector(".scale:not(.number)");
    if (scale && !row.querySelector(".answers") && box(scale).width < 0.9 * whole.width)
      faults.push(`narrow: ${row.id}`);
    for (const question of all(".question, .tick-group")) {
      const [label] = all(".wording, .consequence", question);
      const answers = box(question.querySelector(".segmented, .consequence + div"));
      const its = box(label);
      const isLeft = its.right <= answers.left + 1;
      const isAbove = its.bottom <= answers.top + 1 && its.left <= answers.left + 1;
      const isInLine = its.top < answers.bottom && its.bottom > answers.top;
      if (!isAbove && !(isLeft && isInLine))
        faults.push(`not before its answers: ${name(label)}`);
    }
    const found = new Map([[row, [whole]]]);
    const around = (it) => {
      if (!found.has(it)) {
        const cuts = getComputedStyle(it).overflow !== "visible" || it.matches("label, button");
        found.set(it, [...around(it.parentElement), ...(cuts ? [box(it)] : [])]);
      }
      return found.get(it);
    };
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      const holder = text.parentElement;
      if (!text.data.trim() || holder.closest("textarea, .visually-hidden, legend")) continue;
      if (!isSeen(holder) || getComputedStyle(holder).clipPath !== "none") continue;
      const range = document.createRange();
      for (const word of text.data.matchAll(/[^\\s-]+/g)) {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const boxes = [...range.getClientRects()];
        if (new Set(boxes.map((each) => Math.round(each.top))).size > 1)
          faults.push(`broken: ${word[0]} in ${name(holder)}`);
        if (!around(holder).every((outer) => boxes.every((each) => isIn(each, outer))))
          faults.push(`cut: ${name(holder)}`);
      }
    }
  }
  return [...new Set(faults)];
}"""
# Answer a row anew, as if each of these had been chosen by hand, and have it judged.
ANSWER = """([row, chosen, score]) => {
  const place = document.getElementById(row);
  evenhand.mark(place);
  place.focus({ preventScroll: true });
  for (const each of place.querySelectorAll(".answers input, .scale input"))
    each.checked = chosen.includes(each.id) || each.id === `${row}-${score}`;
  place.querySelector("[data-judge]").dispatchEvent(new Event("change", { bubbles: true }));
}"""
REFUSED = "() => document.getElementById('submit').click()"
# Give every row the score whose label is the longest, and every question its longest answer.
LONGEST = """() => {
  for (const row of document.querySelectorAll(".target.current [data-row]"))
    for (const places of [...row.querySelectorAll(".segmented"), row.querySelector(".scale")]) {
      const labels = [...(places?.querySelectorAll("label") ?? [])];
      labels.sort((one, other) => other.textContent.length - one.textContent.length);
      labels[0]?.control.click();
    }
}"""


def controls(dimension: Dimension, facts: Iterable[str]) -> set[str]:
    """The ends of the ids of what asserts these facts."""
    ends = {
        answer.sets: f"{check.code}-{answer.code}"
        for check in dimension.checks
        for answer in check.answers
    }
    return {ends.get(fact, fact) for fact in facts}


def best_answers(dimension: Dimension) -> set[str]:
    asked = (check for check in dimension.checks if check.needs_answer)
    return {f"{check.code}-{check.best or check.answers[-1].code}" for check in asked}


def states(dimension: Dimension) -> Iterator[tuple[set[str], int | None]]:
    """Yield the controls that are chosen in each state, and the score: each answer, each tick with
    a score that it mostly bars, what is automatic, clashes or is remarked on, and all at its best.
    """
    best = best_answers(dimension)
    detected = {check.code for check in dimension.detected_checks}
    for check in dimension.checks:
        for answer in check.answers:
            yield {f"{check.code}-{answer.code}"}, None
        if check.kind is Kind.TICK:
            yield {check.code, *best}, dimension.highest
    for rule in dimension.rules:
        facts = {*rule.when.all_of, *rule.when.any_of[:1]}
        if facts & detected or rule.between:
            continue
        if rule.effect is Effect.FORCE:
            yield controls(dimension, facts), None
        for against in rule.against:
            yield controls(dimension, {*facts, against}), None
        if rule.effect is Effect.ADVISE:
            yield controls(dimension, facts), rule.scores[0]
    yield best, dimension.highest


# Wide letters are the worse for the longer words of the one, tall lines for the many rows of the
# other.
@pytest.mark.parametrize(
    ("browser", "slug"),
    [("dejavu", "response-quality"), ("noto", "dialogue")],
    indirect=["browser"],
)
def test_every_state_of_every_row_is_laid_out_whole(
    request: pytest.FixtureRequest, new_context: Callable[..., BrowserContext], slug: str
) -> None:
    """No control overlaps another or leaves its row, a label stands left of its answers or above
    them, no word is broken and no text is cut. Tall lines are looked at on the laptop, where rows
    are lowest."""
    is_tall = request.node.callspec.params["browser"] == "noto"
    windows = WINDOWS[:1] if is_tall else WINDOWS[:]
    rubric = make_rubric(slug=slug)
    project = make_project(slug="rows", rubric=rubric, annotators=[make_user(name="ada")])
    batch = make_batch(project=project)
    is_talk = slug == "dialogue"
    for number in range(6 if is_talk else 1):
        make_item(
            batch=batch,
            prompt=f"And day {number}?",
            persona=PERSONA if is_talk else [],
            responses=[("gull", TWICE), ("gull", f"{TWICE} Yes.")] if is_talk else [TWICE],
        )
    page = new_context().new_page()
    page.set_viewport_size(windows[0])
    log_in(page, "ada")
    take_item(page, "rows")
    faults: dict[str, list[str]] = {}
    seen: set[str] = set()

    def look_at(state: str) -> None:
        settle(page)
        for window in windows:
            if window != page.viewport_size:
                resize(page, window)
            for fault in page.evaluate(FAULTS):
                faults.setdefault(fault, []).append(f"{state} at {window['width']}")
        windows.reverse()  # the next state begins in the window that this one ends in

    def answer(row: str, chosen: set[str], score: int | None) -> None:
        page.evaluate(ANSWER, [row, [f"{row}-{each}" for each in sorted(chosen)], score])
        settle(page)

    expect(page.locator("[data-row].current")).to_be_visible()
    look_at("untouched")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#errors")).to_be_focused()
    expect(page.locator(".detection:visible").first).to_be_visible()
    look_at("refused and asked")
    if not is_talk:
        page.locator(".facts summary").click()
        page.locator(".comment summary").click()
        look_at("fact check")
    for target in ("r1", "s1"):
        for dimension in rubric.schema.dimensions:
            row = f"{target}-{dimension.code}"
            if not page.locator(f"#{row}").count():
                continue
            seen.add(row)
            for chosen, score in states(dimension):
                answer(row, chosen, score)
                look_at(f"{row} {sorted(chosen)} {score}")
                for lines in page.locator(f"#{row} .marks:not([open]):visible summary").all():
                    lines.click()
                    look_at(f"{row} {sorted(chosen)} with its lines")
            for level in page.locator(f"#{row} [data-why]").all()[:1]:
                level.dispatch_event("click")
                look_at(f"{row}, asked why")
        for row in page.locator(".targets [data-row]").evaluate_all("all => all.map(it => it.id)"):
            dimension = rubric.schema.dimension(row.partition("-")[2])
            answer(row, best_answers(dimension), (dimension.lowest + dimension.highest) // 2)
    assert len(seen) == len(rubric.schema.dimensions)
    assert not faults, "\n".join(
        f"{fault}: {len(where)} ({where[0]})" for fault, where in faults.items()
    )


def test_the_desk_of_every_published_rubric_is_laid_out_whole_and_shuts_nobody_out(
    new_context: Callable[..., BrowserContext],
) -> None:
    """Likewise, and a scale without questions and ticks is as wide as its row: as the item comes,
    refused, and with the longest labels and answers chosen.

    Every second rubric: the next one has the same kinds of rows. They take turns: wide and light,
    or on a phone in dark.
    """
    ada = make_user(name="ada")
    published = [document.read(file.read_text()) for file in PUBLISHED[::2]]
    made = [document.parse(content) for content in (SKILLS, WORDS, ANSWERS)]
    page = new_context().new_page()
    log_in(page, "ada")
    faults: list[str] = []
    known: set[str] = set()
    looked: dict[str, str] = {}
    for number, schema in enumerate([*published, *made]):
        rubric, _ = Rubric.objects.load(schema, now=NOW)
        project = make_project(slug=schema.slug, rubric=rubric, annotators=[ada])
        tags = [tag for dimension in schema.dimensions for tag in dimension.needs.tags]
        make_item(project=project, responses=[TWICE], metadata={"tags": tags})
        take_item(page, schema.slug)
        expect(page.locator("[data-row].current")).to_be_visible()
        if schema in published:
            seen = look(page, known=known, looks=[LOOKS[number % 2]], looked=looked)
            faults += [f"{schema.slug}: {fault}" for fault in seen]
        page.set_viewport_size(SIZES[0])
        for act, sizes in ((None, SIZES), (REFUSED, SIZES[-1:]), (LONGEST, SIZES[::-1])):
            if act:
                page.evaluate(act)
            if act == REFUSED:
                expect(page.locator("#errors")).to_be_focused()
            settle(page)
            for window in sizes:
                resize(page, window)
                at_size = page.evaluate(FAULTS)
                faults += [f"{schema.slug} at {window['width']}: {fault}" for fault in at_size]
    assert not faults, "\n".join(dict.fromkeys(faults))
