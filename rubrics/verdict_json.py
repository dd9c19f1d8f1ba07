"""Verdicts as plain values, for the command line.

A verdict has these keys:

- `open`: the open scores
- `barred`: each barred score with the reasons and the clause ids, each id once
- `remarks`: remarks on open scores
- `overridden`: forces that lost to a higher precedence
- `forced`: the score that a force sets, or null
- `missing`: the codes of the checks that still need an answer

An item has `targets`, the verdicts in order. Its `out_of_order` lists the pairs of targets whose
scores contradict a rule, by their index from 0. For input that cannot be judged, `error` is the
message, `checks` are the checks at fault, and `clauses` are the clauses that forbid them.
"""

from typing import Any

from .schema import Clashes, ItemVerdict, Verdict


def as_plain(judgement: Verdict | Clashes) -> dict[str, Any]:
    """Return one judgement. If checks clash, it is a fault."""
    if isinstance(judgement, Clashes):
        return fault_as_plain(
            "; ".join(f"{', '.join(clash.checks)}: {clash.text}" for clash in judgement.clashes),
            checks=tuple(
                dict.fromkeys(check for clash in judgement.clashes for check in clash.checks)
            ),
            clauses=tuple(dict.fromkeys(clash.clause for clash in judgement.clashes)),
        )
    return {
        "open": list(judgement.open),
        "barred": [
            {
                "score": bar.score,
                "clauses": list(dict.fromkeys(reason.clause for reason in bar.reasons)),
                "reasons": [reason.text for reason in bar.reasons],
            }
            for bar in judgement.barred
        ],
        "remarks": [
            {
                "scores": list(remark.scores),
                "clause": remark.reason.clause,
                "text": remark.reason.text,
            }
            for remark in judgement.remarks
        ],
        "overridden": [
            {"clause": reason.clause, "text": reason.text} for reason in judgement.overridden
        ],
        "forced": judgement.forced,
        "missing": list(judgement.missing),
    }


def item_as_plain(item: ItemVerdict) -> dict[str, Any]:
    """Return the judgements of one item. The keys of its targets must be indexes from 0."""
    return {
        "targets": [as_plain(judgement) for _key, judgement in item.judgements],
        "out_of_order": [
            {
                "lower": int(pair.lower),
                "higher": int(pair.higher),
                "clause": pair.reason.clause,
                "text": pair.reason.text,
            }
            for pair in item.out_of_order
        ],
    }


def fault_as_plain(
    text: str, *, checks: tuple[str, ...] = (), clauses: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {"error": text, "checks": list(checks), "clauses": list(clauses)}
