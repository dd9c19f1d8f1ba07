"""The names of what an annotator was shown. A page has them in its field `seen`, and posts them."""

from collections.abc import Iterable

# Names are made and read here only. They are stable: pages and stored drafts have them.
#
#     sets                    the candidate sets
#     r1.quality/rule=4       the remark of a rule on the score 4 in a row
#     r1.quality/aid          the proposal of an aid in a row, at any score
#     r1+r2.quality/rule      the remark of a rule on two responses
#     r1+r2.quality/twins     the note that two responses are the same
SETS = "sets"
TWINS = "twins"


def remark_name(row_name: str, rule: str, score: int | None) -> str:
    """Return the name of a rule's remark on a score."""
    return f"{_remark_at_any_score(row_name, rule)}{score}"


def is_remarked_elsewhere(seen: Iterable[str], row_name: str, rule: str, score: int | None) -> bool:
    """Return True if a rule's remark was shown at other scores of a row, and not at this one."""
    at_any_score = _remark_at_any_score(row_name, rule)
    remarks = [name for name in seen if name.startswith(at_any_score)]
    return bool(remarks) and remark_name(row_name, rule, score) not in remarks


def _remark_at_any_score(row_name: str, rule: str) -> str:
    return f"{row_name}/{rule}="


def proposal_name(row_name: str, aid: str) -> str:
    """Return the name of an aid's proposal."""
    return f"{row_name}/{aid}"


def pair_name(first: str, second: str, dimension: str, rule: str) -> str:
    """Return the name of a remark on two responses. The note on twins has TWINS for a rule."""
    return f"{first}+{second}.{dimension}/{rule}"
