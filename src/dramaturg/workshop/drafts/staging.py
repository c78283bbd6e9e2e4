"""A scaffold on its way to the stage: a scene to be played, and a card for everybody in it who has none.

Only files are written. `dramaturg scene run` plays the scene as any other; the lines of its run are the base of a draft.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from dramaturg.characters import known_cards, load_card
from dramaturg.characters.load import FOLDER as CARDS
from dramaturg.characters.load import checked_name
from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig, NotFound
from dramaturg.kernel.text.escape import one_line
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.book.manuscript import MOST_BYTES, Manuscript
from dramaturg.workshop.book.scaffolds import read_scaffold, scaffold_path
from dramaturg.workshop.drafts.material import scene_path
from dramaturg.workshop.drafts.wire import Staging
from dramaturg.workshop.sources import BookSources

SCENES = "scenes"
FEWEST, MOST = 2, 5
"""How many play in a scene."""
LONGEST_TEXT = 600
MOST_DECISIONS = 8
FEWEST_BEATS, MOST_BEATS, WORDS_A_BEAT = 8, 40, 90
_SPLIT = re.compile(r"[,;\n]")
_BACKGROUND = re.compile(r"(?:background|extras?|crowd)\b\s*:?\s*", re.I)
_MEMBER = re.compile(r"(?P<name>[^:(–—]{1,80}?)\s*(?:(?:[:(–—]|\s-\s)\s*(?P<about>.{0,400}?)\)?)?")
_MARKS = " \t-*•[]\"'“”"


@dataclass(frozen=True, slots=True)
class CastMember:
    """Somebody who plays: the name in the scaffold, what it says of them, and their card, if there is one."""

    name: str
    about: str = ""
    card: str = ""

    @property
    def stem(self) -> str:
        return self.card or re.sub(r"\s+", "-", checked_name(self.name).lower())


@dataclass(frozen=True, slots=True)
class StagedScaffold:
    """The files to be written, by path; none if they are there already."""

    texts: Mapping[str, str]
    view: Staging


async def stage_scaffold(
    book: BookSources, scaffold: str, cast: Sequence[str] = (), *, replace: bool = False
) -> StagedScaffold:
    """The scene and the cards of a scaffold. Raises NotFound without one, InvalidConfig if it cannot be played."""
    path = scene_path(Manuscript(book.project), scaffold)
    found, problem = read_scaffold(book.project, path)
    if problem:
        raise InvalidConfig(problem, path=scaffold_path(path))
    if found is None:
        raise NotFound(f"There is no {scaffold_path(path)}. Write it, or draft the scene without a performance.")
    members = _cast(book, found.fields, cast)
    name = PurePosixPath(path).stem
    file = f"{SCENES}/{name}.yaml"
    text = scene_file(name, scaffold_path(path), found.fields, members)
    before = ProjectFiles(book.project).text(file, MOST_BYTES)
    if before is not None and before != text and not replace:
        raise InvalidConfig(
            f"There is a {file} already, with another text. Play that, or replace it with --replace.", file=file
        )
    decisions = await book.knowledge.current()
    cards = {f"{CARDS}/{one.stem}.md": card_file(book, one, name, decisions) for one in members if not one.card}
    texts = {**({} if before == text else {file: text}), **cards}
    written = ", ".join(texts) or "nothing new"
    said = (
        f"Staged {name} for {', '.join(one.name for one in members)} ({written}). Play it: dramaturg scene run {name}; "
        f"then: dramaturg foreman draft {name} --base RUN"
    )
    view = Staging(scene=name, file=file, cast=tuple(one.stem for one in members), cards=tuple(cards), said=said)
    return StagedScaffold(texts, view)


def cast_in(fields: Mapping[str, str]) -> tuple[tuple[CastMember, ...], tuple[str, ...]]:
    """Who is in a scaffold's scene, and who is only in the background."""
    listed = fields.get("characters_present") or fields.get("cast") or fields.get("characters") or ""
    members: dict[str, CastMember] = {}
    background: list[str] = []
    for item in (part.strip(_MARKS) for part in _SPLIT.split(listed)):
        if found := _BACKGROUND.match(item):
            background.append(item[found.end() :].strip(_MARKS))
        elif item and (member := _MEMBER.fullmatch(item)):
            name = member["name"].strip(_MARKS)
            members.setdefault(name.casefold(), CastMember(name, (member["about"] or "").strip(_MARKS)))
    return tuple(members.values()), tuple(filter(None, background))


