"""The session state: XML that tells a model the state of the book, well-formed whatever the writer typed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dramaturg.kernel.models.profiles import Tier
from dramaturg.kernel.prompts.window import message_tokens
from dramaturg.kernel.text.escape import one_line
from dramaturg.workshop.book.bible import TEMPLATES, spans
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.decisions import DecisionKind
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.foreman.elements import block, element, empty_element, filled
from dramaturg.workshop.foreman.shortened import CUT, shortened

ENTRIES: Mapping[Tier, int] = {"full": 10, "medium": 5, "minimal": 2}
ENTRY_TOKENS: Mapping[Tier, int] = {"full": 120, "medium": 40, "minimal": 16}
"""How much of one entry is told at most; what is cut is a blind spot."""
NEAR_ENTRIES: Mapping[Tier, int] = {"full": 8, "medium": 3, "minimal": 1}
"""How many facts of the graph around the scene at hand are told besides."""
WORD_TOKENS: Mapping[Tier, int] = {"full": 40, "medium": 20, "minimal": 12}
"""The same for a name, a title or a place."""
CORE = 2
SHORTEST = 12
FEWEST = 6
"""The longest title or place where even what is always told hardly fits."""
NEW_GROUP = 8
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
SCAFFOLD_TOKENS: Mapping[Tier, int] = {"full": 400, "medium": 160, "minimal": 80}
"""The token budget of the scaffold, on top of the state's own."""
_KEPT_LONGEST = (
    "beat_alignment",
    "scene_goal",
    "protagonist_constraint",
    "pov_character",
    "characters_present",
    "location",
    "callbacks",
    "foreshadowing",
    "title",
    "time_of_day",
    "weather",
    "word_target",
)
"""The fields of a scaffold in the order in which they are kept where the room is short; the writer's own go first."""


