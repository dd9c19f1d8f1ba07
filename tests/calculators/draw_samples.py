"""Draw the samples that all calculators read: `python -m tests.calculators.draw_samples`."""

import json
import random
from pathlib import Path

SAMPLES = Path(__file__).with_name("samples.json")
SEED = 7
# Krippendorff (2011), section C: four observers (columns) and twelve units (rows).
PUBLISHED = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, 3, None, None],
]
# The scale, how many annotators and units, which part is not rated, and which part is noise.
# On some scales the steps are unequal; of some nobody gives the lowest and the highest level.
DRAWN: list[tuple[list[float], int, int, float, float]] = [
    ([0, 1], 2, 30, 0.0, 0.3),
    ([0, 1], 5, 60, 0.5, 0.4),
    ([1, 2, 3], 3, 12, 0.0, 0.5),
    ([1, 2, 3, 4, 5], 4, 40, 0.2, 0.4),
    ([1, 2, 3, 4, 5, 6, 7], 3, 25, 0.3, 0.6),
    ([1, 2, 3, 4, 5, 6, 7], 6, 80, 0.6, 0.3),
    ([1, 2, 3, 4, 5, 6, 7], 2, 50, 0.1, 0.9),
    ([0, 1, 3, 10], 3, 30, 0.2, 0.4),
    ([-2, -0.5, 0, 4, 4.5, 9], 4, 35, 0.25, 0.5),
    ([0, 0.5, 1, 1.5, 2], 5, 20, 0.0, 0.7),
]


def draw(
    chance: random.Random,
    levels: list[float],
    annotators: int,
    units: int,
    absent: float,
    noise: float,
) -> list[list[float | None]]:
    """Return rows of ratings around a true level, without the ends of a scale of six or more."""
    inner = levels[1:-1] if len(levels) > 5 else levels
    rows: list[list[float | None]] = []
    for _unit in range(units):
        true = chance.choice(inner)
        ratings = [
            chance.choice(inner) if chance.random() < noise else true for _ in range(annotators)
        ]
        rows.append([None if chance.random() < absent else each for each in ratings])
    return rows


def main() -> None:
    chance = random.Random(SEED)  # noqa: S311
    drawn = [{"levels": case[0], "rows": draw(chance, *case)} for case in DRAWN]
    samples = [{"levels": [1, 2, 3, 4, 5], "rows": PUBLISHED}, *drawn]
    lines = ",\n".join(json.dumps(each) for each in samples)
    SAMPLES.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
