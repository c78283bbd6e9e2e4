"""C2: where the theme is felt. The writer's own number always counts more than a model's."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.kernel.text.shortened import short_line
from dramaturg.workshop.health.beat_progress import ENDS
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, percent, result
from dramaturg.workshop.health.record_matter import SCALE
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, SceneRecord

NAME, TITLE = "C2_theme_resonance", "Theme resonance"
FELT = 0.5 * SCALE
LONGEST_SILENCE = 0.45
FEWEST_SCENES = 5
END = 0.8


def look(book: CheckedBook) -> CheckResult:
    """Long stretches without the theme, and an end that does not answer it."""
    known = [one for one in book.records if one.resonance is not None]
    own = sum(one.resonance is not None and one.resonance.evidence.origin == "front matter" for one in known)
    measured = f"Resonance of {len(known)} of {len(book.records)} scenes, {own} by the writer"
    if not book.theme:
        return cannot_tell(
            NAME, TITLE, f"{measured}.", "The story bible has no theme. Write it in story-bible/theme.md."
        )  # fmt: skip
    if not known or len(book.records) < FEWEST_SCENES:
        return cannot_tell(
            NAME, TITLE, f"{measured}.",
            "No scene says how far it touches the theme. Add 'theme:' or 'resonance: 0 to 10' to front matter, or let "
            "a model read the scenes (--extract). Your number overrides the model's.",
        )  # fmt: skip
    felt = [one for one in known if one.resonance is not None and one.resonance.value >= FELT]
    measured += f"; {len(felt)} touch it ({FELT:g} of {SCALE:g} or more)"
    silent = len(book.records) - len(known)
    measured += f"; {silent} say nothing and count as not." if silent else "."
    details = tuple(f"{one.name}: {one.resonance.value:g}" for one in known if one.resonance is not None)
    return result(NAME, TITLE, measured, tuple(_findings(book, felt)), details)


def _findings(book: CheckedBook, felt: Sequence[SceneRecord]) -> list[Finding]:
    found: list[Finding] = []
    edges = [0.0, *(edge for one in felt for edge in (one.start, one.end)), 1.0]
    gaps = [(edges[at], edges[at + 1]) for at in range(0, len(edges), 2)]
    start, end = max(gaps, key=lambda gap: gap[1] - gap[0])
    inside = [one for one in book.records if one.start >= start - 1e-9 and one.end <= end + 1e-9]
    if felt and end - start >= LONGEST_SILENCE and len(inside) >= 3:
        found.append(
            Finding(
                check=NAME,
                severity="warning" if _is_known(inside) else "info",
                subject=f"{inside[0].name} to {inside[-1].name}",
                text=f"Nothing touches the theme (“{short_line(book.theme, 80)}”) for {percent(end - start)} "
                f"of the book: {inside[0].label} to {inside[-1].label}.",
                recommendation="Let one of these scenes put it to the test. If one does and was not seen, say so: "
                "'resonance: 7' in its front matter.",
                evidence=(inside[0].place, inside[-1].place, *_quotes(felt[:2])),
            )
        )
    ended = any(one.beat is not None and one.beat.value in ENDS for one in book.records)
    last = [one for one in book.records if one.end > END]
    if ended and last and not any(one.end > END for one in felt):
        found.append(
            Finding(
                check=NAME,
                severity="warning" if _is_known(last) else "info",
                subject="the end",
                text=f"The last {percent(1 - END)} of the book do not touch the theme "
                f"(“{short_line(book.theme, 80)}”).",
                recommendation="The climax is where the theme is proved or refuted: let it cost something there.",
                evidence=(last[0].place, *_quotes(felt[-2:])),
            )
        )
    return found


def _is_known(scenes: Sequence[SceneRecord]) -> bool:
    """Whether most of some scenes say how far they touch the theme; else their silence proves little."""
    return sum(one.resonance is not None for one in scenes) * 2 > len(scenes)


def _quotes(scenes: Sequence[SceneRecord]) -> tuple[Evidence, ...]:
    return tuple(one.resonance.evidence for one in scenes if one.resonance is not None)


CHECK = HealthCheck(NAME, TITLE, look)