@dataclass(frozen=True, slots=True)
class SessionStateXml:
    """The XML, the entries it tells, those that are cut, and the sections that it leaves out.

    `apart` counts the tokens of voice bundle and scaffold that are included on top of the state's own budget.
    """

    xml: str
    apart: int
    left_out: tuple[str, ...]
    told: tuple[KnowledgeEntry, ...]
    cut: tuple[KnowledgeEntry, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines that are included together or not at all; `group` is the path of the elements around them.

    What a mode always tells is `always` there; `brief` are its lines where the room is short.
    """

    group: str
    lines: Sequence[str]
    brief: Sequence[str] | None = None
    always: bool = False
    told: KnowledgeEntry | None = None
    cut: bool = False
    place: int = -1

    @property
    def section(self) -> str:
        return self.group.partition("/")[0]


def session_state(book: Book, tier: Tier, budget: int) -> SessionStateXml:
    """The state within a token budget: what the mode always tells, in brief if it must be; then whatever else fits."""
    base = _position(book, tier, WORD_TOKENS[tier])
    apart = [piece for name in ("bundle", "scaffold") for piece in _PIECES[name](book, tier)]
    early = ("mishaps", "works", "corrections", "core") if tier == "minimal" else ("mishaps", "works", "core")
    order = dict.fromkeys((*early, *book.mode.rules.sections))
    pieces = [piece for name in order for piece in _PIECES[name](book, tier)]
    pieces = [replace(piece, place=place) for place, piece in enumerate(pieces)]
    if _weight(base, _in_brief(pieces), tier) > budget:
        base = _position(book, tier, FEWEST)
    kept = _fitting(base, pieces, budget, tier)
    told = tuple(piece.told for piece in kept if piece.told is not None)
    there = {piece.place for piece in kept}
    return SessionStateXml(
        xml=_inside([*base, *_grouped([*apart, *kept])], tier),
        apart=message_tokens("\n".join(_grouped(apart))),
        left_out=tuple(dict.fromkeys(piece.section for piece in pieces if piece.section and piece.place not in there)),
        told=told,
        cut=tuple(piece.told for piece in kept if piece.cut and piece.told is not None),
    )


def _fitting(base: Sequence[str], pieces: Sequence[_Piece], budget: int, tier: Tier) -> list[_Piece]:
    """The pieces that fit, in order. Those that are always told come in full if all of them can, else in brief."""
    always = [piece for piece in pieces if piece.always]
    if _weight(base, always, tier) > budget:
        always = _in_brief(pieces)
    while _weight(base, always, tier) > budget and (last := _last_of_several(always)) is not None:
        always.remove(last)
    kept, room = list(always), budget - _weight(base, always, tier)
    for piece in pieces:
        if piece.always:
            continue
        group = 0 if any(piece.group == other.group for other in kept) else NEW_GROUP * (1 + piece.group.count("/"))
        cost = message_tokens("\n".join(piece.lines)) + group + 1
        if cost <= room:
            kept.append(piece)
            room -= cost
    while len(kept) > len(always) and _weight(base, kept, tier) > budget:  # the whole weighs more than its parts
        kept.pop()
    return sorted(kept, key=lambda piece: piece.place)


def _in_brief(pieces: Sequence[_Piece]) -> list[_Piece]:
    """The pieces that are always told, as briefly as they can be."""
    always = [piece for piece in pieces if piece.always]
    return [piece if piece.brief is None else replace(piece, lines=piece.brief) for piece in always]


def _last_of_several(always: Sequence[_Piece]) -> _Piece | None:
    """The last piece of a list that has others: a list is cut from its end, and never to nothing."""
    of_a_list = Counter(piece.group for piece in always)
    return next((piece for piece in reversed(always) if piece.told is None and of_a_list[piece.group] > 1), None)


def _weight(base: Sequence[str], kept: Sequence[_Piece], tier: Tier) -> int:
    return message_tokens(_inside([*base, *_grouped(kept)], tier))


def _grouped(pieces: Sequence[_Piece], depth: int = 0) -> list[str]:
    """The lines of the pieces below the elements they belong to, in order of first appearance."""
    groups: dict[str, list[_Piece]] = {}
    for place, piece in enumerate(pieces):
        path = piece.group.split("/") if piece.group else []
        groups.setdefault(path[depth] if depth < len(path) else f"#{place}", []).append(piece)
    out: list[str] = []
    for name, held in groups.items():
        out += held[0].lines if name.startswith("#") else block(name, _grouped(held, depth + 1))
    return out


def _inside(lines: Sequence[str], tier: Tier) -> str:
    """The whole element; without indentation for models that count every token."""
    whole = block("session_state", lines)
    return "\n".join(line.lstrip() for line in whole) if tier == "minimal" else "\n".join(whole)


def _rows(fields: Mapping[str, str], most: int) -> list[str]:
    return filled({name: shortened(text, most) for name, text in fields.items()})


def _position(book: Book, tier: Tier, most: int) -> list[str]:
    fields = {"current_mode": str(book.mode), "completion_pct": str(book.completion)}
    if tier != "minimal":
        return [*filled(fields), *block("project", _rows(book.project.model_dump(), most))]
    if book.mode.rules.has_prose:
        fields |= {"active_file": book.active.file, "current_beat": book.active.beat}
    if "voice" in book.mode.rules.sections:
        fields["voice_locked"] = str(book.voice.locked).lower()
    return _rows(fields, most)


def _work_order(book: Book, tier: Tier) -> Iterable[_Piece]:
    if tier == "minimal":
        open_ones = [TEMPLATES[page.template].title for page in book.pages if page.status != "complete"]
        if open_ones:
            yield _Piece("", [element("open_templates", ", ".join(open_ones))])
        return
    for page in book.pages:
        done = spans(page.fields) if page.missing else ""
        rows = filled({"completed": done, "missing": spans(page.missing), "problem": page.problem or ""})
        named = {"name": TEMPLATES[page.template].title, "status": page.status}
        brief = [empty_element("template", **named)]
        yield _Piece("work_order", block("template", rows, **named) or brief, brief, always=True)


def _progress(book: Book, tier: Tier) -> Iterable[_Piece]:
    """The work order in one line, for a mode that is past it."""
    if tier != "minimal" and book.pages:
        complete = sum(page.status == "complete" for page in book.pages)
        yield _Piece("", [empty_element("work_order", complete=str(complete), templates=str(len(book.pages)))])


def _active(book: Book, tier: Tier) -> Iterable[_Piece]:
    told = book.active.model_dump()
    if tier != "minimal" and any(text.strip() for text in told.values()):
        brief = _rows({name: told[name] for name in ("file", "beat")}, WORD_TOKENS["minimal"])
        yield _Piece("active_context", _rows(told, WORD_TOKENS[tier]), brief, always=True)


def _voice(book: Book, tier: Tier) -> Iterable[_Piece]:
    """The voice, then what it must not do, item by item: the most severe first."""
    voice = book.voice
    if tier != "minimal":
        locked = {"locked": str(voice.locked).lower()}
        told = locked | voice.model_dump(exclude={"locked", "antipatterns"})
        yield _Piece("voice_context", _rows(told, WORD_TOKENS[tier]), filled(locked), always=True)
    for one in sorted(voice.antipatterns, key=lambda one: one.severity != "zero_tolerance"):
        if tier == "full" or one.severity == "zero_tolerance":
            line = element("pattern", shortened(one.text, ENTRY_TOKENS[tier]), severity=one.severity)
            yield _Piece("voice_context/antipatterns", [line])


def _scene(book: Book, tier: Tier) -> Iterable[_Piece]:
    if book.scaffold is None or tier == "minimal":
        return
    names = ("beat_alignment", "pov_character", "word_target", "callbacks", "foreshadowing")
    rows = {"scaffold_id": book.scaffold.scaffold_id} | {name: book.scaffold.fields.get(name, "") for name in names}
    brief = _rows({name: rows[name] for name in ("scaffold_id", "beat_alignment")}, WORD_TOKENS["minimal"])
    yield _Piece("scene_context", _rows(rows, WORD_TOKENS[tier]), brief, always=True)


def _core(book: Book, tier: Tier) -> Iterable[_Piece]:
    """The protagonist's flaw and lie, in every prompt."""
    for one in book.knowledge.core(CORE):
        line, cut = _entry(one, tier, ENTRY_TOKENS[tier])
        brief, _ = _entry(one, tier, ENTRY_TOKENS["minimal"])
        yield _Piece(_around("knowledge_context", tier), [line], [brief], always=True, told=one, cut=cut)


def _knowledge(book: Book, tier: Tier) -> Iterable[_Piece]:
    core = len(list(_core(book, tier)))
    room = ENTRIES[tier] - core - (len(list(_corrections(book, tier))) if tier == "minimal" else 0)
    for one in book.knowledge.first(max(0, room), "fact"):
        line, cut = _entry(one, tier, ENTRY_TOKENS[tier])
        yield _Piece(_around("knowledge_context", tier), [line], told=one, cut=cut)


def _near(book: Book, tier: Tier) -> Iterable[_Piece]:
    """The facts around the scene at hand, the nearest first."""
    for one in book.knowledge.near(NEAR_ENTRIES[tier]):
        line, cut = _entry(one, tier, ENTRY_TOKENS[tier])
        yield _Piece(_around("knowledge_context", tier), [line], told=one, cut=cut)


def _around(name: str, tier: Tier) -> str:
    """The element around a list; small models are spared its tokens."""
    return "" if tier == "minimal" else name


def _entry(one: KnowledgeEntry, tier: Tier, most: int) -> tuple[str, bool]:
    key = shortened(one.key, WORD_TOKENS[tier])
    named = {"key": key} if tier == "minimal" else {"category": one.category, "key": key}
    value = shortened(one_line(one.value), most)
    return element("entry", value, **named), value.endswith(CUT)


def _corrections(book: Book, tier: Tier) -> Iterable[_Piece]:
    """Corrections come before facts: a correction outranks what it corrects."""
    return _remembered(book, tier, ("correction",), {"full": 6, "medium": 3, "minimal": 1}[tier])


def _memory(book: Book, tier: Tier) -> Iterable[_Piece]:
    return _remembered(book, tier, ("preference", "continuity"), {"full": 10, "medium": 5, "minimal": 0}[tier])


def _remembered(book: Book, tier: Tier, kinds: tuple[DecisionKind, ...], most: int) -> Iterable[_Piece]:
    for one in book.knowledge.first(most, *kinds):
        value = shortened(one_line(one.value), ENTRY_TOKENS[tier])
        yield _Piece("agent_memory", [element(one.kind, value)], told=one, cut=value.endswith(CUT))


def _notebooks(book: Book, tier: Tier) -> Iterable[_Piece]:
    for place, one in enumerate(book.notebooks):
        title = shortened(one.title or one.role, WORD_TOKENS[tier])
        always = place == 0 and book.mode.rules.researches and tier != "minimal"
        yield _Piece("notebooks", [element("notebook", title, id=one.id, role=one.role)], always=always)


def _alerts(book: Book, tier: Tier) -> Iterable[_Piece]:
    """The most severe first."""
    severity = ("critical", "warning", "info")
    for one in sorted(book.alerts, key=lambda one: severity.index(one.severity)):
        text = shortened(one.text, ENTRY_TOKENS["full"])
        yield _Piece("health_alerts", [element("alert", text, severity=one.severity, check=one.check)])


def _mishaps(book: Book, tier: Tier) -> Iterable[_Piece]:
    """What was refused; the first is always told, however briefly."""
    for place, one in enumerate(book.mishaps[: {"full": 6, "medium": 3, "minimal": 1}[tier]]):
        quote = f" («{one_line(one.quote)}»)" if one.quote.strip() else ""
        line = element(one.kind, shortened(f"{one_line(one.what)}{quote}", ENTRY_TOKENS["full"]))
        brief = element(one.kind, shortened(one_line(one.what), SHORTEST))
        yield _Piece(_around("last_answer", tier), [line], [brief], always=place == 0)


def _works(book: Book, tier: Tier) -> Iterable[_Piece]:
    """What came of the long works that are over; told once, so it is always told."""
    for one in book.works:
        brief = element("work", shortened(one_line(one), SHORTEST))
        line = element("work", shortened(one_line(one), ENTRY_TOKENS[tier]))
        yield _Piece(_around("finished_work", tier), [line], [brief], always=True)


def _bundle(book: Book, tier: Tier) -> Iterable[_Piece]:
    bundle = book.bundle
    if bundle is None or tier == "minimal" or not book.mode.rules.has_prose:
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
    yield _Piece("", block("voice_bundle", filled(rows), loaded="true"))


def _scaffold(book: Book, tier: Tier) -> Iterable[_Piece]:
    if book.scaffold is not None and "scene" in book.mode.rules.sections:
        yield _Piece("active_scaffold", _scaffold_lines(book.scaffold, tier, SCAFFOLD_TOKENS[tier]))


def _scaffold_lines(scaffold: Scaffold, tier: Tier, most: int) -> list[str]:
    """The fields that fit: the writer's own are left out first, then each field is cut shorter, then the last ones
    are left out."""
    own, wanted = dict(scaffold.fields), SCAFFOLD_FIELDS[tier]
    names = [name for name in own if wanted is None or name in wanted]
    settled = [name for name in names if name in _KEPT_LONGEST]
    head = {"scaffold_id": shortened(scaffold.scaffold_id, WORD_TOKENS["minimal"])}
    for some, cap in (
        (names, ENTRY_TOKENS[tier]),
        *((settled, cap) for cap in range(ENTRY_TOKENS[tier], FEWEST - 1, -4)),
        *(
            ([one for one in settled if one in _KEPT_LONGEST[:count]], FEWEST)
            for count in range(len(_KEPT_LONGEST), 0, -1)
        ),
    ):
        lines = _rows(head | {name: own[name] for name in some}, cap)
        if message_tokens("\n".join(block("active_scaffold", lines))) <= most:
            return lines
    return filled(head)


_PIECES: Mapping[str, Callable[[Book, Tier], Iterable[_Piece]]] = {
    "mishaps": _mishaps,
    "works": _works,
    "core": _core,
    "work_order": _work_order,
    "progress": _progress,
    "active": _active,
    "voice": _voice,
    "scene": _scene,
    "corrections": _corrections,
    "knowledge": _knowledge,
    "near": _near,
    "memory": _memory,
    "notebooks": _notebooks,
    "alerts": _alerts,
    "bundle": _bundle,
    "scaffold": _scaffold,
}
