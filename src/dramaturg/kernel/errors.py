"""The error tree, grouped by who can fix the problem.

DramaturgError
├── AuthorError              the author: a card, a scene file, a setting, a prompt file
│   ├── InvalidConfig            a scene, an episode or an option that cannot be played
│   ├── CharacterLoadError       a card that is missing or cannot be read
│   ├── InvalidSettings          dramaturg.toml or the environment
│   ├── NotTrusted               a project that asks for what its user has not allowed
│   ├── PromptError              a template or one of its variables is missing
│   ├── AlreadyUsed              an id or key of the client's that was used for something else
│   ├── FileChanged              a text that somebody else has changed since it was read
│   ├── NotebookUnavailable      a notebook that cannot be queried: its folder, or the program behind it
│   └── NotFound                 no such run, scene or project
├── ModelError               the operator of the model: the provider, the key, the network
│   ├── ModelUnavailable         unreachable, or answering 5xx: worth retrying
│   │   ├── ModelOverloaded          429 or 529, perhaps with a time to wait
│   │   └── ModelTimeout             no answer in time
│   ├── ModelRejected            the request was refused: retrying will not help
│   │   ├── KeyRejected              the key is missing, wrong or without credit
│   │   └── ModelNotFound            no such model: mistyped or retired
│   └── ModelUnreadable          the answer is not in the requested format
├── VoiceError               the speech engine; the line's text is kept
│   ├── VoiceUnavailable         unreachable, busy or failing: worth retrying
│   │   └── VoiceTimeout             no audio in time
│   ├── NoSuchVoice              a voice that the engine does not have
│   ├── VoiceRejected            the request was refused: the key, the credit, the voice, the text
│   ├── VoiceUnreadable          the answer is not the requested speech
│   ├── NotSpoken                a run that was played as text, of which nothing was spoken yet
│   └── LineUnspeakable          nothing here can read the line aloud: no words, or a language without a voice
├── BudgetExceeded           whoever pays: the limit of tokens or dollars is reached
├── ProviderBusy             time: a provider asks for a longer pause than a run waits
└── StoreError               the operator of the machine: the disk, the database
    ├── StoreUnavailable         read-only, full, corrupt or unreachable
    │   └── StoreBlocked             full, locked or unreachable for now: worth waiting for
    └── RunFenced                another process has taken over this run; this one stops

Messages say what went wrong, where, and what to do. `code` and `context` are for programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


def install_extra(extra: str) -> str:
    """How to install what is optional, for messages: from dramaturg's folder, for it is on no package index."""
    return f"pip install '.[{extra}]' in dramaturg's folder"


class DramaturgError(Exception):
    """The root: a message of one or two sentences, a stable code, and the details as `context`."""

    code: ClassVar[str] = "ERROR"

    def __init__(self, message: str, **context: object) -> None:
        super().__init__(message)
        self.message = message
        self.context: Mapping[str, object] = context

    def __str__(self) -> str:
        return self.message


class AuthorError(DramaturgError):
    """Something the author can fix."""

    code = "AUTHOR_ERROR"


class InvalidConfig(AuthorError):
    """A scene, an episode or an option that cannot be played as written."""

    code = "INVALID_CONFIG"


class CharacterLoadError(AuthorError):
    """A card that is missing or cannot be read."""

    code = "CHARACTER_LOAD_ERROR"


class InvalidSettings(AuthorError):
    """A mistake in dramaturg.toml or in an environment variable."""

    code = "INVALID_SETTINGS"


class NotTrusted(AuthorError):
    """A project asks for a key, a program, an address or a file that its user has not allowed."""

    code = "NOT_TRUSTED"


class PromptError(AuthorError):
    """A prompt template, or one of the variables it declares, is missing."""

    code = "PROMPT_ERROR"


class AlreadyUsed(AuthorError):
    """An id or key that the client chose was used for something else."""

    code = "ALREADY_USED"


