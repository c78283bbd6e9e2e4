"""SillyTavern's chat files: one JSON object per line, a header and then the messages with their swipes.

Unknown fields are kept. Ours are only under `chat_metadata.dramaturg` and `extra.dramaturg`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from dramaturg.characters.tavern.card import OURS
from dramaturg.characters.tavern.jsontext import (
    JsonObject,
    Refuse,
    is_object,
    read_object,
    write_json,
    wrong_field,
)
from dramaturg.kernel.values import Value

THROUGH_SILLYTAVERN = "SillyTavern can import chats of other programs; export it from there."
NOBODY = frozenset(("", "you", "user", "unused"))
"""Names that a chat has when its user has none."""
MAX_CHAT = 64 * 1024 * 1024
MAX_LINES = 200_000
DEFAULT_NOTE_DEPTH = 4
Stamp: TypeAlias = str | int | float | None

_MONTHS = "january february march april may june july august september october november december".split()
_IN_WORDS = re.compile(
    r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:,? (?:at )?(\d{1,2}):(\d{2})(?::(\d{2}))? ?([ap]m)?)?", re.IGNORECASE
)
_WITH_UNITS = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?", re.IGNORECASE
)


class _OpenValue(BaseModel):
    """Frozen like every value, but open: unknown fields are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    @property
    def source(self) -> JsonObject:
        """Its JSON: the fields that were given, and no others."""
        return self.model_dump(mode="json", exclude_unset=True)


OpenT = TypeVar("OpenT", bound=_OpenValue)


class TavernChatHeader(_OpenValue):
    """The first line of a chat."""

    user_name: str = ""
    character_name: str = ""
    create_date: Stamp = None
    chat_metadata: Mapping[str, JsonValue] | None = None

    @property
    def ours(self) -> JsonObject:
        """What dramaturg has stored there."""
        return _ours(self.chat_metadata)

    @property
    def note(self) -> TavernNote | None:
        """The author's note of the chat; None if there is none, or it is switched off."""
        found = self.chat_metadata or {}
        text, interval = found.get("note_prompt"), found.get("note_interval")
        if not isinstance(text, str) or not text.strip() or interval == 0:
            return None
        depth, in_chat = found.get("note_depth"), found.get("note_position") in (None, 1)
        return TavernNote(
            text=text.strip(),
            depth=depth if in_chat and isinstance(depth, int) else DEFAULT_NOTE_DEPTH if in_chat else None,
            interval=interval if isinstance(interval, int) and interval > 0 else 1,
        )


class TavernNote(Value):
    """An author's note: it stands `depth` messages above the newest, or above them all without `depth`."""

    text: str
    depth: int | None = None
    interval: int = 1


class SwipeInfo(_OpenValue):
    """When and how a swipe was generated."""

    send_date: Stamp = None
    gen_started: Stamp = None
    gen_finished: Stamp = None
    extra: Mapping[str, JsonValue] | None = None


class TavernMessage(_OpenValue):
    """A message. `mes` is the text shown, `swipes` are all its versions, and `swipe_id` is the one shown."""

    name: str = ""
    is_user: bool = False
    is_system: bool = False
    send_date: Stamp = None
    mes: str | Mapping[str, JsonValue] = ""
    extra: Mapping[str, JsonValue] | None = None
    swipe_id: int | None = None
    swipes: tuple[str, ...] | None = None
    swipe_info: tuple[SwipeInfo | None, ...] | None = None

    @property
    def text(self) -> str:
        """The text shown. Chub nests it one level deeper."""
        if isinstance(self.mes, str):
            return self.mes
        deeper = self.mes.get("message")
        return deeper if isinstance(deeper, str) else ""

    @property
    def answers(self) -> tuple[str, ...]:
        """All the swipes; there is always at least one."""
        return self.swipes or (self.text,)

    @property
    def shown(self) -> int:
        """The index of the swipe shown; if the file contradicts itself, the one with the same text."""
        place = self.swipe_id if self.swipe_id is not None else 0
        if 0 <= place < len(self.answers) and self.answers[place] == self.text:
            return place
        return self.answers.index(self.text) if self.text in self.answers else min(max(place, 0), len(self.answers) - 1)

    @property
    def sent_at(self) -> datetime | None:
        return read_date(self.send_date)

    @property
    def ours(self) -> JsonObject:
        """What dramaturg has stored there."""
        return _ours(self.extra)


