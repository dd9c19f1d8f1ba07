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
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .frame import SMALL, Figure, Sizes, described, table, write
from .place import ON_DISK, own_place
from .processes import ROOT, leave_on_signals

if TYPE_CHECKING:
    from .worlds import Worlds


@dataclass(frozen=True)
class Measure:
    """Figures that are measured in one go."""

    run: str  # module:function, which yields them
    world: str  # of `benchmarks.worlds`
    figures: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.figures)


# In the order in which they run.
MEASURES = (
    Measure("minimal_view:run", "rated", ("minimal_view_p50",)),
    Measure(
        "submit_next:one",
        "rated",
        (
            "submit_next_p50",
            "submit_next_p95",
            "submit_next_cpu",
            "submit_next_postgres_cpu",
        ),
    ),
    Measure(
        "submit_next:at_once",
        "rated",
        ("submit_next_16_throughput", "submit_next_16_p50", "submit_next_16_p99"),
    ),
    Measure("annotators_at:run", "rated", ("annotators_at_p95_250ms",)),
    Measure(
        "key_to_next:keys",
        "rated",
        ("key_to_next_item_p50_ms", "key_to_next_item_p95_ms", "tick_to_verdict_p50_ms"),
    ),
    Measure("key_to_next:keys_from_afar", "rated", ("key_to_next_item_100ms_p50_ms",)),
    Measure(
        "browser_rating:run",
        "single",
        (
            "browser_rating_keys_cpu",
            "browser_rating_keys_postgres_cpu",
            "browser_rating_keys_tick_cpu",
            "browser_rating_keys_tick_postgres_cpu",
            "browser_rating_mouse_cpu",
            "browser_rating_mouse_postgres_cpu",
        ),
    ),
    Measure("key_to_next:first_load", "rated", ("desk_first_load_kb", "desk_first_load_requests")),
    Measure("desk_scales:run", "rated", ("desk_12_dimensions",)),
    Measure("practice:run", "rated", ("practice_answer_cpu",)),
    Measure("rubric_drafts:run", "rated", ("rubric_drafts_list_p95", "rubric_save_p95")),
    Measure("password_reset:run", "rated", ("password_reset_p50",)),
    Measure(
        "take_next:run",
        "queued",
        (
            "take_next_1m_over_10k",
            "take_next_20k_own_over_none",
            "take_next_shuffled_1m_over_10k",
        ),
    ),
    Measure("take_next:nearly_done", "nearly_done", ("take_next_nearly_done",)),
    Measure("export_scores:hundred_thousand", "exported", ("export_scores_100k",)),
    Measure("export_scores:million", "exported_many", ("export_scores_1m",)),
    Measure("api_calls:read_scores", "exported", ("api_scores_page_ms", "api_export_100k_ms")),
    Measure("api_calls:send_items", "rated", ("api_post_1000_items_ms",)),
    Measure("import_100k:run", "rated", ("import_100k",)),
    Measure("import_ratings:run", "rated", ("import_ratings_100k",)),
    Measure("import_1m:run", "uploaded", ("import_1m", "import_1m_dry_run", "import_1m_memory_mb")),
    Measure("import_1m:beside", "uploaded", ("submit_next_p95_during_import",)),
    Measure(
        "agreement:pages",
        "agreed_less",
        ("agreement_page_100k_ms", "agreement_page_100k_stored_ms"),
    ),
    Measure("agreement:run", "agreed", ("alpha_1m_seconds", "agreement_page_1m_seconds")),
    Measure("overview:run", "overviewed", ("overview_1m_ms", "overview_first_1m_seconds")),
    Measure("overview:home", "led", ("home_lead_50_projects_ms",)),
    Measure("decisions:run", "rated", ("decision_cpu", "decision_postgres_cpu", "decision_p50")),
    Measure("disagreements:run", "overviewed", ("disagreements_1m_ms",)),
    Measure("items_page:run", "overviewed", ("items_page_1m_ms", "items_list_1m_seconds")),
)


def main(arguments: list[str]) -> int:
    """Run the measurements that the command line asks for; return 1 if one of them failed."""
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
    failed: list[str] = []
    try:
        with own_place(options.folder, sizes, prepared=options.prepared) as place:
            # Only now: it needs Django, which own_place sets up.
            from .worlds import Worlds

            worlds = Worlds(place)
            for number, measure in enumerate(measures):
                later = [each.world for each in measures[number + 1 :]]
                tell(f"{measure} …")
                try:
                    for figure in measured(measure, worlds, later):
                        figures.append(figure)
                        write(options.output, figures)
                except Exception:
                    failed.append(str(measure))
                    tell(f"{traceback.format_exc()}{table(figures)}\nFailed: {measure}. Go on.")
    finally:
        if figures:
            print(table(figures))
    print(
        f"\nMedians; {described(sizes)}."
        f" {time.monotonic() - begun:.0f} s; also in {options.output}."
    )
    for name in failed:
        print(f"Failed: {name}.")
    return bool(failed)


def measured(measure: Measure, worlds: Worlds, later: Sequence[str]) -> Iterator[Figure]:
    """Yield the figures of a measure in its world, and tell how long both took."""
    begun = time.monotonic()
    with worlds.entered(measure.world, later) as place:
        made = time.monotonic()
        # Only now: these modules need Django too.
        module, _, name = measure.run.partition(":")
        yield from getattr(importlib.import_module(f"{__package__}.{module}"), name)(place)
    ended = time.monotonic()
    tell(f"  {made - begun:.0f} s to make its world, {ended - made:.0f} s to measure")


def tell(line: str) -> None:
    """Print a line for whoever waits."""
    print(line, file=sys.stderr, flush=True)


def chosen(wanted: set[str], parser: argparse.ArgumentParser) -> list[Measure]:
    """Return the measurements that yield a wanted figure, or all if `wanted` is empty."""
    names = [name for measure in MEASURES for name in measure.figures]
    if unknown := wanted.difference(names):
        parser.error(f"no such figure: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return [each for each in MEASURES if not wanted or wanted.intersection(each.figures)]


if __name__ == "__main__":
    leave_on_signals()
    sys.exit(main(sys.argv[1:]))
