"""Names of models, alone and beside a word for a response. Knows no Django.

is_known_model("gpt-4o")         → True
has_answer("Antwort 2")          → True
model_in("gpt-4_response")       → "gpt-4"
"""

import re
from functools import lru_cache

from .spelling import TOKENS, variant

FAMILIES = (
    "gpt|claude|llama|mi[sx]tral|gemini|gemma|qwen|deepseek|command|falcon|vicuna|alpaca|tulu|phi"
    "|palm|grok|davinci|bard|olmo|bloom|t5"
)
# Headers that are models, where each has a column.
MODEL_NAME = re.compile(
    rf"{FAMILIES}|yi-|\d+b\b|v\d"
    r"|(sonnet|haiku|opus)[ _-]?\d|\d[ _-]?(sonnet|haiku|opus)",  # alone they are poems and works
    re.IGNORECASE,
)
# Values that are models whatever their column is: no version as `prompt v2`, and no Sophia.
KNOWN_MODEL = re.compile(rf"(?<![^\W\d_])(chat|code|tiny)?({FAMILIES})(?![^\W\d_])", re.IGNORECASE)
# What such a header has if the column says something else of the model or of its response.
OF_A_JUDGE = (
    "scor|rating|rated|grad|feedback|judg|eval|reason|rational|expla|critiq|verdict|comment|prefer"
)
SAYS_A_JUDGE = re.compile(OF_A_JUDGE, re.IGNORECASE)
NO_MODEL = re.compile(
    rf"{OF_A_JUDGE}|label|token|latenc|cost|time|rank|win|url|date|version|length|count|prompt|"
    r"(?:^|[ _.-])(?:id|by|at)$|\[",
    re.IGNORECASE,
)
# A response's column that has its model's name: `gpt-4_response`, `answer (claude)`.
STEMS = "response|answer|output|completion|generation|reply|prediction|antwort|reponse|réponse"
STEM = re.compile(rf"(?:{STEMS})s?")
OF_MODEL = re.compile(
    rf"(?i:{STEMS})s?[ _.:(-]+(?:from |by |of |von )?(?P<after>.+?)\)?"
    rf"|(?P<before>.+?)[ _.:-]+(?i:{STEMS})s?"
)
# As promptfoo has it in CSV: `[openai:gpt-4o] Answer: {{question}}`.
BRACKETED = re.compile(r"\[([^\[\]*]+)\]\s*\S")


def is_known_model(name: str) -> bool:
    """Tell whether a value is the name of a model of a known family: `gpt-4o`."""
    return bool(KNOWN_MODEL.search(name))


@lru_cache(maxsize=10_000)
def has_answer(name: str) -> bool:
    """Tell whether a name has a word for a response, and none for what is said of one."""
    words = [word.casefold() for word in TOKENS.findall(name)]
    is_answer = any(map(STEM.fullmatch, words))
    return is_answer and not NO_MODEL.search(name)


@lru_cache(maxsize=10_000)
def model_in(name: str) -> str:
    """Return the model that a column's name has beside a word for a response, or ""."""
    bracketed = BRACKETED.match(name)
    if bracketed:
        return bracketed[1]
    beside_response = OF_MODEL.fullmatch(name)
    if not beside_response:
        return ""
    rest = beside_response["after"] or beside_response["before"]
    _stem, mark = variant(name)
    if NO_MODEL.search(rest):
        return ""
    is_other = mark or len(rest) <= 2  # `answer_de` is a language
    if is_other and not MODEL_NAME.search(rest):
        return ""
    return rest
