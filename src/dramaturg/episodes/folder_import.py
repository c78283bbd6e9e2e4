"""The import of a SillyTavern folder: characters, worlds, personas, and chats as sessions that can be played on.

Each file is brought by itself, so one that cannot be read stops no other. A ledger in the project's data has what was
brought before; it is not brought again unless it has changed, and then as something new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import orjson

from dramaturg.characters import load_card
from dramaturg.characters.folder_import import (
    CARD_ENDINGS,
    Brought,
    CardShelf,
    LinkedWorlds,
    bring_world,
    read_worlds,
)
from dramaturg.characters.tavern.folder import (
    AVATARS,
    GROUP_CHATS,
    SETTINGS,
    FolderFile,
    TavernFolder,
    TavernGroup,
    TavernPersona,
    TavernSettings,
)
from dramaturg.episodes.card_talk import card_talk, group_talk
from dramaturg.episodes.chat_cast import ChatCast, group_cast
from dramaturg.episodes.chat_file import SEVERAL, brought
from dramaturg.episodes.events import Persona
from dramaturg.episodes.new_session import LONGEST_ABOUT, LONGEST_NAME
from dramaturg.episodes.tavern_chat import MAX_CHAT, TavernChat, read_chat
from dramaturg.kernel.errors import AuthorError, InvalidConfig, ModelError
from dramaturg.kernel.files import is_inside, read_file, shown_name
from dramaturg.kernel.store.artifacts import Artifacts
from dramaturg.kernel.text.escape import cleaned
from dramaturg.kernel.values import Value

if TYPE_CHECKING:
    from dramaturg.episodes.front import Episodes

LEDGER, LARGEST_LEDGER = "imports/sillytavern.json", 64_000_000
MOST_OTHERS = 12
ImportKind: TypeAlias = Literal["character", "world", "persona", "chat", "other"]
Outcome: TypeAlias = Literal["imported", "unchanged", "left"]


class ImportRow(Value):
    """What became of one file. `target` is where it went; `remarks` say what was changed, or why it was left."""

    kind: ImportKind
    source: str
    outcome: Outcome
    target: str = ""
    remarks: tuple[str, ...] = ()


class FolderReport(Value):
    """What became of a folder. A dry run says what would."""

    folder: str
    dry_run: bool
    rows: tuple[ImportRow, ...]

    def count(self, kind: ImportKind, outcome: Outcome) -> int:
        return sum(row.kind == kind and row.outcome == outcome for row in self.rows)


class ImportLedger:
    """What was imported before, by the digest of its place and content, and what it became."""

    def __init__(self, data: Path) -> None:
        self._files = Artifacts(data, private=True)
        try:
            found = orjson.loads(read_file(self._files.path(LEDGER), LARGEST_LEDGER))
        except (OSError, orjson.JSONDecodeError):
            found = {}
        self._known: dict[str, str] = (
            {key: value for key, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
        )

    def target(self, key: str) -> str | None:
        return self._known.get(key)

    def add(self, key: str, target: str) -> None:
        """Remembers it, at once."""
        self._known[key] = target
        self._files.write_bytes(LEDGER, orjson.dumps(self._known, option=orjson.OPT_INDENT_2))


def check_apart(folder: TavernFolder, project: Path, data: Path) -> None:
    """Raises InvalidConfig if the project lies in the folder that is imported, or the folder in the project's data."""
    if is_inside(project, folder.root) or is_inside(folder.root, data):
        raise InvalidConfig(
            f"{folder.root} and the story project overlap. Import into another folder: --project DIR.",
            folder=str(folder.root),
        )


