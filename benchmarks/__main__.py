"""Run the benchmarks, print a table, and write var/bench.json.

Usage: `make bench`, `make bench ONLY=name,…`. `--only` takes the names of figures, separated by
commas. Figures measured in the same go are reported too. `--small` is for tests: its sizes are too
small for meaningful figures.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from .frame import SMALL, Figure, Sizes, described, table, write
from .place import ON_DISK, own_place
from .processes import ROOT, leave_on_signals

# The measurements in order: module:function → the figures that it yields in one go.
MEASURES = {
    "minimal_view:run": ("minimal_view_p50",),
    "submit_next:one": (
        "submit_next_p50",
        "submit_next_p95",
        "submit_next_cpu",
        "submit_next_postgres_cpu",
    ),
    "submit_next:at_once": (
        "submit_next_16_throughput",
        "submit_next_16_p50",
        "submit_next_16_p99",
    ),
    "annotators_at:run": ("annotators_at_p95_250ms",),
    "key_to_next:keys": (
        "key_to_next_item_p50_ms",
        "key_to_next_item_p95_ms",
        "tick_to_verdict_p50_ms",
    ),
    "key_to_next:keys_from_afar": ("key_to_next_item_100ms_p50_ms",),
    "browser_rating:run": (
        "browser_rating_keys_cpu",
        "browser_rating_keys_postgres_cpu",
        "browser_rating_keys_tick_cpu",
        "browser_rating_keys_tick_postgres_cpu",
        "browser_rating_mouse_cpu",
        "browser_rating_mouse_postgres_cpu",
    ),
    "key_to_next:first_load": ("desk_first_load_kb", "desk_first_load_requests"),
    "take_next:run": (
        "take_next_1m_over_10k",
        "take_next_20k_own_over_none",
        "take_next_shuffled_1m_over_10k",
        "take_next_nearly_done",
    ),
    "export_scores:hundred_thousand": ("export_scores_100k",),
    "export_scores:million": ("export_scores_1m",),
    "import_100k:run": ("import_100k",),
    "agreement:pages": ("agreement_page_100k_ms", "agreement_page_100k_stored_ms"),
    "agreement:run": ("alpha_1m_seconds", "agreement_page_1m_seconds"),
    "overview:run": ("overview_1m_ms", "overview_first_1m_seconds"),
    "items_page:run": ("items_page_1m_ms", "items_list_1m_seconds"),
}


def main(arguments: list[str]) -> None:
    """Run the measurements that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", default="", metavar="NAMES")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--output", type=Path, default=ROOT / "var" / "bench.json")
    parser.add_argument(
        "--folder", type=Path, default=ON_DISK, help="where to work; it must be on a disk"
    )
    parser.add_argument(
        "--prepared", type=Path, help="copy empty tables and static files from here; for tests"
    )
    options = parser.parse_args(arguments)
    sizes = SMALL if options.small else Sizes()
    measures = chosen({name.strip() for name in options.only.split(",") if name.strip()}, parser)
    begun = time.monotonic()
    figures: list[Figure] = []
    with own_place(options.folder, sizes, prepared=options.prepared) as place:
        for measure in measures:
            print(f"{', '.join(MEASURES[measure])} …", file=sys.stderr, flush=True)
            module, _, name = measure.partition(":")
            # Import only now: these modules need Django, which own_place sets up.
            run = getattr(importlib.import_module(f"{__package__}.{module}"), name)
            figures += run(place)
    write(options.output, figures)
    print(table(figures))
    print(
        f"\nMedians; {described(sizes)}."
        f" {time.monotonic() - begun:.0f} s; also in {options.output}."
    )


def chosen(wanted: set[str], parser: argparse.ArgumentParser) -> list[str]:
    """Return the measurements that yield a wanted figure, or all if `wanted` is empty."""
    names = [name for figures in MEASURES.values() for name in figures]
    if unknown := wanted.difference(names):
        parser.error(f"no such figure: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return [
        measure
        for measure, figures in MEASURES.items()
        if not wanted or wanted.intersection(figures)
    ]


if __name__ == "__main__":
    leave_on_signals()
    main(sys.argv[1:])
