"""Names of columns of ratings: people, scores, quantities. Knows no Django.

A name may say more or less about who rated:

- `annotator_id` names the column of all raters (`use_of`); `email` may name it (`may_name_rater`).
- `rater_1` is one rater, by a role and a number (`is_role`), and so is `Anna` (`is_person`).
- `human score` says that people rated, and not who (`is_human`).
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from .model_names import MODEL_NAME
from .name_tables import TABLE
from .spelling import fold, variant
from .uses import Use

ROLES = (
    "annotator|rater|worker|judge|evaluator|reviewer|labell?er|coder|assessor|grader|bewerter"
    "|gutachter|prufer|teilnehmer|annotateur|evaluateur|juge|examinateur|participant|respondent"
    "|turker|crowdworker|interviewer"
)
ROLE = re.compile(ROLES)
# Folded last names of columns of a row, or of an entry for each rater. The first decides.
USES = {
    f"({ROLES})(s|in)?(ids?|names?|emails?|nr|number)?|(completed|rated|annotated)by|userid": (
        Use.RATER
    ),
    "dimension|criterion|aspect|metric|trait|kriterium|critere": Use.DIMENSION,
    "(response|candidate|output|answer)(index|idx|number|no)?|target": Use.TARGET,
    ".*(comment|remark|explanation|rationale|justification|feedback)s?|(.*[^s])?notes?"
    "|(kommentar|begrundung|commentaire|remarque|reasons?|grund|raison|why|warum)(von|de)?": (
        Use.COMMENT
    ),
    "time|timestamp|date|(created|submitted|rated|updated)at": Use.TIME,
}
# The last token of a name that says how good something is.
QUALITY_NAME = re.compile(
    r".*(ness|[^c]ity|ety|esty|ence|ance|cy|tion|ment|qualitat)|overall|natural|understandable|interesting"
    r"|engaging|specific|relevant|correct|fluent|coherent|diverse|consistent|informative|likeable"
    r"|flexible|empathy|surprise|tone|truth|style|clarity|grammar|help|helpful|harmless|honest"
    r"|factual|safe|quality|acceptable|harm|context|knowledge"
    r"|.*(verstandlich|lesbar|nutzlich|richtig|genauig|vollstandig|flussig|naturlich|hoflich"
    r"|freundlich|ehrlich|sachlich|glaubwurdig|nachvollziehbar|zuverlassig|anschaulich|ausfuhrlich"
    r"|brauchbar|grundlich|schadlich|harmlosig|ubersichtlich|stimmig|schlussig|wirksam|lebendig)keit"
    r"|koharenz|konsistenz|relevanz|eleganz|korrekt|verstandlich|flussig|naturlich|hilfreich"
    r"|clarte|exactitude|(fluid|lisibil|util|divers|fidel|qual)ite"
)
SCORE_NAME = re.compile(
    "score|rating|grade|star|bewertung|wertung|punkte?$|sterne|etoile|points?$|noten?$"
)
# One of several with a number, beside the roles: `Person 1`.
PERSONS = re.compile(
    "person(ne)?|experte?|novice|laie|layperson|proband|human|ann(ot?)?|student|teacher|subject|crowd"
    "|vpn?|versuchsperson|sujet"
)
# Names of columns that may say who rated, if their values fit.
RATER_IF_IT_FITS = re.compile(
    "((your|full|first|ihr|dein|votre)?(name|nom))|nomd?utilisateur|utilisateur|(be)?nutzer(name)?|(e?mail)(address|adresse)?|subject|expert|person"
    "|user(name)?|student|proband|by|who|initials|prolificpid"
)
MACHINE_NAMES = frozenset(
    ["judge", "llm", "ai", "auto", "machine", "ki", "ia", "predicted", "prediction", "reward"]
)
# What stands for several people in a column of who rated.
OF_SEVERAL = re.compile(
    "gold|consensus|majority|mean|average|all|final|adjudicat.*|konsens|mehrheit"
)
SEVERAL = re.compile("[;,|]")  # between the people in a cell
# Folded last names of columns that name items, beside those that end with `id`.
KEYS = ("item", "doc", "key", "row", "nr", "no", "number", "idx", "index", "element", "question")
SELF_DOUBT = frozenset(["confidence", "certainty", "sicherheit", "konfidenz", "confiance"])
# Tokens of names of numbers that are no scores: anywhere in a name, or at its end.
ANYWHERE = """
    gold expected reference auto automatic bleu rouge meteor chrf bertscore bleurt comet wer ter
    unnamed idx index count counts num seconds secs sec ms minutes hours duration time timestamp
    date latency cost price tokens token chars characters length len total sum mean average avg
    median min max std var majority seed epoch age year years version ver phase session split
    fold chosen rejected winner wins win tie votes likes preference preferred probability prob
    logprob perplexity rank ranking experience level label experiment anzahl dauer alter nombre
    duree attention captcha keystrokes upvotes downvotes clicks differenz difference diff
    top education bildung summe durchschnitt mittelwert ecart moyenne somme
    element elements document documents dokument segment segments statement statements
