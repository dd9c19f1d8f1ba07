"""The format of a rubric: what may be left out, what is said of faults, and where it is written."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from hashlib import sha256
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from annotators.keyboard import Keys
from rubrics.documents.document import dump, parse, parse_stored, read
from rubrics.documents.shipped import SLUGS, path_of, shipped
from rubrics.documents.yaml_lines import DocumentError, values
from rubrics.judging.kinds import Kind, Unit
from rubrics.judging.parts import Level
from rubrics.judging.rules import judge
from rubrics.judging.schema import Rubric
from rubrics.judging.verdict import Verdict
from tests.cases import cases

from . import rubric_schema

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/rubric-format.md").read_text(encoding="utf-8")


ALL_OPEN = Verdict(open=(1, 2, 3, 4, 5), barred=(), remarks=())


def faults_of(text: str) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        read(text)
    return list(caught.value.faults)


def document(**changes: Any) -> dict[str, Any]:
    """A rubric of one scale, with entries of its dimension changed."""
    scale = {"code": "clarity", "short": "Clar.", "title": "Clarity", "question": "How clear?"}
    dimension = scale | {"lowest": 1, "highest": 5} | changes
    return {"slug": "small", "title": "Small", "summary": "One scale.", "dimensions": [dimension]}


def checked(*checks: dict[str, Any], **rubric: Any) -> Rubric:
    return parse(document(checks=[*checks]) | rubric)


# --- stored versions ---


@pytest.mark.parametrize("slug", SLUGS)
def test_a_stored_version_is_read_dumped_and_judged_as_when_it_was_stored(slug: str) -> None:
    """The digest of the dump stands in exports; the verdicts are those of each fact and pair."""
    stored = json.loads((ROOT / f"tests/stored/{slug}.json").read_text(encoding="utf-8"))
    rubric = parse_stored(stored["rubric"])
    assert json.dumps(dump(rubric)) == json.dumps(stored["rubric"])
    for dimension in rubric.dimensions:
        verdicts = (
            repr(judge(dimension, {*facts}))
            for number in range(3)
            for facts in combinations(dimension.facts, number)
        )
        digest = sha256("\n".join(verdicts).encode()).hexdigest()
        assert digest == stored["verdicts"][dimension.code]


def test_a_stored_version_without_checks_and_rules_keeps_its_bytes() -> None:
    stored = document(unit="response", levels=[], checks=[], rules=[])
    assert dump(parse_stored(stored)) == stored


# --- what may be left out ---


def test_four_scales_without_checks_take_at_most_30_lines() -> None:
    scales = ("coherence", "consistency", "fluency", "relevance")
    rubric = document()
    rubric["dimensions"] = [{**rubric["dimensions"][0], "code": code} for code in scales]
    text = yaml.safe_dump(rubric, sort_keys=False)
    assert len(text.splitlines()) <= 30
    for dimension in read(text).dimensions:
        assert dimension.unit is Unit.RESPONSE
        assert judge(dimension, ()) == ALL_OPEN


def test_a_score_that_is_not_described_lies_between() -> None:
    rubric = parse(document(levels=[{"score": 5, "label": "Clear"}, {"score": 1}]))
    (dimension,) = rubric.dimensions
    assert [dimension.level(score) for score in dimension.scores] == [
        Level(1),
        *(Level(score, between=True) for score in (2, 3, 4)),
        Level(5, "Clear"),
    ]
    assert parse(dump(rubric)) == rubric


def test_a_rule_may_have_no_clause_and_then_none_is_cited() -> None:
    rule = {"code": "r", "effect": "cap", "score": 2, "reason": "No."}
    (dimension,) = parse(document(rules=[rule])).dimensions
    verdict = judge(dimension, ())
    assert isinstance(verdict, Verdict)
    assert [reason.clause for reason in verdict.bars(3)] == [""]


FINE = {"code": "fine", "kind": "yes_no", "wording": "Fine"}


@pytest.mark.parametrize(
    ("language", "yes", "no"), [("en", "yes", "no"), ("de", "ja", "nein"), ("fr-CA", "oui", "non")]
)
def test_yes_and_no_are_in_the_language_of_the_rubric(language: str, yes: str, no: str) -> None:
    rubric = checked(FINE, language=language)
    check = rubric.dimensions[0].check("fine")
    assert [(each.code, each.wording, each.sets) for each in check.answers] == [
        ("yes", yes, "fine"),
        ("no", no, None),
    ]
    assert parse_stored(dump(rubric)) == rubric


def test_a_rubric_in_another_language_must_list_its_answers() -> None:
    with pytest.raises(
        DocumentError, match=r"no yes and no in the rubric’s language; list the two"
    ):
        checked(FINE, language="fi")


def test_a_language_that_is_too_long_is_one_fault() -> None:
    with pytest.raises(DocumentError) as caught:
        checked(tick("Slip"), language="x" * 600)
    (fault,) = caught.value.faults
    assert "has 600 characters; at most 20 fit here" in fault


def test_yes_and_no_stand_in_either_order() -> None:
    answers = [{"code": code, "wording": code} for code in ("no", "yes")]
    check = checked({**FINE, "answers": answers}).dimensions[0].check("fine")
    assert [each.code for each in check.answers] == ["no", "yes"]


# --- letters ---


def tick(wording: str, **more: str) -> dict[str, str]:
    return {"code": wording.lower().replace(" ", "_"), "kind": "tick", "wording": wording} | more


def letters(rubric: Rubric) -> list[str]:
    return [check.key for check in rubric.dimensions[0].lettered_checks]


def test_letters_that_are_not_given_are_the_first_free_ones_of_the_wording() -> None:
    rubric = checked(
        tick("Made up"),
        tick("Mad"),
        tick("Other", key="D"),
        tick("Sub"),  # S, U and B are the desk's
        {"code": "seen", "kind": "detected", "wording": "Kept", "detector": "empty"},
    )
    assert letters(rubric) == ["M", "C", "D", "E", ""]
    assert [check.key for check in rubric.dimensions[0].checks] == ["", "", "D", "", ""]
    assert "key" not in dump(rubric)["dimensions"][0]["checks"][0]


def test_letters_end_with_the_alphabet_and_the_desk_shows_those_it_can() -> None:
    rubric = checked(*({**tick("Made up"), "code": f"c{number}"} for number in range(20)))
    given = letters(rubric)
    assert given[:4] == ["M", "D", "E", "P"]
    assert sorted(filter(None, given)) == sorted("CDEGHIJKLMNOPQRTXY")
    assert given[18:] == ["", ""]
    dimension = rubric.dimensions[0]
    assert Keys(skip="D").letters(dimension.lettered_checks) == {*given} - {"D", ""}
    assert [dimension.check(f"c{number}").key for number in range(20)] == given


def test_given_letters_of_a_shipped_rubric_stay() -> None:
    for slug in SLUGS:
        for dimension in shipped(slug).dimensions:
            assert dimension.lettered_checks == dimension.checks


# --- messages ---

HEAD = "slug: small\ntitle: Small\nsummary: One scale.\ndimensions:\n"
SCALE = "  - {code: clarity, short: Clar., title: C, question: Is it clear., lowest: 1, highest: 5"


@cases(
    ("text", "says"),
    [
        ("title: Small: a scale", 'line 1: a text with ": " needs quotes'),
        ("a: {b: Small: a scale}", 'line 1: a text with ": " needs quotes'),
        ("a:\n\tb: 1", "line 2: a tab; indent with spaces"),
        ('a: 1\nb: "open\nc: 2', "line 2: this quote is not closed"),
        ("a: 1\nb: 'It's so'", "line 2: more text after a closing quote"),
        ("a:\n    b: 1\n  c: 2", "line 3: the indentation does not fit"),
        ("a: b\n  c: d", "line 2: this line is read as a part of the text above it"),
        ("a: 1\nb\nc: 2", 'line 2: a key without ": "'),
        ("a: [b, c\nd: e", "line 2: a list in [ ] or a mapping in { } lacks a comma or its end"),
        ("a: {b: c}}", "line 1: a comma or bracket too many"),
        ("a: @b", "line 1: a text that begins with *, &, !, %, @ or ` needs quotes"),
        ("a: *b", "line 1: a text that begins with *, &, !, %, @ or ` needs quotes"),
        ("a: !b c", "line 1: a text that begins with *, &, !, %, @ or ` needs quotes"),
        ("a: > b", "line 1: the text after > or | begins in the next line"),
        ('a: "\\q"', "line 1: a backslash in double quotes"),
        ("a: 1\n---\nb: 2", "line 2: a second document begins"),
        ("a: 1\n? [b]\n: c", "line 2: a list or mapping as a key"),
        ("a: 1\n<<: b", "line 2: << takes a mapping"),
        (
            "a: 1\nb: 0x" + "f" * 5000,
            "line 2: this number or date can’t be read; put it in quotes",
        ),
        ("a: 1\nb: 2001-99-99", "line 2: this number or date can’t be read; put it in quotes"),
        ("a: 1\nb: !!timestamp noon", "line 2: this number or date can’t be read"),
        ("a: 1\nb: !!bool maybe", "line 2: this number or date can’t be read"),
        ("a: 1\nb: \0", "line 2: the character U+0000 is not allowed here; take it out"),
        ("%A\nb: 1", "line 2: not readable as YAML; look at quotes, commas and indentation"),
    ],
)
def test_a_slip_of_yaml_is_told_in_plain_words(text: str, says: str) -> None:
    (fault,) = faults_of(text)
    assert fault.startswith(says)
    assert not re.search("token|scalar|node|flow|stream|construct|parsing|scanning", fault)


def test_all_faults_are_told_at_once_each_with_its_line_and_its_path_by_codes() -> None:
    text = (
        f"{HEAD}{SCALE},\n"
        "     levels: [{score: 5, label: Clear, and short}, {score: 6, label: Off}],\n"
        "     checks: [\n"
        "       {code: sev, kind: one_of, wording: Sev, key: Q, answers: [\n"
        "         {code: high, wording: high}, {code: low, wording: low, sets: mild}]},\n"
        "       {code: typo, kind: tik, wording: Typo},\n"
        "       {code: slip, kind: tick, wording: Slip, key: S},\n"
        "       {code: gap, kind: tick, wording: Gap, key: Q}],\n"
        "     rules: [\n"
        "       {code: a, effect: cap, score: 9, when: {any_of: [high, low, sev]}, reason: No.},\n"
        "       {code: b, effect: cap, score: 2, when: [typo, slip], reason: No.},\n"
        "       {code: c, effect: cap, score: 2, when: {any_of: [typo, slop]}, raeson: No.}]}\n"
        "langage: en\n"
    )
    at = "dimensions.clarity"
    free = "choose another: C, D, E, G, H, I, J, K, L, M, N, O, P, R, T, X, Y"
    assert [fault.partition("; known are")[0] for fault in faults_of(text)] == [
        f'line 6: {at}.levels.5: "and short": a comma ends a text in {{ }}: put it in quotes',
        f"line 6: {at}.levels.6.label: expected a text, found False; put it in quotes",
        f"line 6: {at}.levels.6.score: 6; clarity goes from 1 to 5",
        f'line 8: {at}.checks.sev.key: "Q" appears more than once; {free}',
        f"line 10: {at}.checks.typo.kind: 'tik' is not among tick, yes_no, one_of, detected,"
        ' perhaps "tick"',
        f'line 11: {at}.checks.slip.key: "S" belongs to the desk; {free}',
        f'line 12: {at}.checks.gap.key: "Q" appears more than once; {free}',
        f'line 14: {at}.rules.a.when.any_of: "high" is an answer of "sev": give it "sets"',
        f'line 14: {at}.rules.a.when.any_of: "low" is an answer of "sev"; name what it sets,'
        ' "mild"',
        f'line 14: {at}.rules.a.when.any_of: "sev" is a question; name what an answer sets: mild',
        f"line 14: {at}.rules.a.score: 9; clarity goes from 1 to 5",
        f"line 15: {at}.rules.b.when: expected a mapping, found ['typo', 'slip'];"
        " write {all_of: [typo, slip]}",
        f'line 16: {at}.rules.c: "raeson" is not known here, perhaps "reason"',
        f'line 16: {at}.rules.c: "reason" is missing',
        f'line 16: {at}.rules.c.when.any_of: "slop" is no check of clarity, perhaps "slip"; its'
        " checks are mild, slip, gap",
        'line 17: the document: "langage" is not known here, perhaps "language"',
    ]


def test_a_stored_document_has_no_lines() -> None:
    with pytest.raises(DocumentError) as caught:
        parse(document(lowest=9))
    assert caught.value.faults == (
        "dimensions.clarity.lowest: lowest is 9, highest 5; lowest must be less",
    )


def test_an_entry_that_an_alias_or_a_merge_brings_has_its_line() -> None:
    text = (
        f"{HEAD}  - {{code: one, short: One, title: One, question: One., <<: &scale\n"
        "     {lowest: 1, highest: 5,\n"
        "     rules: [{code: a, effect: cap, score: 6, reason: No.}]}}\n"
        "  - {<<: *scale, highest: 6, code: two, short: Two, title: Two, question: Two.}\n"
    )
    assert faults_of(text) == ["line 7: dimensions.one.rules.a.score: 6; one goes from 1 to 5"]
    assert read(text.replace("score: 6", "score: 3")).dimension("two").highest == 6


# --- limits ---


@cases(
    ("text", "says"),
    [
        (f"a: {'x' * 1_000_000}", "the document has more than 1,000,000 bytes; shorten it"),
        (f"a: [{'1, ' * 10_000}]", "line 1: more than 10,000 values, counting aliases"),
        (
            "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
            "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
            "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
            "d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n",
            "line 4: more than 10,000 values, counting aliases",
        ),
        (f"a: 1\nb: {'[' * 20}", "line 2: lists and mappings more than 20 deep in one another"),
        ("a: &a [*a]", "line 1: an alias inside of what it names; take it out"),
    ],
)
def test_a_document_beyond_the_limits_is_refused_before_it_is_read(text: str, says: str) -> None:
    (fault,) = faults_of(text)
    assert fault.startswith(says)


def test_a_document_at_the_limits_is_read() -> None:
    assert values(f"[{'1, ' * 9_999}]") == [1] * 9_999
    deep = values(f"{'[' * 20}{']' * 20}")
    assert json.dumps(deep) == f"{'[' * 20}{']' * 20}"


def test_a_rubric_has_at_most_500_rules() -> None:
    rule = {"effect": "cap", "score": 2, "reason": "No."}
    rules = [{**rule, "code": f"r{number}"} for number in range(501)]
    assert len(parse(document(rules=rules[:500])).dimensions[0].rules) == 500
    with pytest.raises(DocumentError, match="501 rules; at most 500"):
        parse(document(rules=rules))


# --- the page and the JSON Schema ---


EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_the_first_example_of_the_page_is_short_and_can_be_loaded() -> None:
    assert len(EXAMPLES[0].splitlines()) == 20
    (correct, tone) = read(EXAMPLES[0]).dimensions
    assert [check.kind for check in correct.checks] == [Kind.TICK, Kind.YES_NO]
    assert judge(correct, {"solves"}) == ALL_OPEN
    assert not tone.checks


def test_the_second_example_asks_by_answers_and_gives_a_score_by_them(tmp_path: Path) -> None:
    assert told_of(yaml.safe_load(EXAMPLES[1]), tmp_path) == [
        "help, 1 to 5",
        "  refuses=no  1 to 5",
        "refusal, 0 to 2",
        "  nothing ticked          0 to 2",
        "  refuses=yes             1",
        "  refuses=no              0",
        "  refuses=yes + lectures  2",
        "dimensions.help.levels: no score has a word or a text; describe the ends at least",
        "refusals can be loaded.",
    ]


@cases("name", rubric_schema.parts())
def test_the_page_names_every_entry_and_says_which_must_be_there(name: str) -> None:
    (section,) = re.findall(rf"^## {name}$(.*?)^## ", PAGE, re.DOTALL | re.MULTILINE)
    (table,) = re.findall(r"\| entry \|.*?\n\n", section, re.DOTALL)
    kind = rubric_schema.parts()[name]
    assert re.findall(r"^\| `(\w+)`( \*)? \|", table, re.MULTILINE) == [
        (spec.name, " *" if spec.name in rubric_schema.required(kind) else "")
        for spec in fields(kind)
        if spec.init
    ]


def test_the_json_schema_is_that_of_the_classes() -> None:
    """`python -m tests.documents.rubric_schema` writes it anew."""
    assert rubric_schema.FILE.read_text(encoding="utf-8") == rubric_schema.written()


def fits(value: Any, rule: dict[str, Any], parts: dict[str, Any]) -> bool:
    """Whether a value is what a part of the JSON Schema asks for, as far as ours says."""
    if "$ref" in rule:
        return fits(value, parts[rule["$ref"].rpartition("/")[2]], parts)
    if "enum" in rule:
        return value in rule["enum"]
    match rule["type"]:
        case "object":
            return (
                isinstance(value, dict)
                and {*rule["required"]} <= {*value} <= {*rule["properties"]}
                and all(fits(each, rule["properties"][key], parts) for key, each in value.items())
            )
        case "array":
            return isinstance(value, list) and all(
                fits(each, rule["items"], parts) for each in value
            )
        case "string":
            return (
                isinstance(value, str)
                and rule.get("minLength", 0) <= len(value) <= rule.get("maxLength", 10**6)
                and bool(re.search(rule.get("pattern", ""), value))
            )
        case "integer":
            return type(value) is int and rule["minimum"] <= value <= rule["maximum"]
        case kind:
            assert kind == "boolean"
            return isinstance(value, bool)


def test_the_json_schema_takes_the_shipped_documents_and_no_slip_in_them() -> None:
    schema = rubric_schema.schema()
    for slug in SLUGS:
        content: Any = values(path_of(slug).read_text(encoding="utf-8"))
        assert fits(content, schema, schema["$defs"])
        assert not fits({**content, "titel": "x"}, schema, schema["$defs"])
        content["dimensions"][0]["rules"][0]["effect"] = "lid"
        assert not fits(content, schema, schema["$defs"])


# --- manage.py rubric check ---


def told_of(content: dict[str, Any], tmp_path: Path, verb: str = "check") -> list[str]:
    file = tmp_path / "rubric.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    out = StringIO()
    call_command("rubric", verb, str(file), stdout=out)
    return out.getvalue().splitlines()


def test_the_command_prints_what_each_check_leaves_open_and_the_pairs_that_differ(
    tmp_path: Path,
) -> None:
    rules: list[dict[str, Any]] = [
        {"code": "slip", "effect": "cap", "score": 3, "when": {"all_of": ["slip"]}},
        {"code": "gap", "effect": "floor", "score": 2, "when": {"all_of": ["gap"]}},
        {"code": "both", "effect": "force", "score": 1, "when": {"all_of": ["gap", "slip"]}},
        {"code": "not", "effect": "exclude", "against": ["fine"], "when": {"all_of": ["slip"]}},
    ]
    content = document(
        checks=[tick("Slip"), tick("Gap"), tick("Rest"), FINE],
        rules=[{"reason": "So.", **rule} for rule in rules],
    )
    assert told_of(content, tmp_path) == [
        "clarity, 1 to 5",
        "  nothing ticked  1 to 5",
        "  slip            1 to 3",
        "  gap             2 to 5",
        "  rest            1 to 5",
        "  fine=yes        1 to 5",
        "  fine=no         1 to 5",
        "  slip + gap      1",
        "dimensions.clarity.levels: no score has a word or a text; describe the ends at least",
        'dimensions.clarity.checks: no rule and no condition names "rest"; add one, or let it be',
        "small can be loaded.",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("verb", ["check", "load"])
def test_a_check_without_a_letter_is_told_of_at_loading(verb: str, tmp_path: Path) -> None:
    ticks = [{**tick("Made up"), "code": f"c{number}"} for number in range(19)]
    seen = {"code": "seen", "kind": "detected", "wording": "Empty", "detector": "empty"}
    told = told_of(document(checks=[*ticks, seen]), tmp_path, verb)
    assert [line for line in told if "letter" in line] == [
        "clarity.c18: has no letter, none is free."
    ]


@pytest.mark.django_db
def test_of_each_kind_of_remark_one_line_is_printed(tmp_path: Path) -> None:
    ticks = [{**tick("Made up"), "code": f"c{number}"} for number in range(22)]
    caps = [
        {"code": f"r{number}", "effect": "cap", "score": 5, "reason": "So."} for number in range(9)
    ]
    scale = document(checks=ticks, rules=caps, highest=100)
    told = told_of(scale, tmp_path, "check")
    kinds = [line for line in told if line.startswith(("clarity.", "dimensions."))]
    assert [line.partition(" (")[2] for line in kinds if "(" in line] == [
        *("8 more like this)", "3 more like this)")
    ]
    assert [line for line in kinds if "reach" in line] == [
        "dimensions.clarity.levels: no answers reach 6 to 100; see what bars it"
    ]


def test_the_command_refuses_what_cannot_be_loaded_with_the_file_and_every_fault(
    tmp_path: Path,
) -> None:
    content = document(levels=[{"score": 6}], sample=0)
    with pytest.raises(CommandError) as refused:
        told_of(content, tmp_path)
    assert [line.partition("rubric.yaml: ")[2] for line in str(refused.value).splitlines()] == [
        "line 5: dimensions.clarity.levels.6.score: 6; clarity goes from 1 to 5",
        "line 8: dimensions.clarity.sample: 0; it is 1 or more",
    ]
