"""The session state: XML that tells a model the state of the book, well-formed whatever the writer typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from dramaturg.kernel.models.profiles import Tier
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.text.escape import one_line
from dramaturg.workshop.book.bible import TEMPLATES, spans
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.elements import block, element, empty_element, filled

ENTRIES: Mapping[Tier, int] = {"full": 10, "medium": 5, "minimal": 2}
NEW_GROUP = 14
GOLD_CHARS, ANTIPATTERN_CHARS = 2000, 1500
SCAFFOLD_FIELDS: Mapping[Tier, tuple[str, ...] | None] = {
    "full": None,
    "medium": (
        "title",
        "beat_alignment",
        "pov_character",
        "characters_present",
        "location",
        "callbacks",
        "protagonist_constraint",
        "scene_goal",
    ),
    "minimal": ("beat_alignment", "scene_goal", "protagonist_constraint"),
}
# What a mode's prompt has beyond the position, in the order in which the budget is spent.
SECTIONS: Mapping[Mode, tuple[str, ...]] = {
    Mode.ARCHITECT: ("mishaps", "work_order", "corrections", "knowledge", "notebooks", "memory", "alerts"),
    Mode.VOICE_CALIBRATION: (
        "mishaps",
        "voice",
        "work_order",
        "corrections",
        "knowledge",
        "memory",
        "notebooks",
        "alerts",
    ),
    Mode.DIRECTOR: (
        "mishaps",
        "active",
        "voice",
        "scene",
        "corrections",
        "knowledge",
        "memory",
        "alerts",
        "progress",
        "notebooks",
    ),
    Mode.EDITOR: ("mishaps", "active", "voice", "corrections", "knowledge", "memory", "alerts", "notebooks"),
}
KINDS = ("preference", "correction", "continuity")


@dataclass(frozen=True, slots=True)
class SessionStateXml:
    """The XML and what it leaves out of the book: sections by name, and decisions.

    `apart` counts the tokens of voice bundle and scaffold, which are included on top of the state's own budget.
    """

    xml: str
    apart: int
    left_out: tuple[str, ...]
    told: tuple[Decision, ...]
    untold: tuple[Decision, ...]


def session_state(book: Book, tier: Tier, budget: int) -> SessionStateXml:
    """The state within a token budget: position and project always; then, in the mode's order, whatever fits."""
    base = _position(book, tier)
    apart = [piece for name in ("bundle", "scaffold") for piece in _PIECES[name](book, tier)]
    order = SECTIONS[book.mode] if tier != "minimal" else ("mishaps", "corrections", "knowledge", *SECTIONS[book.mode])
    pieces = [piece for name in dict.fromkeys(order) for piece in _PIECES[name](book, tier)]
    kept = _fitting(base, pieces, budget, tier)
    left_out = dict.fromkeys(piece.name for piece in pieces if piece not in kept)
    told = tuple(one for piece in kept for one in piece.told)
    lines = [*base, *(line for piece in (*apart, *kept) for line in piece.lines)]
    untold = tuple(one for one in book.knowledge if one not in told)
    weight = estimate_tokens("\n".join(line for piece in apart for line in piece.lines))
    return SessionStateXml(_inside(_grouped(lines), tier), weight, tuple(left_out), told, untold)


def _fitting(base: list[str], pieces: list[_Piece], budget: int, tier: Tier) -> list[_Piece]:
    """The pieces that fit, in order; those too long for the remaining budget are skipped."""
    kept: list[_Piece] = []
    room = budget - estimate_tokens(_inside(base, tier))
    for piece in pieces:
        new_group = all(piece.name != other.name for other in kept)
        cost = estimate_tokens(_inside(piece.lines, tier)) - NEW_GROUP // 2 + (NEW_GROUP if new_group else 0)
        if cost <= room:
            kept.append(piece)
            room -= cost
    while kept and _weight(base, kept, tier) > budget:  # the whole weighs more than its parts
        kept.pop()
    return kept


