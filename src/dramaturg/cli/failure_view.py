"""Why a model could not answer, and the way out, as the person at the terminal reads it."""

from __future__ import annotations

from collections.abc import Mapping

from dramaturg.cli.edge import project_option, tell
from dramaturg.cli.status_line import clock_time
from dramaturg.kernel.errors import ModelTimeout
from dramaturg.kernel.redaction import redacted, secrets_in, without_secrets
from dramaturg.kernel.runs import RunPaused
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.events import CharacterFailed, SceneOpened, VerdictReached
from dramaturg.scenes.wire import SceneMetadata, SceneResult

DOCTOR = "'dramaturg doctor' checks keys, model names and servers."
_TIMEOUT = " Raise `timeout` under [scenes] if the model needs longer."


class FailureReasons:
    """The reasons in a scene's log, each told once; `now` tells which pauses are still to come."""

    def __init__(self, settings: Settings, now: float) -> None:
        self._secrets = secrets_in(settings.env)
        self._now = now
        self._names: Mapping[str, str] = {}
        self._told: set[str] = set()

    def of(self, event: Event) -> str | None:
        """The reason in an event; None if it has none, or was told before."""
        match event:
            case SceneOpened():
                self._names = {member.name: member.display_name for member in event.cast}
            case CharacterFailed():
                hint = _TIMEOUT if event.code == ModelTimeout.code and "`timeout`" not in event.error else ""
                return self._new(
                    f"{self._names.get(event.character, event.character)} could not answer", event.error + hint
                )
            case VerdictReached() if event.unscored:
                return self._new("The judge could not answer", event.unscored)
            case RunPaused() if event.until > self._now:
                return f"{event.provider} has no room before {clock_time(event.until)}. The scene plays on then."
        return None

    def _new(self, who: str, why: str) -> str | None:
        if why in self._told:
            return None
        self._told.add(why)
        return f"{who}: {redacted(without_secrets(why), self._secrets)}"


def print_way_out(result: SceneResult, settings: Settings) -> None:
    """After a scene whose whole cast could not answer: why, and how to play on."""
    data, secrets = result.metadata, secrets_in(settings.env)
    tell("\nNobody in the cast could answer, twice in a row:")
    for why in dict.fromkeys(error.error for error in data.errors if error.beat >= data.total_beats - 2):
        tell(f"  {redacted(without_secrets(why), secrets)}")
    tell(DOCTOR)
    tell(f"Once that is fixed, play on with: {_next_command(data, result.run)}{project_option(settings.project)}")


def _next_command(data: SceneMetadata, run: str) -> str:
    """The end is in the log, so the scene goes on in a fork from the last beat that was answered."""
    last = data.total_beats - 3
    return f"dramaturg runs fork {run} --beat {last}" if last >= 0 else f"dramaturg scene run {data.name}"
