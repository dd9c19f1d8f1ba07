"""Write what krippendorff, scipy, statsmodels and pingouin compute for each sample."""

import json
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pingouin
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

HERE = Path(__file__).parent
ICC = {
    "ICC(1,1)": "icc_1_1",
    "ICC(A,1)": "icc_2_1",
    "ICC(C,1)": "icc_3_1",
    "ICC(1,k)": "icc_1_k",
    "ICC(A,k)": "icc_2_k",
    "ICC(C,k)": "icc_3_k",
}


def alphas(rows: np.ndarray, levels: list[float]) -> dict[str, float]:
    return {
        f"alpha_{metric}": krippendorff.alpha(
            rows.T, value_domain=levels, level_of_measurement=metric
        )
        for metric in ("nominal", "ordinal", "interval")
    }


def of_a_pair(pair: np.ndarray, levels: list[float]) -> dict[str, float]:
    table = np.array(
        [[((pair == (one, two)).all(axis=1)).sum() for two in levels] for one in levels]
    )
    apart = np.abs(np.subtract.outer(levels, levels)) / (max(levels) - min(levels))
    return {
        "cohen_exact": cohens_kappa(table, return_results=False),
        "cohen_linear": cohens_kappa(table, weights=apart, return_results=False),
        "cohen_quadratic": cohens_kappa(table, weights=apart**2, return_results=False),
        "spearman": stats.spearmanr(pair[:, 0], pair[:, 1]).statistic,
        "kendall": stats.kendalltau(pair[:, 0], pair[:, 1], variant="b").statistic,
    }


def of_complete_rows(rows: np.ndarray, levels: list[float]) -> dict[str, float]:
    counts = np.array([[(row == level).sum() for level in levels] for row in rows])
    units, annotators = np.indices(rows.shape)
    long = pd.DataFrame(
        {"unit": units.ravel(), "annotator": annotators.ravel(), "rating": rows.ravel()}
    )
    table = pingouin.intraclass_corr(long, targets="unit", raters="annotator", ratings="rating")
    iccs = dict(zip(table["Type"], table["ICC"], strict=True))
    return {
        "fleiss_of_complete_rows": fleiss_kappa(counts, method="fleiss"),
        **{ours: iccs[theirs] for theirs, ours in ICC.items()},
    }


def main() -> None:
    expected = []
    for sample in json.loads((HERE.parent / "samples.json").read_text(encoding="utf-8")):
        rows, levels = np.array(sample["rows"], dtype=float), sample["levels"]
        pair = rows[:, :2][~np.isnan(rows[:, :2]).any(axis=1)]
        complete = rows[~np.isnan(rows).any(axis=1)]
        values = alphas(rows, levels) | of_a_pair(pair, levels)
        if len(complete) >= 5:
            values |= of_complete_rows(complete, levels)
        expected.append({name: float(value) for name, value in values.items()})
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
