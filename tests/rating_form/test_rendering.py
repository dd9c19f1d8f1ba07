"""Responses as pages: what Markdown, code and formulas become, and that no text reaches beyond
itself."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st
from pygments.lexers import get_lexer_by_name
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tasks.text import formulas, highlighting, markdown, render as rendering
from tasks.text.formulas import Formula, cost, formula_at, mathml
from tasks.text.highlighting import LANGUAGES, highlighted
from tasks.text.render import Excess, plain, rendering as render
from tests.cases import cases

ROOT = Path(__file__).resolve().parents[2]
STYLES = (ROOT / "static/css/texts.css").read_text(encoding="utf-8")
PAGES = (ROOT / "static/css/site.css").read_text(encoding="utf-8")


def tree(html: str) -> LexborNode:
    body = LexborHTMLParser(f"<!doctype html><html><body>{html}").body
    assert body is not None
    return body


def rendered(text: str) -> str:
    return render(text).html


def seen(text: str) -> str:
    """What a reader sees of a text."""
    return tree(rendered(text)).text(deep=True)


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def breaches(html: str) -> list[str]:
    """What stands in the HTML, as a browser reads it, and is not on the list."""
    found = []
    for node in tree(html).traverse():
        tag = str(node.tag)
        if tag == "body" or tag.startswith("-"):
            continue
        if tag not in rendering.ELEMENTS:
            found.append(f"<{tag}>")
        for name, value in node.attributes.items():
            allowed = rendering.ATTRIBUTES.get(tag, frozenset())
            values = rendering.VALUES.get(tag, {}).get(name, frozenset())
            classes = rendering.CLASSES.get(tag, frozenset()) if name == "class" else frozenset()
            if not (
                name in allowed
                or value in values
                or (classes and set((value or "").split()) <= classes)
            ):
                found.append(f"{name}={value!r} on <{tag}>")
    return found


# --- what is shown ---


@cases(
    ("text", "html"),
    [
        ("**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>"),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>"),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'),
        ("---", "<hr>"),
        ("    a\n\n    b", '<div class="r-code"><pre><code>a\n\nb\n</code></pre></div>'),
        ("", ""),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert rendered(text).strip() == html


def test_a_line_break_in_the_source_is_one_on_the_page() -> None:
    assert rendered("a\nb") == "<p>a<br>\nb</p>\n"


def test_html_in_a_text_is_text() -> None:
    text = (
        '<b onclick="x()">a</b> <script>b</script><!-- c --> <div>\n\n'
        "<style>d</style>\n\n<svg/onload=x>"
    )
    assert "".join(seen(text).split()) == "".join(text.split())
    assert breaches(rendered(text)) == []


def test_a_tag_with_a_colon_is_text_and_no_address() -> None:
    assert (
        seen("std::vector<std::string> <xs:element>").strip()
        == "std::vector<std::string> <xs:element>"
    )


def test_a_link_is_its_text_and_the_address_it_has() -> None:
    html = rendered('[safe.example](https://evil.example/a%20b "the title")')
    assert "href" not in html
    assert tree(html).text().strip() == "safe.example (https://evil.example/a%20b “the title”)"


def test_an_address_that_is_the_text_of_its_link_is_shown_once() -> None:
    assert seen("[https://a.example](https://a.example)").strip() == "https://a.example"


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "//a.example", "#submit"]
)
def test_any_address_is_shown_and_none_can_be_followed(address: str) -> None:
    html = rendered(f"[text]({address})")
    assert f"({address})" in html
    assert breaches(html) == []


def test_an_image_is_its_description_and_address_and_loads_nothing() -> None:
    html = rendered("![a *cat*](https://a.example/cat.png)")
    assert "src" not in html
    assert tree(html).text().strip() == "a cat (https://a.example/cat.png)"


def test_a_definition_of_a_reference_stays_to_be_read() -> None:
    assert seen('See [1].\n\n[1]: https://a.example "Title"').split() == [
        "See",
        "[1].",
        "[1]:",
        "https://a.example",
        '"Title"',
    ]


def test_a_task_is_a_sign_and_no_control() -> None:
    html = rendered("- [ ] open\n- [x] done")
    assert [node.text().strip() for node in tree(html).css("li")] == ["☐ open", "☑ done"]
    assert tree(html).css("input") == []


def test_headings_go_on_from_the_page_and_skip_no_level() -> None:
    html = rendered("### a\n\n# b\n\n##### c\n\n###### d\n\n## e\n\nf\n===")
    found = [f"{node.tag}{node.text()}" for node in tree(html).css("h1, h2, h3, h4, h5, h6")]
    assert found == ["h3a", "h3b", "h4c", "h5d", "h4e", "h3f"]


def test_a_table_aligns_by_classes() -> None:
    html = rendered("|a|b|c|d|\n|-|:-|:-:|-:|\n|1|2|3|4|")
    assert [node.attributes.get("class") for node in tree(html).css("td")] == [
        None,
        "r-left",
        "r-center",
        "r-right",
    ]


def test_a_wide_table_can_be_scrolled_by_keys() -> None:
    [box] = tree(rendered("|a|\n|-|\n|1|")).css("div")
    assert box.attributes == {"class": "r-table", "tabindex": "0"}


def test_cells_that_a_table_has_no_column_for_stay() -> None:
    html = rendered("|a|b|\n|-|-|\n|1|2|3|4|\n|5|\n|6|7|")
    assert [node.text() for node in tree(html).css("td")] == ["1", "2 | 3 | 4", "5", "", "6", "7"]


def test_ids_names_and_classes_of_a_text_do_not_reach_the_page() -> None:
    text = (
        '# a {#submit .primary}\n<a id="submit" name="rating" class="barred">x</a>\n'
        "```submit primary\n```"
    )
    assert breaches(rendered(text)) == []


# --- code ---


def test_code_has_colours_by_classes() -> None:
    html = rendered('```python\ndef f():\n    return "a" # b\n```')
    assert {node.attributes["class"]: node.text() for node in tree(html).css("pre span")} == {
        "r-keyword": "return",
        "r-name": "f",
        "r-string": '"a"',
        "r-comment": "# b",
    }


def test_words_behind_a_fence_are_shown_above_the_code() -> None:
    assert seen("```python title=a.py\n1\n```") == "python title=a.py1\n\n"


@pytest.mark.parametrize("language", ["", "nonsense", "text"])
def test_code_of_no_known_language_stays_as_it_is(language: str) -> None:
    html = rendered(f"```{language}\nif <a> & b:\n  c\n```")
    assert "<pre><code>if &lt;a&gt; &amp; b:\n  c\n</code></pre>" in html


@cases("language", sorted(LANGUAGES))
def test_a_language_with_colours_has_a_lexer_that_loses_nothing(language: str) -> None:
    code = "\n\n  <?php if (a) { b = \"c\\n\" } // d 'e' #\n\t&\n\n"
    html = highlighted(code, language)
    assert html is not None
    assert [node.text() for node in tree(f"<pre><code>{html}").css("code")] == [code]
    assert get_lexer_by_name(language)


@given(st.sampled_from(sorted(LANGUAGES)), st.text(max_size=200))
def test_code_loses_no_character_by_its_colours(language: str, code: str) -> None:
    html = highlighted(code, language)
    if html is not None:
        assert (
            re.sub("<[^<>]*>", "", html)
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
            == code
        )


def test_code_that_takes_too_long_has_no_colours_from_there_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(highlighting, "_SECONDS", 0)
    assert (
        highlighted("return 1; return 2", "c")
        == '<span class="r-keyword">return</span> 1; return 2'
    )


def test_code_that_is_too_long_has_no_colours() -> None:
    assert highlighted("1" * (highlighting.LONGEST + 1), "python") is None


# --- formulas ---


@cases(
    ("text", "display"),
    [
        ("$x^2$", None),
        (r"\(x^2\)", None),
        ("$$x^2$$", "block"),
        (r"\[x^2\]", "block"),
        ("$$\nx^2\n$$", "block"),
        ("so\n\\[\nx^2\n\\]\nand", "block"),
        (r"\begin{align}x^2\end{align}", "block"),
        ("- a\n  $$\n  x^2\n  $$", "block"),
        ("> $$\n> x^2\n> $$", "block"),
    ],
)
def test_a_formula_becomes_mathml(text: str, display: str | None) -> None:
    [math] = tree(rendered(text)).css("math")
    assert math.attributes.get("display") == display
    assert len(math.css("msup")) == 1
    assert breaches(rendered(text)) == []


def test_lines_of_a_formula_are_no_list_and_no_heading() -> None:
    html = rendered("$$\n\\begin{aligned}\na &= b \\\\\n- c &= d\n\\end{aligned}\n$$")
    assert [node.tag for node in tree(html).css("ul, h3, mtable")] == ["mtable"]
    assert "&amp;" not in html


def test_columns_of_a_formula_align_by_classes() -> None:
    html = rendered(r"$$\begin{aligned} a &= b \end{aligned}$$")
    assert [node.attributes.get("class") for node in tree(html).css("mtd")] == [
        "r-math-right r-math-tight-right",
        "r-math-left r-math-tight-left",
    ]


def test_an_environment_has_no_numbers_that_its_text_has_not() -> None:
    assert letters(seen(r"\begin{align} a \\ b \end{align}")) == "ab"
    assert "(1)" not in seen(r"\begin{align} a \\ b \end{align}")


@cases(
    "text",
    [
        "$5 and $10",
        "It is US$5 or US$ 3, not $2.",
        "$5 or 10$",
        "$20 (about 18€), 20$",
        "$HOME/bin:$PATH",
        "=SUM($A$1:$A$5)+$B$2",
        "costs $$ and $$$",
        "$a sentence of words$",
        "$花了五块$",
        "$ x $",
        "a$b$c",
    ],
)
def test_dollars_are_money_unless_they_hold_a_formula(text: str) -> None:
    assert tree(rendered(text)).css("math, code") == []
    assert seen(text).strip() == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r"\[1\]", "[1]"),
        (r"\[YOUR NAME HERE\]", "[YOUR NAME HERE]"),
        (r"\(optional\)", "(optional)"),
    ],
)
def test_escaped_brackets_around_words_are_brackets(text: str, read: str) -> None:
    assert seen(text).strip() == read


@cases(
    "text",
    [
        r"$\nonsense{x}$",
        r"$\frac{1}$",
        "$x_{a$",
        r"\(x \right)\)",
        "$x % y$",
        r"\[\ce{H2O} * a * b\]",
    ],
)
def test_a_formula_that_cannot_be_read_stays_as_it_was_written(text: str) -> None:
    [code] = tree(rendered(text)).css("code")
    assert code.text() == text
    assert code.attributes == {"class": "r-source"}


@cases(
    "content",
    [
        "{" * 1000 + "}" * 1000,
        r"\frac{" * 200 + "1" + "}{2}" * 200,
        r"\sqrt" * 399 + " x",
        r"\left(" * 130 + r"\right)" * 130,
        "∑" * 1999,
        "(" * 40 + "x",
        "{[}" * 30 + "x",
        r"(\frac1)" * 40 + "x",
        r"\lvert " * 30 + "x",
        "⌈" * 40 + "x",
        r"\begin{matrix}" + "{(" * 20 + "}" * 20 + r"\end{matrix}",
        r"{\left( } \right)",
        r"\def\x{\x}\x",
        "x" * (formulas.LONGEST + 1),
    ],
)
def test_a_formula_that_would_fill_the_stack_or_take_forever_is_not_read(content: str) -> None:
    assert mathml(Formula("", content, True)) is None


def test_a_long_calculation_with_many_brackets_is_read() -> None:
    line = r"f(x_1) &= \left(\frac{(a+b)^2}{c(d)}\right) + g(h(x))"
    lines = r" \\ ".join([line] * 9)
    assert "<mtable" in (
        mathml(Formula("", rf"\begin{{aligned}}{lines}\end{{aligned}}", True)) or ""
    )


def test_a_fault_inside_the_converter_leaves_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    class Faulty:
        def convert_with_local_state(self, _content: str, *, displaystyle: bool) -> str:
            raise PanicException

    monkeypatch.setattr(formulas, "_converter", Faulty())
    assert mathml(Formula("$x$", "x", False)) is None


def test_a_formula_has_no_length_that_reaches_beyond_it() -> None:
    html = rendered(r"$a\hspace{999cm}b\kern-99em c\quad d$")
    widths = [
        node.attributes.get("width")
        for node in tree(html).css("mspace")
        if "width" in node.attributes
    ]
    assert widths == ["1em"]


def test_a_formula_sets_no_colour_and_no_address() -> None:
    html = rendered(
        r"$\color{white}{x} + \textcolor{red}{y}$ $\begin{align}x\label{a}\end{align}\ref{a}$"
    )
    assert breaches(html) == []
    assert "#" not in html


@given(st.text(alphabet=r"$\()[]{}^_&ab12 -+", max_size=60), st.integers(0, 59))
@example("$$" * 30, 0)
def test_a_formula_begins_where_it_is_looked_for_and_is_part_of_the_text(
    text: str, start: int
) -> None:
    formula = formula_at(text, start)
    if formula is not None:
        assert text.startswith(formula.source, start)
        assert formula.tex
        assert formula.tex in formula.source


ATOMS = st.sampled_from(
    [
        r"(",
        r"[",
        r"\{",
        r")",
        r"]",
        r"\}",
        r"{",
        r"}",
        r"^",
        r"_",
        r"x",
        r"1",
        r"&",
        r"\\",
        r"\left(",
        r"\right)",
        r"\left.",
        r"\right.",
        r"\sin",
        r"\frac",
        r"\sqrt",
        r"\hat",
        r"\lvert",
        r"\langle",
        r"\rangle",
        r"∑",
        r"⌈",
        r"\sum",
        r"\begin{matrix}",
        r"\end{matrix}",
        r"\text{a}",
        r"'",
        r"|",
        r"\big(",
        r"\Pr",
        r"\over",
        r"\mathop",
        r"\binom",
        r"\middle|",
        r",",
        r"\color{red}",
    ]
)


@settings(max_examples=300, deadline=5000)
@given(st.lists(ATOMS, max_size=8), st.integers(1, 40), st.lists(ATOMS, max_size=8))
def test_no_formula_ends_or_holds_up_the_process(
    unit: list[str], times: int, rest: list[str]
) -> None:
    content = " ".join(unit * times + rest)
    html = mathml(Formula(content, content, True))
    if html is not None:
        assert " style=" not in html


# --- nothing is lost, nothing gets out ---

MARKUP = st.text(alphabet="abc []()*_`<>!~|#-+=\n\"'1.:", max_size=120)


@settings(max_examples=400)
@given(MARKUP)
@example("|a|b|\n|-|-|\n|c|d|a b|c\n")
@example("[a]: b 'c'\n\n![a[b](c)](a 'b')")
@example("> > - 1. a\n```b\nc")
def test_every_letter_of_a_text_is_seen_in_its_order(text: str) -> None:
    assert letters(seen(text)) == letters(text)


HOSTILE = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                "<script>",
                "</p>",
                "<img",
                "src=x",
                "onerror=y>",
                "</pre>",
                "<math>",
                "</math>",
                "<style>",
                "<!--",
                "-->",
                "]]>",
                "&lt;",
                "&#x3c;",
                "\x00",
                "\r",
                "\ufeff",
                "$",
                "$$",
                "\\(",
                "\\)",
                "\\[",
                "\\]",
                "\\text{",
                "\\frac",
                "{",
                "}",
                "\\href{javascript:a}{b}",
                "\\style{a}{b}",
                "\\class{a}{b}",
                "```",
                "```html",
                "~~~js",
                "|",
                "-",
                "#",
                ">",
                "*",
                "_",
                "[a](b)",
                "![a](b)",
                "[",
                "]",
                "(",
                ")",
                "\n",
                "\n\n",
                "",
                "",
                "",
                "\t",
                "<a:b>",
                "&nbsp;",
                "\u202e",
                "�",
                "a",
                "b",
                "1",
            ]
        ),
        max_size=40,
    ).map("".join),
)


@settings(max_examples=400)
@given(HOSTILE)
def test_only_what_is_allowed_comes_out_of_any_text(text: str) -> None:
    html = rendered(text)
    assert breaches(html) == []
    # As a browser reads it, it is all inside what it was put in.
    box = tree(f'<div id="box">{html}</div><p id="after">z</p>')
    assert [node.attributes.get("id") for node in box.iter()] == ["box", "after"]


def test_a_text_looks_the_same_whenever_it_is_shown() -> None:
    assert rendered("a *b*") is rendered("a *b*")


# --- code in a text as it was written ---


def code(text: str) -> list[str]:
    """What is marked as code in the text as it was written."""
    return [unescape(found) for found in re.findall(r"(?s)<code>(.*?)</code>", plain(text).html)]


@cases(
    ("text", "found"),
    [
        ("Call `f(<x>)` or ``a`b``.", ["`f(<x>)`", "``a`b``"]),
        ("A\n\n```python\n<x> = 1\n```\nB", ["```python\n<x> = 1\n```\n"]),
        ("~~~\n`a`\n~~~", ["~~~\n`a`\n~~~"]),
        ("- 1\n  ```\n  x\n  ```\n- `y`", ["```\n  x\n  ```\n", "`y`"]),
        ("> `a\r\n> b` c", ["`a", "b`"]),
        ("```\nnever closed", ["```\nnever closed"]),
        ("|`a`|b|\n|-|-|\n|c|`d\\|e`|`f`|\n", ["`a`", "`d\\|e`", "`f`"]),
        ("## `a`\n\n**`b`** [`c`](d)", ["`a`", "`b`", "`c`"]),
        ("$`a`$ \\`b\\` `c`", ["`c`"]),
        ("It is 5` wide, a ~ b, and ``this.", []),
    ],
)
def test_code_is_marked_where_a_rendering_finds_it(text: str, found: list[str]) -> None:
    assert code(text) == found


@settings(max_examples=400)
@given(st.one_of(MARKUP, HOSTILE))
@example("> `a\n>   b`\r`c`\r\n```\nd")
@example("|`a\\|b`|`c`|\n|-|-|\n|`d`")
@example("<code>`a`</code>")
def test_a_text_as_it_was_written_keeps_every_character(text: str) -> None:
    html = plain(text).html
    assert unescape(re.sub("</?code>", "", html)) == text
    tags = re.findall("<[^>]*>", html)
    assert tags == ["<code>", "</code>"] * (len(tags) // 2)


def test_a_text_without_code_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "code_in", None)
    assert rendering._plain.__wrapped__("# A *b* ~c~ <d>").html == "# A *b* ~c~ &lt;d&gt;"


@pytest.mark.parametrize(
    "text",
    [
        "`a` " * (rendering.LONGEST // 4 + 1),
        "> " * 200 + "`a`",
        "`a`" + "[" * 39_000,
    ],
    ids=["long", "nesting", "work"],
)
def test_beyond_the_bounds_no_code_is_marked_and_nothing_is_lost(text: str) -> None:
    shown = plain(text)
    assert "<code>" not in shown.html
    assert unescape(shown.html) == text
    assert shown.steps <= markdown.MOST_STEPS * 1.1


class Searched(str):
    """A text that counts the characters in which code is searched."""

    characters = 0

    def find(self, *asked: Any) -> int:
        found = super().find(*asked)
        if len(asked) == 3:  # the parser asks without an end
            self.characters += (asked[2] if found < 0 else found) - asked[1]
        return found


def test_code_that_is_not_found_is_searched_once_a_line() -> None:
    """Surplus cells are joined by the reader, so code across them is nowhere in the text."""
    text = Searched("|a|\n|-|\n" + "|`a" * 10_000 + "|\n|`b`|")
    assert [text[begin:end] for begin, end in markdown.code_in(text, markdown.Steps())] == ["`b`"]
    assert 10_000 < text.characters <= len(text)


# --- bounds ---


@pytest.mark.parametrize(
    ("text", "excess"),
    [
        ("*a* " * (rendering.LONGEST // 4 + 1), Excess.LENGTH),
        (">" * 25 + "a", Excess.NESTING),
        ("".join(" " * 2 * depth + "- a\n" for depth in range(12)), Excess.NESTING),
        ("[" * 40_000, Excess.WORK),
        ("[ " * 20_000, Excess.WORK),
        (">" * 17 + "a\n" * 5000, Excess.WORK),
        ("|a" * 100 + "|\n" + "|-" * 100 + "|\n" + "|\n" * 5000, Excess.WORK),
        ("$((((((((((x$ " * 2000, Excess.WORK),
    ],
    ids=["long", "quotations", "lists", "brackets", "open", "lazy", "table", "formulas"],
)
def test_a_text_beyond_the_bounds_is_shown_as_written_and_says_so(
    text: str, excess: Excess
) -> None:
    shown = render(text)
    assert shown.excess is excess
    [paragraph] = tree(shown.html).css("p")
    assert paragraph.attributes == {"class": "r-as-written"}
    assert paragraph.text() == text


def test_a_text_whose_html_would_be_too_long_is_shown_as_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rendering, "_LONGEST_HTML", 30)
    assert [rendering._render("*a*" * count).excess for count in (1, 3)] == [None, Excess.WORK]


@cases("mark", [">", "- ", "1. ", "> - "])
@cases("depth", range(5, 25))
def test_nothing_is_dropped_however_deep_it_is(mark: str, depth: int) -> None:
    assert letters(seen(mark * depth + "a")) == "a"


def test_a_text_within_the_bounds_says_nothing() -> None:
    assert render("a").excess is None


@pytest.mark.parametrize(
    "piece",
    [
        "A sentence with *some* **marks**, `code` and a [link](https://a.example).\n\n",
        "- an item\n- another, with $x^2$\n    1. and a third\n\n",
        "|a|b|c|\n|-|-|-|\n|1|2|3|\n|4|5|6|\n\n",
        "```python\ndef f(x):\n    return x + 1\n```\n\n",
        "$$\n\\begin{aligned}\nf(x) &= (a + b)^2 \\\\\n&= a^2\n\\end{aligned}\n$$\n\n",
    ],
    ids=["prose", "lists", "tables", "code", "formulas"],
)
def test_an_honest_text_of_20_000_characters_is_rendered(piece: str) -> None:
    assert render(piece * (20_000 // len(piece))).excess is None


def test_steps_are_counted_for_each_text_apart() -> None:
    piece = "[" * 400
    assert [render(piece + str(place)).excess for place in range(8)] == [None] * 8


# --- the stylesheet ---


def colours(name: str, source: str) -> list[tuple[str, str]]:
    """The light and the dark colour of this name; several where people choose a contrast."""
    found = re.search(rf"--{name}: ([^;]*);", source)
    assert found, name
    return re.findall(r"light-dark\((#\w+), (#\w+)\)", found[1])


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@cases("scheme", [0, 1])
@cases("text", re.findall(r"\scolor: light-dark\((#\w+), (#\w+)\)", STYLES))
def test_code_can_be_read_in_each_colour(text: tuple[str, str], scheme: int) -> None:
    grounds = [
        colour for ground in ("sunken", "sheet", "paper") for colour in colours(ground, PAGES)
    ]
    assert len(grounds) >= 3
    for ground in grounds:
        pair = luminance(text[scheme]), luminance(ground[scheme])
        assert (max(pair) + 0.05) / (min(pair) + 0.05) >= 4.5


def test_every_class_that_comes_out_is_styled_and_none_besides() -> None:
    classes = set().union(*rendering.CLASSES.values())
    assert set(re.findall(r"\.(r-[\w-]+)", STYLES)) == classes - {"r-source"} | {"r-file"}


def test_no_page_has_a_class_that_a_text_can_have() -> None:
    pages = [*ROOT.glob("templates/**/*.html"), *(ROOT / "static/css").glob("*.css")]
    found = [
        file.name
        for file in pages
        if re.search(r"[\s\"'.]r-[a-z]", file.read_text(encoding="utf-8"))
    ]
    assert found == ["texts.css"]
    outside = re.sub(r"(?ms)^  \.rendered \{.*?^  \}$", "", STYLES)
    assert len(outside) < len(STYLES)
    assert not re.search(r"\.r-[a-z]", outside)


# --- real texts ---

REAL = Path(os.environ.get("EVENHAND_REAL_DATA", "nowhere"))


@pytest.mark.skipif(not REAL.is_dir(), reason="EVENHAND_REAL_DATA names no folder")
@pytest.mark.parametrize("name", ["tulu", "tulu_multi", "convai2_wild"])
def test_real_texts_are_rendered_whole(name: str) -> None:
    counted: Counter[str] = Counter()
    for line in (REAL / f"{name}.items.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        item = json.loads(line)
        for text in [turn["text"] for turn in item["history"]] + [
            each["text"] for each in item["responses"]
        ]:
            shown = rendering._render(text)
            counted["texts"] += 1
            counted["as written"] += shown.excess is not None
            counted["breaches"] += len(breaches(shown.html))
            if not re.search(r"[$\\&]", text):
                counted["with letters lost"] += letters(tree(shown.html).text()) != letters(text)
    assert counted["texts"] > 1_000
    assert counted == {
        "texts": counted["texts"],
        "as written": 0,
        "breaches": 0,
        "with letters lost": 0,
    }


def test_the_markdown_reader_itself_is_not_what_is_trusted() -> None:
    """Were it to let something through, the list would not."""
    assert markdown.to_html("<b>", markdown.Steps()) == "<p>&lt;b&gt;</p>\n"
    assert rendering._cleaner.clean(
        '<p id="x" style="y" onclick="z"><a href="q">t</a><script>u</script>'
    ) == ("<p>tu</p>")
    assert cost(Formula("", "x", False)) == 1
