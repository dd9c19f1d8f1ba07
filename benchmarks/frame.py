"""The common parts of all measurements: sizes, alternating rounds, and figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Sizes:
    """The sizes of the measurements."""

    rounds: int = 9
    long_rounds: int = 5  # for measurements that take seconds each
    million_rounds: int = 3  # for those that take half a minute
    requests: int = 80  # per round, in a row, by one annotator
    requests_at_once: int = 480  # per round, by all annotators together
    annotators: int = 16
    commits: int = 200
    items: int = 4_500  # in the tables before each measurement, half of them with ratings
    imported: int = 100_000
    imported_many: int = 1_000_000
    exported: int = 100_000  # scores
    agreed: int = 1_000_000  # scores
    overviewed: int = 1_000_000  # ratings
    led: int = 50  # projects
    agreed_smaller: int = 100_000
    exported_many: int = 1_000_000
    queue_items: int = 1_000_000
    queue_small: int = 10_000
    queue_own: int = 20_000  # ratings of one annotator
    takes: int = 60
    resets: int = 200
    keys: int = 24  # items rated in the browser, per round
    keys_from_afar: int = 8  # the same with network latency
    steady_least: int = 64  # annotators working at their own pace, at first
    steady_most: int = 2_048  # and at most
    steady_narrowings: int = 4
    steady_warming: float = 2.0  # seconds
    steady_seconds: float = 8.0


SMALL = Sizes(
    rounds=2,
    long_rounds=2,
    million_rounds=2,
    requests=6,
    requests_at_once=24,
    annotators=4,
    commits=10,
    items=240,
    imported=300,
    imported_many=1_200,
    exported=300,
    agreed=300,
    overviewed=600,
    led=2,
    agreed_smaller=150,
    exported_many=600,
    queue_items=6_000,
    queue_small=3_000,
    queue_own=100,
    takes=4,
    resets=4,
    keys=2,
    keys_from_afar=1,
    steady_least=4,
    steady_most=8,
    steady_narrowings=1,
    steady_warming=0.5,
    steady_seconds=2.0,
)


@dataclass(frozen=True)
class Figure:
    """One figure, with its value and its floor in each round.

    The ratio is the median of the ratios of the rounds. The two values of a round are neighbours in
    time, so other work on the machine affects both. The result may differ from the ratio of the
    two medians.
    """

    name: str
    unit: str
    rounds: tuple[tuple[float, float | None], ...]  # (ours, floor); None: no floor, so no ratio
    peak_mb: float | None = None  # None: not measured
    floor_peak_mb: float | None = None

    @property
    def value(self) -> float:
        return median(ours for ours, _ in self.rounds)

    @property
    def floor(self) -> float | None:
        floors = [floor for _, floor in self.rounds if floor is not None]
        return median(floors) if floors else None

    @property
    def ratios(self) -> list[float]:
        return sorted(ours / floor for ours, floor in self.rounds if floor is not None)

    def plain(self) -> dict[str, Any]:
        """Return the figure as in the JSON file."""
        found: dict[str, Any] = {"value": round(self.value, 3), "unit": self.unit}
        if (floor := self.floor) is not None:
            ratios = self.ratios
            found |= {
                "floor": round(floor, 3),
                "ratio": round(median(ratios), 3),
                "spread": [round(ratios[0], 3), round(ratios[-1], 3)],
            }
        found["rounds"] = len(self.rounds)
        for name in ("peak_mb", "floor_peak_mb"):
            if (size := getattr(self, name)) is not None:
                found[name] = round(size, 1)
        return found


def in_turns(rounds: int, ours: Callable[[], T], floor: Callable[[], T]) -> list[tuple[T, T]]:
    """Return (ours, floor) of each round. The order alternates: A B, B A, A B."""
    found: list[tuple[T, T]] = []
    for number in range(rounds):
        if number % 2:
            second = ours()
            found.append((second, floor()))
        else:
            first = floor()
            found.append((ours(), first))
    return found


def quantile(values: Sequence[float], share: float) -> float:
    """Return the quantile of the values at `share` (nearest rank)."""
    return sorted(values)[max(0, ceil(len(values) * share) - 1)]


def most_borne(
    p95: Callable[[int], float], limit: float, least: int, most: int, narrowings: int
) -> int:
    """Return the greatest number found whose p95 is below the limit, or 0 if there is none."""
    borne, number = 0, least
    while number <= most and p95(number) < limit:
        borne, number = number, number * 2
    if number > most:
        return borne
    for _ in range(narrowings):
        between = (borne + number) // 2
        if between in (borne, number):
            break
        if p95(between) < limit:
            borne = between
        else:
            number = between
    return borne


def table(figures: Iterable[Figure]) -> str:
    """Return the figures as a text table, with the range of the ratios over the rounds."""
    head = (
        "",
        "ours",
        "floor",
        "",
        "ratio",
        "lowest – highest",
        "rounds",
        "peak MB",
        "its floor's",
    )
    rows = [head]
    for figure in figures:
        plain = figure.plain()
        rows.append(
            (
                figure.name,
                f"{plain['value']:,.2f}",
                f"{plain['floor']:,.2f}" if "floor" in plain else "",
                figure.unit,
                f"{plain['ratio']:.2f}" if "ratio" in plain else "",
                "{:.2f} – {:.2f}".format(*plain["spread"]) if "spread" in plain else "",
                str(plain["rounds"]),
                str(plain.get("peak_mb", "")),
                str(plain.get("floor_peak_mb", "")),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    left = {0, 3}
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def write(path: Path, figures: Iterable[Figure]) -> None:
    """Write the figures as JSON and replace the file atomically.

    Content: {name: {value, unit, floor, ratio, spread, rounds, peak_mb, floor_peak_mb}}.
    """
    content: Mapping[str, Any] = {figure.name: figure.plain() for figure in figures}
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(json.dumps(content, indent=2) + "\n")
    draft.replace(path)


def described(sizes: Sizes) -> str:
    """Return the sizes as one line of text."""
    return ", ".join(f"{spec.name} {getattr(sizes, spec.name):,}" for spec in fields(sizes))
