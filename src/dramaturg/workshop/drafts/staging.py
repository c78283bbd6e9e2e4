"""A scaffold on its way to the stage: a scene to be played, and a card for everybody in it who has none.

Only files are written. `dramaturg scene run` plays the scene as any other; its lines can be the base of a draft.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dramaturg.characters import known_cards, load_card
from dramaturg.characters.load import FOLDER as CARDS
from dramaturg.characters.load import checked_name
from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig
from dramaturg.kernel.text.escape import one_line
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.book.manuscript import MOST_BYTES, Manuscript
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.book.scaffolds import Scaffolds
from dramaturg.workshop.drafts.material import scene_path
from dramaturg.workshop.drafts.wire import Staging
from dramaturg.workshop.sources import BookSources

SCENES = "scenes"
NO_GOAL = "Something changes between them"
FEWEST, MOST = 2, 5
"""How many play in a scene."""
LONGEST_TEXT = 600
MOST_DECISIONS = 8
FEWEST_BEATS, MOST_BEATS, WORDS_A_BEAT = 8, 40, 90
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
    plan = Scaffolds(book.project).scaffold(path)
    members = _cast(book, plan, cast)
    name = plan.scaffold_id
    file = f"{SCENES}/{name}.yaml"
    text = scene_file(plan, members)
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


def cast_in(scaffold: Scaffold) -> tuple[CastMember, ...]:
    """Who is in a scaffold's scene, with what it says of each: `Danny (owes him money)`, `Danny: owes him money`."""
    members: dict[str, CastMember] = {}
    for item in scaffold.cast:
        found = _MEMBER.fullmatch(item.strip(_MARKS))
        if found is not None and (name := found["name"].strip(_MARKS)):
            members.setdefault(name.casefold(), CastMember(name, (found["about"] or "").strip(_MARKS)))
    return tuple(members.values())


def scene_file(scaffold: Scaffold, members: Sequence[CastMember]) -> str:
    """A scene for the stage in YAML, as its author might have written it."""
    title = one_line(scaffold.title) or scaffold.scaffold_id
    told = (
        ("Where the story stands", scaffold.beat_alignment),
        ("What is remembered", "; ".join(scaffold.callbacks)),
        ("In the air", "; ".join(scaffold.foreshadowing)),
        ("Also there", ", ".join(scaffold.background)),
    )
    prompt = " ".join([f"{title}.", *(f"{name}: {_short(text)}." for name, text in told if text)])
    setting = ", ".join(filter(None, map(one_line, (scaffold.location, scaffold.time_of_day, scaffold.weather))))
    rows = [
        f"# From {scaffold.path}, for the stage. Change it as you like; the scaffold stays as it is.",
        f"name: {_quoted(scaffold.scaffold_id)}",
        *([f"setting: {_quoted(setting)}"] if setting else []),
        f"prompt: {_quoted(prompt)}",
        f"goal: {_quoted(_short(scaffold.scene_goal) or NO_GOAL)}",
        f"characters: [{', '.join(_quoted(one.stem) for one in members)}]",
        f"maxBeats: {min(max((scaffold.word_target or 0) // WORDS_A_BEAT, FEWEST_BEATS), MOST_BEATS)}",
    ]
    if constraint := _short(scaffold.protagonist_constraint):
        lead = next((one for one in members if _same_person(one.name, scaffold.pov_character)), members[0])
        rows += ["parts:", f"  {_quoted(lead.stem)}:", f"    note: {_quoted(constraint)}"]
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


def _cast(book: BookSources, scaffold: Scaffold, wanted: Sequence[str]) -> tuple[CastMember, ...]:
    members = cast_in(scaffold)
    if wanted:
        about = {one.name.casefold(): one.about for one in members}
        members = tuple(CastMember(name, about.get(name.casefold(), "")) for name in dict.fromkeys(wanted))
    if not FEWEST <= len(members) <= MOST:
        names = ", ".join(one.name for one in members) or "nobody"
        have = "--cast names" if wanted else "the scaffold has"
        raise InvalidConfig(
            f"A scene is played by {FEWEST} to {MOST} characters; {have} {names}. Name all of them with --cast."
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


def _short(text: str) -> str:
    return one_line(text).strip(_MARKS)[:LONGEST_TEXT].rstrip(". ")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
