"""The layout of a file, and what it says of the columns. No Django but its translations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from .candidates import Candidate, well_filled
from .choices import Certainty, ColumnChoice
from .layouts import BY_HAND, LAYOUTS, OWN, Layout
from .model_names import has_answer, model_in
from .name_tables import Strength
from .profile import Profile
from .sample import Sample, name_within
from .uses import ANSWERING, ASKING, CONVERSATIONS, RATING, Use

# A column of a layout has its use even if another one has it, too.
SEVERAL = (Use.RESPONSE, Use.CHAT, Use.MODEL, Use.UNUSED, Use.METADATA, *RATING)


class Recognised(NamedTuple):
    """The layout of what counts in a file, and the one around it."""

    name: str
    outer: Layout  # that of any columns if nothing is around

    @property
    def inner(self) -> Layout:
        """The layout of what counts."""
        return LAYOUTS[self.name]

    @property
    def shape(self) -> str:
        """The name for both, as a mapping has it."""
        return self.outer.name if self.name == BY_HAND else self.name


def layouts_of(profile: Profile) -> list[str]:
    """Return the layouts that fit a file, the likeliest first, and columns of any kind."""
    fitting = _fitting(profile, "")
    fitting.sort(key=lambda name: name != OWN)
    return [*fitting, BY_HAND]


def recognised(profile: Profile, layout: str) -> Recognised:
    """Return the layout that was chosen, or the one that fits best.

    An object with what counts is looked for where no layout fits the file itself. It is none if a
    prompt and responses stand beside it.
    """
    plain = LAYOUTS[BY_HAND]
    if layout in LAYOUTS:
        chosen = LAYOUTS[layout]
        return Recognised(BY_HAND, chosen) if chosen.root else Recognised(layout, plain)
    for name in layouts_of(profile):
        if name != BY_HAND and (name != OWN or _fits_its_names(profile)):
            return Recognised(name, plain)
    for outer in LAYOUTS.values():
        if not (outer.root and outer.has_all(profile.sample)):
            continue
        _inside, around = candidates_of(profile, outer)
        if not _are_items(around):
            inner = [*_fitting(profile, outer.root), BY_HAND]
            return Recognised(inner[0], outer)
    return Recognised(BY_HAND, plain)


def has_layout(profile: Profile) -> bool:
    """Tell whether a file has a known layout, or a prompt and responses by their names."""
    fit = recognised(profile, "")
    every, _around = candidates_of(profile, LAYOUTS[BY_HAND])
    return fit.shape != BY_HAND or _are_items(every) or _are_answered(every)


def candidates_of(profile: Profile, outer: Layout) -> tuple[list[Candidate], list[Candidate]]:
    """Return the columns within what counts, and those beside it."""
    inside: list[Candidate] = []
    around: list[Candidate] = []
    for path, values in profile.columns.items():
        name = name_within(outer.root, path) if outer.root else path
        side = inside if name or not outer.root else around
        side.append(Candidate(name or path, values, profile.rows))
    return inside, around


def known_choices(
    layout: Layout, candidates: Sequence[Candidate], more: Mapping[str, Use]
) -> Iterator[ColumnChoice]:
    """Yield what a layout knows of the columns."""
    seen: set[Use] = set()
    reason = _("named as ours") if layout.exact else str(layout.label)
    for column in candidates:
        use = more.get(column.name) or layout.use(column.name)
        is_second = use in seen and use not in SEVERAL and not layout.exact
        if use and not is_second:
            seen.add(use)
            yield ColumnChoice(column.path, use, Certainty.SURE, reason)


def _fitting(profile: Profile, root: str) -> list[str]:
    """Return the names of the layouts that fit the file, or an object in it; the best first."""
    sample = profile.sample.inside(root) if root else profile.sample
    names = []
    for name, layout in LAYOUTS.items():
        is_inner = bool(layout.needs) and not layout.root and not (root and layout.exact)
        if is_inner and layout.has_all(sample) and (layout.exact or _asks(layout, sample)):
            names.append(name)
    return sorted(names, key=lambda name: -len(LAYOUTS[name].needs))


def _asks(layout: Layout, sample: Sample) -> bool:
    """Tell whether a column that a layout takes for the prompt is filled, or it takes none."""
    asking = [column for column in sample.columns if layout.use(column.name) in ASKING]
    return not asking or any(column.filled for column in asking)


def _fits_its_names(profile: Profile) -> bool:
    """Tell whether our names hold what they say, where another name may hold it, too."""
    inside, _around = candidates_of(profile, LAYOUTS[BY_HAND])
    before = [column.filled for column in inside if column.name in CONVERSATIONS]
    if sum(before) > profile.rows:  # a row has a history beside a prompt
        return False
    for uses in (ASKING, ANSWERING):
        columns = [column for column in inside if column.use in uses]
        columns = [column for column in columns if not (column.is_template or column.is_constant)]
        good = well_filled(columns)
        if good and all(column.strength < Strength.OURS for column in good):
            return False
    return True


def _are_answered(candidates: Iterable[Candidate]) -> bool:
    """Tell whether a column is the prompt, and others the responses of models that they name."""
    asking = [column for column in candidates if column.means(Use.PROMPT, Strength.STRONG)]
    texts = [column for column in candidates if column.is_prose and not column.use]
    models = [column for column in texts if model_in(column.name) and has_answer(column.name)]
    return bool(asking) and len(models) > 1


def _are_items(candidates: Iterable[Candidate]) -> bool:
    """Tell whether columns are a prompt and responses, by their names."""
    uses = set()
    for column in candidates:
        if column.has_words and column.strength >= Strength.STRONG:
            uses.add(column.use)
    return not uses.isdisjoint(ASKING) and not uses.isdisjoint(ANSWERING)
