"""A data folder of SillyTavern: where its characters, worlds, chats and personas lie.

Nothing outside it is read: links that lead out are refused, and so is `secrets.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from dramaturg.characters.tavern.jsontext import is_object, read_object
from dramaturg.kernel.errors import AuthorError, InvalidConfig, NotFound
from dramaturg.kernel.files import is_inside, read_file, shown_name

SETTINGS = "settings.json"
MAX_SETTINGS = 32 * 1024 * 1024
GROUP_CHATS, GROUPS, AVATARS = "group chats", "groups", "User Avatars"
KNOWN = ("characters", "worlds", "chats", SETTINGS)
_ELSEWHERE = ("data/default-user", "default-user", "public")


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file of the folder: its place in it, for people, and the problem if it must not be read."""

    path: Path
    name: str
    problem: str = ""

    @property
    def stem(self) -> str:
        return Path(shown_name(self.path)).stem

    def read(self, limit: int) -> bytes:
        """Its bytes. Raises InvalidConfig with the reason alone."""
        if self.problem:
            raise InvalidConfig(self.problem, file=self.name)
        try:
            data = read_file(self.path, limit)
        except OSError as error:
            raise InvalidConfig(error.strerror or str(error), file=self.name) from error
        if len(data) > limit:
            raise InvalidConfig(f"it is over {limit // 2**20} MB", file=self.name)
        return data


@dataclass(frozen=True, slots=True)
class TavernPersona:
    """Somebody the user plays as."""

    avatar: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class TavernGroup:
    """Characters who talk with the user together, by the files of their cards; and the names of their chats."""

    name: str
    members: tuple[str, ...]
    chats: frozenset[str]


@dataclass(frozen=True, slots=True)
class TavernSettings:
    """What we read of the program's settings. `active_worlds` is None if they do not say which are active."""

    personas: tuple[TavernPersona, ...] = ()
    active_worlds: frozenset[str] | None = None
    problem: str = ""


class TavernFolder:
    """One user's data."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def find(cls, folder: Path) -> TavernFolder:
        """The data in a folder, or in the installation there. Raises AuthorError."""
        if not folder.exists():
            raise NotFound(f"There is no folder {folder}.", folder=str(folder))
        if not folder.is_dir():
            raise InvalidConfig(f"{folder} is a file. Give SillyTavern's data folder.", folder=str(folder))
        for place in (folder, *(folder / inner for inner in _ELSEWHERE)):
            if place.is_dir() and any((place / known).exists() for known in KNOWN):
                return cls(place)
        users = sorted(place.parent.name for place in folder.glob("data/*/characters"))
        if len(users) == 1:
            return cls(folder / "data" / users[0])
        named = (
            f" It has several users: {', '.join(users)}. Give the folder of one, such as data/{users[0]}."
            if users
            else ""
        )
        raise InvalidConfig(
            f"{folder} is not a data folder of SillyTavern: it has no characters, worlds, chats or {SETTINGS}.{named}",
            folder=str(folder),
        )

    def files(self, folder: str | Path, *suffixes: str) -> tuple[FolderFile, ...]:
        """The files of a folder with one of these endings, sorted; the folder itself, if it is a link out."""
        place = self.root / folder
        if place.is_dir() and not is_inside(place, self.root):
            return (self._file(place),)
        return tuple(
            self._file(path)
            for path in self._entries(place)
            if path.suffix.lower() in suffixes and not path.name.startswith(".") and not path.is_dir()
        )

    def folders(self, folder: str) -> tuple[Path, ...]:
        """The folders in a folder, sorted, relative to the data."""
        return tuple(path.relative_to(self.root) for path in self._entries(self.root / folder) if path.is_dir())

    def others(self) -> tuple[str, ...]:
        """Everything at the top that is neither read nor reported by itself."""
        return tuple(
            shown_name(path)
            for path in self._entries(self.root)
            if path.name not in (*KNOWN, GROUP_CHATS, GROUPS, AVATARS) and not path.name.startswith(".")
        )

    def settings(self) -> TavernSettings:
        """Personas and active worlds; none, and the problem, if the settings cannot be read."""
        path = self.root / SETTINGS
        if not path.exists() and not path.is_symlink():
            return TavernSettings()
        try:
            data = self._file(path).read(MAX_SETTINGS)
            source = read_object(data, lambda reason, _: InvalidConfig(reason))
        except AuthorError as error:
            return TavernSettings(problem=error.message)
        user, worlds = _inner(source, "power_user"), _inner(source, "world_info_settings", "world_info")
        chosen = worlds.get("globalSelect")
        return TavernSettings(
            personas=tuple(_personas(_inner(user, "personas"), _inner(user, "persona_descriptions"))),
            active_worlds=frozenset(one for one in chosen if isinstance(one, str))
            if isinstance(chosen, list)
            else None,
        )

    def groups(self) -> tuple[TavernGroup, ...]:
        """The groups; those that cannot be read are left out."""
        found = []
        for file in self.files(GROUPS, ".json"):
            with suppress(AuthorError):
                source = read_object(file.read(MAX_SETTINGS), lambda reason, _: InvalidConfig(reason))
                members, chats = _texts(source.get("members")), _texts(source.get("chats"))
                current = _texts([source.get("chat_id"), source.get("id")])
                name = source.get("name")
                found.append(TavernGroup(name if isinstance(name, str) else "", members, frozenset((*chats, *current))))
        return tuple(found)

    def _entries(self, folder: Path) -> list[Path]:
        try:
            return sorted(folder.iterdir()) if is_inside(folder, self.root) else []
        except OSError:
            return []

    def _file(self, path: Path) -> FolderFile:
        name = "/".join(shown_name(Path(part)) for part in path.relative_to(self.root).parts)
        problem = "" if is_inside(path, self.root) else "it is a link out of the folder"
        return FolderFile(path, name, problem)


def _inner(source: Mapping[str, JsonValue], *keys: str) -> Mapping[str, JsonValue]:
    for key in keys:
        found = source.get(key)
        source = found if is_object(found) else {}
    return source


def _personas(names: Mapping[str, JsonValue], descriptions: Mapping[str, JsonValue]) -> Iterable[TavernPersona]:
    for avatar, name in names.items():
        if isinstance(name, str) and name.strip():
            told = descriptions.get(avatar)
            text = told.get("description") if is_object(told) else told
            yield TavernPersona(avatar, name, text if isinstance(text, str) else "")


def _texts(found: JsonValue) -> tuple[str, ...]:
    """The texts of a list; numbers, as ids may be, are texts too."""
    listed = found if isinstance(found, list) else []
    return tuple(str(one) for one in listed if isinstance(one, str | int) and not isinstance(one, bool))
