"""The plots of a health report, as SVG that needs nothing else: no script, no font, no other file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from html import escape

from dramaturg.kernel.text.shortened import shortened
from dramaturg.workshop.health.beat_progress import BANDS
from dramaturg.workshop.health.record_matter import SCALE
from dramaturg.workshop.health.values import ScenePoint

WIDTH, LEFT, RIGHT = 860.0, 150.0, 26.0
INNER = WIDTH - LEFT - RIGHT
ROW = 24.0
MOST_ROWS = 14
LONGEST = 20


def tension_plot(points: Sequence[ScenePoint]) -> str:
    """Tension over the book, the bands of the turning points behind it, and the beats that scenes serve."""
    top, height = 54.0, 190.0
    known = [one for one in points if one.tension is not None]
    beats = [one for one in points if one.beat]
    parts = [_grid(top, height)]
    for number, band in enumerate(BANDS):
        x, width = _x(band.low), (band.high - band.low) * INNER
        y = 4 + (number % 3) * 16
        told = f"{band.turn}: {band.beat}, {band.low:.0%} to {band.high:.0%}"
        parts.append(f'<g><title>{escape(told)}</title>'
                     f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="13" rx="3" '
                     f'fill="var(--band)" stroke="var(--line)"/><text x="{x + 5:.1f}" y="{y + 10}" font-size="9.5" '
                     f'class="faint">{escape(band.turn)}</text></g>')  # fmt: skip
    line = " ".join(f"{_x(_middle(one)):.1f},{_y(one.tension or 0, top, height):.1f}" for one in known)
    parts.append(f'<polyline points="{line}" fill="none" stroke="var(--blue)" stroke-width="2"/>' if known else "")
    for one in known:
        fill = "var(--card)" if "tension" in one.extracted else "var(--blue)"
        told = f"{_label(one)}: tension {one.tension:g}" + _by_model(one, "tension")
        parts.append(f'<circle cx="{_x(_middle(one)):.1f}" cy="{_y(one.tension or 0, top, height):.1f}" r="4" '
                     f'fill="{fill}" stroke="var(--blue)" stroke-width="2">'
                     f"<title>{escape(told)}</title></circle>")  # fmt: skip
    bottom, last = top + height, [-1e9] * 3
    for one in beats:
        x = _x(_middle(one))
        row = next((at for at in range(3) if x - last[at] > 6.2 * len(one.beat)), 2)
        last[row] = x
        below = bottom + 30 + row * 14
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{below - 9}" stroke="var(--line)"/>'
                     f'<text x="{min(max(x, LEFT + 30), WIDTH - 44):.1f}" y="{below}" text-anchor="middle" '
                     f'font-size="10.5">'
                     f"{escape(one.beat)}<title>{escape(_label(one))}</title></text>")  # fmt: skip
    return _svg(bottom + 72, "Tension against the beats of the book", parts)


def cast_plot(points: Sequence[ScenePoint]) -> str:
    """Who is in which scene; hollow where the prose only names them. Chapters are separated by a line."""
    counted = Counter(who for one in points for who in (*one.cast, *one.named))
    names = [who for who, _ in counted.most_common(MOST_ROWS)]
    rows = [
        (who, lambda one, who=who: "full" if who in one.cast else "hollow" if who in one.named else "")
        for who in names
    ]  # fmt: skip
    return _strips(points, rows, "Cast by chapter", chapters=True)


def challenge_plot(points: Sequence[ScenePoint]) -> str:
    """Which scenes challenge the flaw; crossed out where nothing is said of it."""

    def mark(one: ScenePoint) -> str:
        return "unknown" if one.challenge is None else "full" if one.challenge else "empty"

    return _strips(points, [("challenged", mark)], "Challenges of the fatal flaw")


def symbol_plot(points: Sequence[ScenePoint]) -> str:
    """Where each symbol is seen."""
    names = [name for name, _ in Counter(name for one in points for name in one.symbols).most_common(MOST_ROWS)]
    rows = [(name, lambda one, name=name: "full" if name in one.symbols else "empty") for name in names]
    return _strips(points, rows, "Symbols over the book")


def theme_plot(points: Sequence[ScenePoint]) -> str:
    """How far each scene touches the theme; nothing where nobody says."""
    top, height = 12.0, 110.0
    parts = [_grid(top, height)]
    for one in points:
        if one.resonance is None:
            parts.append(f'<text x="{_x(_middle(one)):.1f}" y="{top + height - 3}" text-anchor="middle" class="faint">'
                         f"?<title>{escape(_label(one))}: not known</title></text>")  # fmt: skip
            continue
        y = _y(one.resonance, top, height)
        told = f"{_label(one)}: {one.resonance:g}" + _by_model(one, "resonance")
        fill = "var(--blue-soft)" if "resonance" in one.extracted else "var(--blue)"
        x, width = _x(one.start) + 1, max(1.0, (one.end - one.start) * INNER - 2)
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{top + height - y:.1f}" fill="{fill}" '
                     f'stroke="var(--blue)"><title>{escape(told)}</title></rect>')  # fmt: skip
    return _svg(top + height + 22, "Resonance of the theme", parts)


def _strips(
    points: Sequence[ScenePoint],
    rows: Sequence[tuple[str, Callable[[ScenePoint], str]]],
    label: str,
    *,
    chapters: bool = False,
) -> str:
    """Rows of blocks, one block for each scene, as wide as the scene is long."""
    top = 22.0 if chapters else 6.0
    parts: list[str] = []
    for number, (name, mark) in enumerate(rows):
        y = top + number * ROW
        parts.append(f'<text x="{LEFT - 10}" y="{y + 16}" text-anchor="end">{escape(shortened(name, LONGEST))}'
                     f"<title>{escape(name)}</title></text>")  # fmt: skip
        parts += [_block(one, mark(one), y, name) for one in points]
    bottom = top + len(rows) * ROW
    if chapters:
        parts += _chapters(points, bottom)
    parts.append(_shares(bottom))
    return _svg(bottom + 20, label, parts)


def _block(one: ScenePoint, mark: str, y: float, name: str) -> str:
    x, width = _x(one.start) + 1, max(1.0, (one.end - one.start) * INNER - 2)
    look = {
        "full": 'fill="var(--blue)" stroke="var(--blue)"',
        "hollow": 'fill="none" stroke="var(--blue)" stroke-dasharray="3 2"',
        "empty": 'fill="var(--empty)" stroke="none"',
        "unknown": 'fill="none" stroke="var(--line)"',
        "": 'fill="none" stroke="none"',
    }[mark]
    said = {"full": name, "hollow": f"{name} is named", "empty": f"not {name}", "unknown": "not known", "": ""}[mark]
    title = f"<title>{escape(_label(one))}: {escape(said)}</title>" if said else ""
    cross = (
        f'<line x1="{x:.1f}" x2="{x + width:.1f}" y1="{y + 19}" y2="{y + 5}" stroke="var(--line)"/>'
        if mark == "unknown"
        else ""
    )
    return f'<rect x="{x:.1f}" y="{y + 4}" width="{width:.1f}" height="16" rx="2" {look}>{title}</rect>{cross}'


def _chapters(points: Sequence[ScenePoint], bottom: float) -> Iterable[str]:
    before, last = None, -1e9
    for one in points:
        if one.chapter == before:
            continue
        before, x = one.chapter, _x(one.start)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="18" y2="{bottom:.1f}" stroke="var(--line)"/>'
        if one.chapter and x - last > 6.5 * len(one.chapter[:12]) + 4:
            last = x
            yield f'<text x="{x + 3:.1f}" y="13" font-size="10" class="faint">{escape(one.chapter[:12])}</text>'


def _grid(top: float, height: float) -> str:
    lines = []
    for level in (0, 5, 10):
        y = _y(level, top, height)
        lines.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--grid)"/>'
                     f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end" class="faint">{level}</text>'
                     )  # fmt: skip
    return "".join(lines) + _shares(top + height)


def _shares(bottom: float) -> str:
    """The scale of the book along the bottom."""
    return "".join(
        f'<text x="{_x(share / 100):.1f}" y="{bottom + 15:.1f}" text-anchor="middle" font-size="10" class="faint">'
        f"{share}%</text>"
        for share in (0, 25, 50, 75, 100)
    )


def _svg(height: float, label: str, parts: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{escape(label)}">'
        f"<title>{escape(label)}</title>{''.join(parts)}</svg>"
    )


def _middle(one: ScenePoint) -> float:
    return (one.start + one.end) / 2


def _x(share: float) -> float:
    return LEFT + min(1.0, max(0.0, share)) * INNER


def _y(level: float, top: float, height: float) -> float:
    return top + height * (1 - min(SCALE, max(0.0, level)) / SCALE)


def _label(one: ScenePoint) -> str:
    return f"{one.name} {one.title}".strip()


def _by_model(one: ScenePoint, field: str) -> str:
    return " (read by a model)" if field in one.extracted else ""