def _weight(base: list[str], kept: list[_Piece], tier: Tier) -> int:
    return estimate_tokens(_inside(_grouped([*base, *(line for piece in kept for line in piece.lines)]), tier))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines that are included together or not at all; `name` is the element they belong to."""

    name: str
    lines: list[str]
    told: tuple[Decision, ...] = ()


def _position(book: Book, tier: Tier) -> list[str]:
    fields = {"current_mode": str(book.mode), "completion_pct": str(book.completion)}
    if tier != "minimal":
        return [*filled(fields), *block("project", filled(book.project.model_dump()))]
    if book.mode in (Mode.DIRECTOR, Mode.EDITOR):
        fields |= {"active_file": book.active.file, "current_beat": book.active.beat}
    if book.mode is not Mode.ARCHITECT:
        fields["voice_locked"] = str(book.voice.locked).lower()
    return filled(fields)


def _work_order(book: Book, tier: Tier) -> Iterable[_Piece]:
    if tier == "minimal":
        open_ones = [TEMPLATES[page.template].title for page in book.pages if page.status != "complete"]
        if open_ones:
            yield _Piece("work_order", [element("open_templates", ", ".join(open_ones))])
        return
    inside: list[str] = []
    for page in book.pages:
        done = spans(page.fields) if page.missing else ""
        rows = filled({"completed": done, "missing": spans(page.missing), "problem": page.problem or ""})
        named = {"name": TEMPLATES[page.template].title, "status": page.status}
        inside += block("template", rows, **named) or [empty_element("template", **named)]
    if inside:
        yield _Piece("work_order", block("work_order", inside))


def _progress(book: Book, tier: Tier) -> Iterable[_Piece]:
    """The work order in one line, for a mode that is past it."""
    if tier != "minimal" and book.pages:
        complete = sum(page.status == "complete" for page in book.pages)
        line = empty_element("work_order", complete=str(complete), templates=str(len(book.pages)))
        yield _Piece("work_order", [line])


def _active(book: Book, tier: Tier) -> Iterable[_Piece]:
    rows = filled(book.active.model_dump())
    if rows and tier != "minimal":
        yield _Piece("active_context", block("active_context", rows))


def _voice(book: Book, tier: Tier) -> Iterable[_Piece]:
    voice = book.voice
    patterns = [one for one in voice.antipatterns if tier == "full" or one.severity == "zero_tolerance"]
    listed = [element("pattern", one.text, severity=one.severity) for one in patterns]
    told = {"locked": str(voice.locked).lower(), **voice.model_dump(exclude={"locked", "antipatterns"})}
    rows = [] if tier == "minimal" else filled(told)
    if rows or listed:
        yield _Piece("voice_context", block("voice_context", [*rows, *block("antipatterns", listed)]))


def _scene(book: Book, tier: Tier) -> Iterable[_Piece]:
    if book.scaffold is None or tier == "minimal":
        return
    names = ("beat_alignment", "pov_character", "word_target", "callbacks", "foreshadowing")
    rows = {"scaffold_id": book.scaffold.scaffold_id} | {name: book.scaffold.fields.get(name, "") for name in names}
    yield _Piece("scene_context", block("scene_context", filled(rows)))


def _knowledge(book: Book, tier: Tier) -> Iterable[_Piece]:
    room = ENTRIES[tier] - (len(list(_corrections(book, tier))) if tier == "minimal" else 0)
    for one in [one for one in book.knowledge if one.kind == "fact"][:room]:
        named = {"key": one.key} if tier == "minimal" else {"category": one.category, "key": one.key}
        yield _Piece("knowledge_context", [element("entry", one.value, **named)], (one,))


def _corrections(book: Book, tier: Tier) -> Iterable[_Piece]:
    """Corrections come before facts: a correction outranks what it corrects."""
    return _remembered(book, ("correction",), {"full": 6, "medium": 3, "minimal": 1}[tier])


def _memory(book: Book, tier: Tier) -> Iterable[_Piece]:
    return _remembered(book, ("preference", "continuity"), {"full": 10, "medium": 5, "minimal": 0}[tier])


def _remembered(book: Book, kinds: tuple[str, ...], most: int) -> Iterable[_Piece]:
    for one in [one for one in book.knowledge if one.kind in kinds][:most]:
        yield _Piece("agent_memory", [element(one.kind, one.value)], (one,))


def _notebooks(book: Book, tier: Tier) -> Iterable[_Piece]:
    for one in book.notebooks:
        yield _Piece("notebooks", [element("notebook", one.title or one.role, id=one.id, role=one.role)])


def _alerts(book: Book, tier: Tier) -> Iterable[_Piece]:
    for one in book.alerts:
        yield _Piece("health_alerts", [element("alert", one.text, severity=one.severity, check=one.check)])


def _mishaps(book: Book, tier: Tier) -> Iterable[_Piece]:
    for one in book.mishaps[: {"full": 6, "medium": 3, "minimal": 1}[tier]]:
        quote = f" («{one_line(one.quote)}»)" if one.quote.strip() else ""
        yield _Piece("last_answer", [element("refused", f"{one.what.rstrip()}{quote}")])


def _bundle(book: Book, tier: Tier) -> Iterable[_Piece]:
    bundle = book.bundle
    if bundle is None or tier == "minimal" or book.mode not in (Mode.DIRECTOR, Mode.EDITOR):
        return
    rows = {"voice_summary": bundle.summary}
    if tier == "full":
        rows = {
            "winning_passage_file": bundle.gold_standard_file,
            "antipattern_file": bundle.antipattern_file,
            "evolution_file": bundle.evolution_file,
            **rows,
            "winning_passage": bundle.gold_standard[:GOLD_CHARS],
            "antipattern_sheet": bundle.antipatterns[:ANTIPATTERN_CHARS],
        }
    yield _Piece("voice_bundle", block("voice_bundle", filled(rows), loaded="true"))


def _scaffold(book: Book, tier: Tier) -> Iterable[_Piece]:
    if book.scaffold is None or book.mode is not Mode.DIRECTOR:
        return
    wanted = SCAFFOLD_FIELDS[tier]
    fields = {name: held for name, held in book.scaffold.fields.items() if wanted is None or name in wanted}
    rows = filled({"scaffold_id": book.scaffold.scaffold_id, **fields})
    yield _Piece("active_scaffold", block("active_scaffold", rows))


_PIECES: Mapping[str, Callable[[Book, Tier], Iterable[_Piece]]] = {
    "mishaps": _mishaps,
    "work_order": _work_order,
    "progress": _progress,
    "active": _active,
    "voice": _voice,
    "scene": _scene,
    "corrections": _corrections,
    "knowledge": _knowledge,
    "memory": _memory,
    "notebooks": _notebooks,
    "alerts": _alerts,
    "bundle": _bundle,
    "scaffold": _scaffold,
}
_GROUPS = {
    "entry": "knowledge_context",
    **dict.fromkeys(KINDS, "agent_memory"),
    "notebook": "notebooks",
    "alert": "health_alerts",
    "refused": "last_answer",
}


def _grouped(lines: list[str]) -> list[str]:
    """Groups entries by the element they belong to, in order of first appearance."""
    grouped: dict[str, list[str]] = {}
    for place, line in enumerate(lines):
        name = re.match(r"<(\w+)", line)
        group = _GROUPS.get(name[1]) if name else None
        grouped.setdefault(group or f"#{place}", []).append(line)
    out: list[str] = []
    for group, held in grouped.items():
        out += held if group.startswith("#") else block(group, held)
    return out


def _inside(lines: list[str], tier: Tier) -> str:
    """The whole element; without indentation for models that count every token."""
    whole = block("session_state", lines)
    return "\n".join(line.lstrip() for line in whole) if tier == "minimal" else "\n".join(whole)