class FileChanged(AuthorError):
    """A text that has changed since its writer read it; `digest` and `text` are what it is now."""

    code = "FILE_CHANGED"


class NotebookUnavailable(AuthorError):
    """A notebook that cannot be queried: its folder is missing, or the program behind it fails."""

    code = "NOTEBOOK_UNAVAILABLE"


class NotFound(AuthorError):
    """There is nothing by that name."""

    code = "NOT_FOUND"


class ModelError(DramaturgError):
    """A model could not give a usable answer."""

    code = "MODEL_ERROR"


class ModelUnavailable(ModelError):
    """The model is unreachable or its server fails: worth retrying."""

    code = "MODEL_UNAVAILABLE"


class ModelOverloaded(ModelUnavailable):
    """Too many requests; `retry_after` is in seconds, if the provider gave it."""

    code = "MODEL_OVERLOADED"

    def __init__(self, message: str, *, retry_after: float | None = None, **context: object) -> None:
        super().__init__(message, **context)
        self.retry_after = retry_after


class ModelTimeout(ModelUnavailable):
    """No answer in time."""

    code = "MODEL_TIMEOUT"


class ModelRejected(ModelError):
    """The provider refused the request; retrying will not help."""

    code = "MODEL_REJECTED"


class KeyRejected(ModelRejected):
    """The key is missing, wrong or without credit."""

    code = "KEY_REJECTED"


class ModelNotFound(ModelRejected):
    """The provider has no such model: mistyped, or retired."""

    code = "MODEL_NOT_FOUND"


class ModelUnreadable(ModelError):
    """The answer is not in the requested format."""

    code = "MODEL_UNREADABLE"


class VoiceError(DramaturgError):
    """A line could not be spoken; its text is kept."""

    code = "VOICE_ERROR"


class VoiceUnavailable(VoiceError):
    """The engine is unreachable, busy or failing; `retry_after` is in seconds, if it gave it."""

    code = "VOICE_UNAVAILABLE"

    def __init__(self, message: str, *, retry_after: float | None = None, **context: object) -> None:
        super().__init__(message, **context)
        self.retry_after = retry_after


class VoiceTimeout(VoiceUnavailable):
    """No audio in time. It may have been billed, so the request is not repeated automatically."""

    code = "VOICE_TIMEOUT"


class NoSuchVoice(VoiceError):
    """The engine has no voice of that name."""

    code = "NO_SUCH_VOICE"


class VoiceRejected(VoiceError):
    """The engine refused the request, or the settings do not allow one; retrying will not help."""

    code = "VOICE_REJECTED"


class VoiceUnreadable(VoiceError):
    """The answer is not the requested speech."""

    code = "VOICE_UNREADABLE"


class NotSpoken(VoiceError):
    """A run that was played as text: nothing of it was spoken yet."""

    code = "NOT_SPOKEN"


class LineUnspeakable(VoiceError):
    """The line has no words, or is in a language that no voice here speaks; it stays text. `language` is its code."""

    code = "LINE_UNSPEAKABLE"


class BudgetExceeded(DramaturgError):
    """The limit of tokens or dollars is reached; no more requests are sent."""

    code = "BUDGET_EXCEEDED"


class ProviderBusy(DramaturgError):
    """A provider asks for a longer pause than a run waits; the run stops and can be resumed after it."""

    code = "PROVIDER_BUSY"


class StoreError(DramaturgError):
    """The disk or the database failed."""

    code = "STORE_ERROR"


class StoreUnavailable(StoreError):
    """The store is read-only, full, corrupt or unreachable."""

    code = "STORE_UNAVAILABLE"


class StoreBlocked(StoreUnavailable):
    """The store refuses for a reason that passes: a full disk, a lock, a server that restarts. Worth waiting for."""


class RunFenced(StoreError):
    """Another process has taken over the run or what it needs; this one must stop."""

    code = "FENCED"