def scene_file(name: str, scaffold: str, fields: Mapping[str, str], members: Sequence[CastMember]) -> str:
    """A scene for the stage in YAML, as its author might have written it."""
    _, background = cast_in(fields)
    place = [fields.get(key, "") for key in ("location", "place", "time_of_day", "time", "weather")]
    setting = ", ".join(one_line(part) for part in place if part.strip())
    situation = [_field(fields, "summary", ""), _field(fields, "beat_alignment", "Where the story stands: ")]
    situation += [_field(fields, "callbacks", "What is remembered: "), _field(fields, "foreshadowing", "In the air: ")]
    situation += [f"Also there: {', '.join(background)}." if background else ""]
    title = one_line(fields.get("title", "")) or name
    prompt = " ".join([f"{title}.", *filter(None, situation)])
    rows = [f"# From {scaffold}, for the stage. Change it as you like; the scaffold stays as it is."]
    rows += [f"name: {_quoted(name)}", *([f"setting: {_quoted(setting)}"] if setting else [])]
    rows += [f"prompt: {_quoted(prompt)}"]
    goal = one_line(fields.get("scene_goal", "") or fields.get("goal", "")) or "Something changes between them."
    rows += [f"goal: {_quoted(goal[:LONGEST_TEXT])}"]
    rows += [f"characters: [{', '.join(_quoted(one.stem) for one in members)}]", f"maxBeats: {_beats(fields)}"]
    constraint = _field(fields, "protagonist_constraint", "")
    if constraint:
        rows += ["parts:", f"  {_quoted(_lead(fields, members).stem)}:", f"    note: {_quoted(constraint)}"]
    return "\n".join(rows) + "\n"


def card_file(book: BookSources, member: CastMember, scene: str, decisions: Sequence[Decision]) -> str:
    """A card with what the book says of somebody; the writer completes it."""
    told = [member.about] if member.about else []
    page = next((one for one in StoryBible(book.project).pages() if one.template == "protagonist"), None)
    is_lead = page is not None and _same_person(member.name, page.matter.get("name", ""))
    if is_lead and page is not None:
        told += [page.fields[name] for name in ("fatal_flaw", "the_lie") if name in page.fields]
    first = member.name.split()[0].casefold()
    named = [
        one.value for one in decisions if one.category == "character" and first in f"{one.key} {one.value}".casefold()
    ]
    told += named[:MOST_DECISIONS]
    rows = "".join(f"- {one_line(text)[:LONGEST_TEXT]}\n" for text in dict.fromkeys(told))
    role = "Protagonist" if is_lead else "Character"
    return f"# {one_line(member.name)} - {role}\n\n## Background\n{rows or f'- Is in {scene}.'}".rstrip() + "\n"


def _cast(book: BookSources, fields: Mapping[str, str], wanted: Sequence[str]) -> tuple[CastMember, ...]:
    members, _ = cast_in(fields)
    if wanted:
        about = {one.name.casefold(): one.about for one in members}
        members = tuple(CastMember(name, about.get(name.casefold(), "")) for name in dict.fromkeys(wanted))
    if not FEWEST <= len(members) <= MOST:
        names = ", ".join(one.name for one in members) or "nobody"
        raise InvalidConfig(
            f"A scene is played by {FEWEST} to {MOST} characters; the scaffold has {names}. Name them with --cast."
        )
    known = tuple(_known(book))
    cast = tuple(_with_card(one, known) for one in members)
    stems = [one.stem for one in cast]
    if len(set(stems)) < len(stems):
        raise InvalidConfig(f"Two of the cast have the same card: {', '.join(stems)}. Name each once with --cast.")
    return cast


def _known(book: BookSources) -> Iterator[tuple[str, str]]:
    """The cards of the project: their names, and the names on stage."""
    for stem in known_cards(book.project):
        try:
            yield stem, load_card(book.project, stem).display_name
        except CharacterLoadError:
            yield stem, stem


def _with_card(member: CastMember, known: Sequence[tuple[str, str]]) -> CastMember:
    """The same with the card that is meant: of the same name, or the only one with its first name."""
    checked_name(member.name)
    exact = [stem for stem, shown in known if member.name.casefold() in (stem.casefold(), shown.casefold())]
    near = [stem for stem, shown in known if _same_person(member.name, shown)]
    found = exact or (near if len(near) == 1 else [])
    return CastMember(member.name, member.about, found[0]) if found else member


def _same_person(one: str, other: str) -> bool:
    """Whether two names are one, or one of them is the first name of the other."""
    left, right = one.casefold().split(), other.casefold().split()
    return bool(left and right) and (left == right or (1 in (len(left), len(right)) and left[0] == right[0]))


def _lead(fields: Mapping[str, str], members: Sequence[CastMember]) -> CastMember:
    """Whose the protagonist's constraint is: the point of view's, else the first one's."""
    pov = fields.get("pov", "") or fields.get("point_of_view", "")
    return next((one for one in members if _same_person(one.name, pov)), members[0])


def _field(fields: Mapping[str, str], name: str, before: str) -> str:
    text = one_line(fields.get(name, "")).strip(_MARKS)[:LONGEST_TEXT].rstrip(". ")
    return f"{before}{text}." if text else ""


def _beats(fields: Mapping[str, str]) -> int:
    digits = re.sub(r"[^\d]", "", fields.get("word_target", ""))[:6]
    return min(max(int(digits or 0) // WORDS_A_BEAT, FEWEST_BEATS), MOST_BEATS)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
