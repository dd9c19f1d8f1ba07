"""The parts of a rubric, each with the clauses that it carries."""

from __future__ import annotations

from collections.abc import Iterator

from rubrics.judging.schema import Rubric


def carriers(rubric: Rubric) -> Iterator[tuple[str, str]]:
    """Yield (clause id, part) for every part that carries a clause: the traceability table."""
    for text in rubric.guidance:
        for clause in text.clauses:
            yield clause, f"guidance {text.code}"
    for dimension in rubric.dimensions:
        place = dimension.code
        for clause in dimension.clauses:
            yield clause, f"dimension {place}"
        for text in dimension.guidance:
            for clause in text.clauses:
                yield clause, f"guidance {place}.{text.code}"
        for aid in dimension.aids:
            for clause in aid.clauses:
                yield clause, f"aid {place}.{aid.code}"
        for level in dimension.levels:
            for clause in level.clauses:
                yield clause, f"level {place}.{level.score}"
        for check in dimension.checks:
            for clause in check.clauses:
                yield clause, f"check {place}.{check.code}"
            for answer in check.answers:
                for clause in answer.clauses:
                    yield clause, f"answer {place}.{check.code}.{answer.code}"
        for rule in dimension.rules:
            yield rule.clause, f"rule {place}.{rule.code}"
