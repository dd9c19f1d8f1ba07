"""Write what irrCAC computes for each sample."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from irrCAC.raw import CAC

HERE = Path(__file__).parent
# More digits than a float has: nothing is rounded.
DIGITS = 17


def of(rows: pd.DataFrame, levels: list[float]) -> dict[str, float]:
    places = np.arange(len(levels))
    near = (np.abs(np.subtract.outer(places, places)) <= 1).astype(float)

    def by(weights: object) -> CAC:
        return CAC(rows.copy(), weights=weights, categories=list(levels), digits=DIGITS)

    def value(answer: dict[str, dict[str, float]], part: str = "coefficient_value") -> float:
        return float(answer["est"][part])

    return {
        "percent_agreement": value(by("identity").fleiss(), "pa"),
        "within_one": value(by(near).fleiss(), "pa"),
        "fleiss_exact": value(by("identity").fleiss()),
        "fleiss_linear": value(by("linear").fleiss()),
        "fleiss_quadratic": value(by("quadratic").fleiss()),
        "ac1": value(by("identity").gwet()),
        "ac2_linear": value(by("linear").gwet()),
        "ac2_quadratic": value(by("quadratic").gwet()),
        "alpha_nominal": value(by("identity").krippendorff()),
        "alpha_interval": value(by("quadratic").krippendorff()),
        # Not Krippendorff's ordinal α: the weights are Gwet's, of the number of levels between.
        "alpha_by_gwets_ordinal_weights": value(by("ordinal").krippendorff()),
    }


def main() -> None:
    samples = json.loads((HERE.parent / "samples.json").read_text(encoding="utf-8"))
    expected = [
        of(pd.DataFrame(sample["rows"], dtype=float), [float(each) for each in sample["levels"]])
        for sample in samples
    ]
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
