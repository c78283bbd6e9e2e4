"""A question that was spoken: the recording is stored first, then heard. What cannot be heard is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from dramaturg.ensemble.events import QuestionHeard
from dramaturg.kernel.errors import InvalidConfig, NotFound, VoiceError
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.runs.ids import is_id, new_id
from dramaturg.voices.ears import kind_of_sound, open_ears
from dramaturg.voices.recogniser import Recogniser

FOLDER = "artifacts/ears"
KINDS = ("wav", "flac", "mp3", "ogg", "webm", "m4a")


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A recording of a question, stored under an id. `path` is below the data folder."""

    id: str
    path: str
    kind: str


class SpokenQuestions:
    """The recordings of questions, and the recogniser that hears them."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._ears: Recogniser | None = None

    async def keep(self, sound: bytes) -> RecordedQuestion:
        """Stores a recording. Raises InvalidConfig if it is none, StoreUnavailable if it cannot be stored."""
        kind = kind_of_sound(sound)
        made = _recorded(new_id(self._resources.clock.now()), kind)
        await asyncio.to_thread(self._resources.artifacts.write_bytes, made.path, sound)
        return made

    async def kept(self, question: str) -> RecordedQuestion:
        """A recording that was stored before. Raises NotFound."""
        for kind in KINDS if is_id(question) else ():
            found = _recorded(question, kind)
            if await asyncio.to_thread(self._resources.artifacts.found(found.path).is_file):
                return found
        raise NotFound(f"There is no recording '{question[:40]}' here.", recording=question[:40])

    async def hear(self, question: RecordedQuestion) -> QuestionHeard:
        """What was asked. Raises VoiceError or InvalidConfig, which name the recording: it is kept."""
        sound = await asyncio.to_thread(self._resources.artifacts.found(question.path).read_bytes)
        try:
            self._ears = self._ears or open_ears(self._resources.settings)
            heard = await self._ears.hear(sound, question.kind)
        except VoiceError as error:
            error.message += f" The recording is kept as data/{question.path}."
            error.context = {**error.context, "recording": question.id}
            raise
        if not heard.text:
            raise InvalidConfig(
                f"Nothing was heard in the recording. It is kept as data/{question.path}.", recording=question.id
            )
        return QuestionHeard(
            text=heard.text, language=heard.language, recogniser=self._ears.name, path=question.path, bytes=len(sound)
        )

    async def aclose(self) -> None:
        if self._ears is not None:
            await self._ears.aclose()


def _recorded(question: str, kind: str) -> RecordedQuestion:
    return RecordedQuestion(question, f"{FOLDER}/{question}.{kind}", kind)