class FolderImport:
    """One import. Without `episodes` it is a dry run, which writes nothing."""

    def __init__(
        self,
        folder: TavernFolder,
        project: Path,
        ledger: ImportLedger,
        *,
        episodes: Episodes | None = None,
        player: str = "me",
        model: str | None = None,
        on_row: Callable[[ImportRow], None] = lambda row: None,
    ) -> None:
        self._folder, self._project, self._ledger = folder, project, ledger
        self._episodes, self._player, self._model = episodes, player, model
        self._on_row = on_row
        self._rows: list[ImportRow] = []
        self._cards: dict[str, str] = {}
        self._named: dict[str, str] = {}
        self._players: dict[str, Persona] = {}

    async def run(self) -> FolderReport:
        """Brings everything. Raises only what concerns the project as a whole: its disk, its database."""
        settings, worlds = self._folder.settings(), read_worlds(self._folder)
        if settings.problem:
            self._say("persona", SETTINGS, "left", remarks=(settings.problem,))
        cards = CardShelf(self._project, dry_run=self._is_dry)
        for file in self._folder.files("characters", *CARD_ENDINGS):
            self._bring_card(cards, file, worlds)
        for file in self._folder.files("worlds", ".json"):
            self._bring_world(file, worlds, settings)
        for persona in settings.personas:
            await self._bring_persona(persona)
        for folder in self._folder.folders("chats"):
            for file in self._folder.files(folder, ".jsonl"):
                await self._bring_chat(shown_name(folder), file)
        groups = self._folder.groups()
        for file in self._folder.files(GROUP_CHATS, ".jsonl"):
            await self._bring_group_chat(file, groups)
        for source, reason in self._not_taken():
            self._say("other", source, "left", remarks=(reason,))
        return FolderReport(folder=str(self._folder.root), dry_run=self._is_dry, rows=tuple(self._rows))

    @property
    def _is_dry(self) -> bool:
        return self._episodes is None

    def _bring_card(self, cards: CardShelf, file: FolderFile, worlds: LinkedWorlds) -> None:
        try:
            card, data = cards.content(file, worlds)
            linked = worlds.book_of(card.card)
            key = _digest("character", file.name, data)
            target = self._ledger.target(key)
            made = cards.bring(file, card, data) if target is None else Brought(target, is_new=False)
        except AuthorError as error:
            self._say("character", file.name, "left", remarks=(error.message,))
            return
        self._cards[file.stem.casefold()] = made.target
        self._named.setdefault((card.card.data.name or "").strip().casefold(), made.target)
        if linked is not None and card.form != "charx":
            worlds.users.setdefault(linked[0], []).append(made.target)
        self._keep("character", file.name, key, made)

    def _bring_world(self, file: FolderFile, worlds: LinkedWorlds, settings: TavernSettings) -> None:
        name = file.stem
        if name in worlds.problems:
            self._say("world", file.name, "left", remarks=(worlds.problems[name],))
            return
        key = _digest("world", file.name, worlds.data[name])
        target = self._ledger.target(key)
        try:
            made = (
                bring_world(self._project, name, worlds, settings, dry_run=self._is_dry)
                if target is None
                else Brought(target, is_new=False)
            )
        except AuthorError as error:
            self._say("world", file.name, "left", remarks=(error.message,))
            return
        self._keep("world", file.name, key, made)

    async def _bring_persona(self, persona: TavernPersona) -> None:
        name = " ".join(cleaned(persona.name).split())
        about = cleaned(persona.description).strip()
        source = f"{SETTINGS}: {name[:LONGEST_NAME]}"
        key = _digest("persona", persona.avatar, f"{name}\0{about}".encode())
        target = self._ledger.target(key)
        if not name:
            self._say("persona", f"{SETTINGS}: {persona.avatar}", "left", remarks=("It has no name.",))
            return
        remarks = tuple(_cut_remarks(name, about))
        player = Persona(
            id=target or await self._free_player(name), name=name[:LONGEST_NAME], about=about[:LONGEST_ABOUT]
        )
        self._players[name.casefold()] = player
        if target is None and self._episodes is not None:
            await self._episodes.players.save(player)
        self._keep("persona", source, key, Brought(player.id, is_new=target is None, remarks=remarks))

    async def _free_player(self, name: str) -> str:
        """An id for a persona: one that nobody else has."""
        plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40] or "persona"
        taken = {player.id for player in self._players.values()}
        player, number = plain, 1
        while player in taken or (self._episodes is not None and await self._episodes.players.get(player) is not None):
            number += 1
            player = f"{plain}-{number}"
        return player

    async def _bring_chat(self, stem: str, file: FolderFile) -> None:
        name = self._cards.get(stem.casefold())
        if name is None and not file.problem:
            reason = f"There is no card characters/{stem}.png that could be imported."
            self._say("chat", file.name, "left", remarks=(reason,))
            return
        await self._bring_talk(file, lambda chat: ChatCast((name or "",)))

    async def _bring_group_chat(self, file: FolderFile, groups: Sequence[TavernGroup]) -> None:
        group = next((one for one in groups if file.stem in one.chats), None)
        await self._bring_talk(file, lambda chat: group_cast(chat, group, self._named | self._cards))

    async def _bring_talk(self, file: FolderFile, cast: Callable[[TavernChat], ChatCast]) -> None:
        try:
            data = file.read(MAX_CHAT)
            key = _digest("chat", file.name, data)
            target = self._ledger.target(key)
            if target is not None:
                self._keep("chat", file.name, key, Brought(target, is_new=False))
                return
            chat = read_chat(data, lambda reason, remedy: InvalidConfig(f"{reason}. {remedy}"))
            self._keep("chat", file.name, key, await self._session(cast(chat), chat))
        except (AuthorError, ModelError) as error:
            self._say("chat", file.name, "left", remarks=(error.message,))

    async def _session(self, cast: ChatCast, chat: TavernChat) -> Brought:
        """A session that continues a chat. Raises AuthorError or ModelError."""
        if self._episodes is None:
            told = brought(chat, 0.0).remarks
            several = len(cast.characters) > 1
            return Brought(
                "a session", remarks=(*(one for one in told if not (several and SEVERAL in one)), *cast.remarks)
            )
        cards = [load_card(self._project, name) for name in cast.characters]
        talk = card_talk(cards[0]) if len(cards) == 1 else group_talk(cards, cast.title)
        view, remarks = await self._episodes.take_in(chat, talk, self._persona(chat), model=self._model, reviewed=False)
        return Brought(view.id, remarks=(*remarks, *cast.remarks))

    def _persona(self, chat: TavernChat) -> Persona:
        """Who the user is in a chat: one of the personas, or the name alone."""
        known = self._players.get(" ".join(cleaned(chat.user).split()).casefold())
        return known or Persona(id=self._player)

    def _not_taken(self) -> Iterator[tuple[str, str]]:
        if self._folder.files(AVATARS, ".png", ".jpg", ".jpeg", ".webp", ".gif"):
            yield AVATARS, "Players have no pictures here."
        if others := self._folder.others():
            shown = ", ".join(others[:MOST_OTHERS]) + (" and more" if len(others) > MOST_OTHERS else "")
            yield shown, "dramaturg has no use for it, and did not read it."

    def _keep(self, kind: ImportKind, source: str, key: str, made: Brought) -> None:
        if made.is_new and not self._is_dry:
            self._ledger.add(key, made.target)
        self._say(kind, source, "imported" if made.is_new else "unchanged", made.target, made.remarks)

    def _say(
        self, kind: ImportKind, source: str, outcome: Outcome, target: str = "", remarks: tuple[str, ...] = ()
    ) -> None:
        row = ImportRow(kind=kind, source=source, outcome=outcome, target=target, remarks=remarks)
        self._rows.append(row)
        self._on_row(row)


def _cut_remarks(name: str, about: str) -> Iterator[str]:
    if len(name) > LONGEST_NAME:
        yield f"The name was cut to {LONGEST_NAME} characters."
    if len(about) > LONGEST_ABOUT:
        yield f"The description has {len(about):,} characters and was cut to {LONGEST_ABOUT:,}."


def _digest(kind: str, source: str, data: bytes) -> str:
    return sha256(f"{kind}\0{source}\0".encode("utf-8", "surrogatepass") + data).hexdigest()[:32]