"""
AT_THE_END = """
    id ids nr no number n size word words line lines link links sentence sentences paragraph
    paragraphs turn turns step steps round group order position pos depth topic difficulty mode
    row key doc item hit trace batch page pages image images url urls comma commas emoji emojis
    condition bedingung liste bloc treatment assignment iteration sequence occupation region
    verb verbs noun nouns bullet bullets heading headings temperature class category final
    target gpt block trial list views thema schwierigkeit worter zeilen sitzung mots lignes
"""
# In an entry of a list of ratings these name the person.
WHO = re.compile("user(name|id)?|name|author|by|who|person|email|id")
# In a name with a number these say that the number is no person's: `turn_1_score`.
PARTS = re.compile(
    "turn|step|round|run|trial|sample|model|system|response|answer|output|prompt|question|q|task"
    "|test|item|part|section|line"
)
LABELS = re.compile("labels?|class|verdict|judge?ment|decision|annotation|value|vote|pass|urteil")
HUMANS = frozenset(["human", "expert", "crowd", "turker", "manual", "people", "menschlich"])
# Nouns that look like names of people.
NOUNS = re.compile(
    "joy|anger|fear|sadness|disgust|trust|humou?r|love|maths?|coding|code|writing|reasoning|science"
    "|history|law|medicine|sports|politics|art|music|health|finance|roleplay|extraction|stem"
)
AMOUNTS, AMOUNT_ENDS = frozenset(ANYWHERE.split()), frozenset(AT_THE_END.split())
BEHIND_NAME = re.compile(
    r"(?i)^(scores?|ratings?|notes?|bewertung|punkte)[ _-]+(of |by |von |de )?"
    r"|[ _-]+(scores?|ratings?|notes?|bewertung|punkte)$"
)
PREFERENCE = re.compile("preferences?|preferred|ranking|rank|pairwise|winner|better")
NO_NAME = re.compile("scor|rating|correct|help|harm|safe|toxic|fluen|relevan|good|bad|stral", re.I)
PERSON = re.compile(
    r"[^@\s]+@[^@\s]+|([A-ZÄÖÜÉ]\w*\.?([ _-][^\W\d_]+\.?)?|[^\W\d_]{3,})\d?",
)
TOKENS = re.compile(r"[A-ZÄÖÜÉÈ]{2,}(?![^\W\d_A-Z])|[A-ZÄÖÜÉÈ]?[^\W\d_A-ZÄÖÜÉÈ]+|[A-ZÄÖÜÉÈ]|\d+")


def last_name(path: str) -> str:
    """Return the last name in a path; a dot before a digit is none of a path."""
    if "@" in path:  # an address
        return path
    return re.split(r"\.(?=[^\W\d_])|\[\*\]\.?", path.removesuffix("[*]"))[-1]


@lru_cache(maxsize=10_000)
def tokens_of(name: str) -> tuple[str, ...]:
    return tuple(map(fold, TOKENS.findall(name)))


@lru_cache(maxsize=10_000)
def use_of(name: str) -> Use | None:
    """Return what a name says of ratings, except that it is a score."""
    folded = fold(name)
    for pattern, use in USES.items():
        if re.fullmatch(pattern, folded):
            return use
    return None


def is_amount(name: str) -> bool:
    """Tell whether a name is of a number that nobody rates: a count, a time, a topic."""
    tokens = tokens_of(name)
    known = TABLE.get(fold(name))
    if not tokens or (known and known.use in (Use.PROMPT, Use.ID)):
        return True
    if tokens[0] in ("n", "has", "is") and not is_quality(name):
        return True
    is_numbered = len(tokens) > 1 and tokens[-1].isdigit()
    last = tokens[-2] if is_numbered else tokens[-1]
    return last in AMOUNT_ENDS or not AMOUNTS.isdisjoint(tokens)


def is_quality(name: str) -> bool:
    """Tell whether a name says how good something is."""
    return any(map(QUALITY_NAME.fullmatch, _last_token(name))) or is_score(name)


def _last_token(name: str) -> tuple[str, ...]:
    """Return the last token that is no mark: of `fluency_a` and `fluency_1` it is fluency."""
    tokens = tokens_of(name)
    is_marked = len(tokens) > 1 and (len(tokens[-1]) == 1 or tokens[-1].isdigit())
    if is_marked:
        return tokens[-2:-1]
    return tokens[-1:]


def may_name_rater(name: str) -> bool:
    """Tell whether a column may name who rated, if its values fit: `name`, `email`, `user`."""
    return bool(RATER_IF_IT_FITS.fullmatch(fold(name)))


def may_name_item(path: str) -> bool:
    """Tell whether a column may name items: `doc_id`, `nr`, `#`."""
    name = last_name(path)
    folded = fold(name)
    return folded in KEYS or folded.endswith(("id", "nr")) or name == "#"


def is_of_several(name: str) -> bool:
    """Tell whether a name of who rated is what several people agreed on."""
    return bool(OF_SEVERAL.fullmatch(fold(name)))


def are_joined(names: Iterable[str]) -> bool:
    """Tell whether cells name several people, who stand in other cells too."""
    cells = [SEVERAL.split(name) for name in names]
    people = [person.strip() for cell in cells for person in cell]
    return len(people) > len(cells) and len(people) >= 2 * len({*people})


def is_score(name: str) -> bool:
    """Tell whether a name says that it is a score, and perhaps of what."""
    return any(map(SCORE_NAME.match, tokens_of(name)))


def is_preference(name: str) -> bool:
    """Tell whether a name says that responses are compared."""
    return any(map(PREFERENCE.fullmatch, (*tokens_of(name), fold(name))))


def is_label(name: str) -> bool:
    """Tell whether a name is of what people answer, perhaps in words."""
    return any(map(LABELS.fullmatch, tokens_of(name)[-1:]))


def is_human(name: str) -> bool:
    """Tell whether a name says that people rated."""
    tokens = tokens_of(name)
    return not HUMANS.isdisjoint(tokens) or any(map(ROLE.match, tokens))


def is_of_part(name: str) -> bool:
    """Tell whether the number in a name is of a part: a turn, a run, a model."""
    return any(map(PARTS.fullmatch, tokens_of(name)))


def rater_role(name: str) -> str:
    """Return the role in a name of who rated: of `rater_id` and `Rater name` it is rater."""
    role = ROLE.search(fold(name))
    return role[0] if role else ""


def is_role(name: str) -> bool:
    """Tell whether a name is of one of several raters: `rater_1`, `Judge B`."""
    stem, mark = variant(name)
    if not mark:
        return False
    return bool(ROLE.fullmatch(stem) or PERSONS.fullmatch(stem))


def is_amount_by_last_word(name: str) -> bool:
    """Tell whether only the last word of a name says that it is an amount: `depth_1`."""
    return is_amount(name) and AMOUNTS.isdisjoint(tokens_of(name))


def is_machine(name: str) -> bool:
    """Tell whether a name says that a model may have rated: `gpt4_rating`, `judge_score`."""
    return is_model(name) or not MACHINE_NAMES.isdisjoint(tokens_of(name))


def is_self_doubt(name: str) -> bool:
    """Tell whether a name is of how sure the rater is."""
    return not SELF_DOUBT.isdisjoint(tokens_of(name))


def is_model(name: str) -> bool:
    """Tell whether a name has a model's in it."""
    return bool(MODEL_NAME.search(name))


def is_person(name: str) -> bool:
    """Tell whether a name may be a person's."""
    if NOUNS.fullmatch(fold(name)):
        return False
    if is_amount(name) or is_quality(name) or is_model(name) or NO_NAME.search(name):
        return False
    return bool(PERSON.fullmatch(name))


def without_mark(name: str) -> str:
    """Return a name without the number or letter in it, and without the role of a rater."""
    mark = variant(name)[1]
    rest = re.sub(rf"(?i)([ _.(-]*\b|(?<=[a-zA-Z])|[ _]){mark}\)?(?=$|[ _.:-])", "", name, count=1)
    return re.sub(rf"(?i)({ROLES})s?", "", rest).strip(" _.:-()")


def without_any(name: str, marks: Iterable[str]) -> tuple[str, str]:
    """Return a name without the mark in it that is one of several, and the mark, or ""."""
    mark = variant(name)[1]
    if mark in marks:
        return without_mark(name), mark
    for mark in sorted(marks, key=len, reverse=True):
        pattern = rf"(?i)(^|[ _.(-]+){re.escape(mark)}($|(?=[ _.):-]))"
        rest = re.sub(pattern, "", name, count=1)
        if rest != name:
            return rest.strip(" _.:-"), mark
    return name, ""