class TavernChat(Value):
    """A chat: its header, which group chats of older versions lack, and its messages."""

    header: TavernChatHeader | None = None
    messages: tuple[TavernMessage, ...] = ()

    @property
    def user(self) -> str:
        """What the user is called, by the header or by the first message; "You" and the like are names too."""
        name = self.header.user_name.strip() if self.header is not None else ""
        if name.casefold() in NOBODY:
            name = next((one.name.strip() for one in self.messages if one.is_user), "")
        return name

    @property
    def named_user(self) -> str:
        """The same, if it is somebody's name; else nothing."""
        return "" if self.user.casefold() in NOBODY else self.user


def read_chat(data: bytes, refuse: Refuse) -> TavernChat:
    """The chat in a file's bytes. Raises the error `refuse` makes, with the line, and nothing else."""
    if len(data) > MAX_CHAT:
        raise refuse(f"the chat is over {MAX_CHAT // 2**20} MB", "Split it.")
    if _is_document(data):
        raise refuse("it is one JSON document, and no chat of SillyTavern", THROUGH_SILLYTAVERN)
    header: TavernChatHeader | None = None
    messages: list[TavernMessage] = []
    for number, line in _lines(data, refuse):
        at_line = _at(number, refuse)
        fields = read_object(line, at_line)
        if number == 1 and _is_header(fields):
            header = _read(TavernChatHeader, fields, at_line)
        elif "mes" not in fields:
            raise at_line("there is no 'mes' in it", "Every line after the first is a message.")
        else:
            messages.append(_read(TavernMessage, fields, at_line))
    if header is None and not messages:
        raise refuse("it is empty", "A chat has one message per line.")
    return TavernChat(header=header, messages=tuple(messages))


def write_chat(chat: TavernChat) -> bytes:
    """The chat as a file; it reads back the same."""
    lines: Iterable[TavernChatHeader | TavernMessage] = (*((chat.header,) if chat.header else ()), *chat.messages)
    return b"\n".join(write_json(line.source) for line in lines) + b"\n"


def read_date(stamp: Stamp) -> datetime | None:
    """A date as any version writes it: 'June 5, 2024 3:07pm', ISO, '2024-6-5 @15h 07m 00s', seconds, milliseconds.

    Dates without a time zone are UTC. None if it cannot be read.
    """
    try:
        if isinstance(stamp, str) and not stamp.strip().isdecimal():
            return _in_words(stamp.strip())
        if stamp is None or isinstance(stamp, bool):
            return None
        seconds = float(stamp)
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds / 1000 if seconds > 1e11 else seconds)
    except (ValueError, OverflowError):
        return None


def written_date(moment: datetime) -> str:
    """A date as current versions write it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _in_words(words: str) -> datetime | None:
    if words_found := _IN_WORDS.fullmatch(words):
        month = next((place for place, name in enumerate(_MONTHS, 1) if name.startswith(words_found[1].lower())), 0)
        hour = int(words_found[4] or 0)
        half = (words_found[7] or "").lower()
        hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
        return datetime(
            int(words_found[3]),
            month,
            int(words_found[2]),
            hour,
            int(words_found[5] or 0),
            int(words_found[6] or 0),
            tzinfo=UTC,
        )
    if units_found := _WITH_UNITS.fullmatch(words):
        *parts, thousandths = (int(part or 0) for part in units_found.groups())
        year, month, day, hour, minute, second = parts
        return datetime(year, month, day, hour, minute, second, thousandths * 1000, tzinfo=UTC)
    moment = datetime.fromisoformat(words)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _lines(data: bytes, refuse: Refuse) -> Iterator[tuple[int, bytes]]:
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if len(lines) > MAX_LINES:
        raise refuse(f"the chat has over {MAX_LINES:,} lines", "Split it.")
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _is_document(data: bytes) -> bool:
    """Whether a file is a whole document, as other programs write their chats, and not one line for each message."""
    first, _, rest = data.removeprefix(b"\xef\xbb\xbf").strip().partition(b"\n")
    is_alone = first[:1] == b"{" and not rest and not any(name in first for name in (b'"mes"', b'"user_name"'))
    return first[:1] == b"[" or first.strip() == b"{" or (is_alone and b'"chat_metadata"' not in first)


def _at(number: int, refuse: Refuse) -> Refuse:
    return lambda reason, remedy: refuse(f"line {number}: {reason}", remedy)


def _is_header(fields: JsonObject) -> bool:
    return "mes" not in fields and any(key in fields for key in ("chat_metadata", "user_name", "character_name"))


def _ours(place: JsonObject | None) -> JsonObject:
    found = (place or {}).get(OURS)
    return found if is_object(found) else {}


def _read(kind: type[OpenT], fields: JsonObject, refuse: Refuse) -> OpenT:
    try:
        return kind.model_validate(fields, strict=False)
    except ValidationError as error:
        raise wrong_field(error, fields, "", refuse) from error
