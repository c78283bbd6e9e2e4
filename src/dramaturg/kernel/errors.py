"""Everything that can go wrong, sorted by who can mend it.

DramaturgError
├── AuthorError              the author: a card, a scene file, a setting, a prompt file
│   ├── InvalidConfig            a scene, an episode or an option that cannot be played
│   ├── CharacterLoadError       a card that is missing or cannot be read
│   ├── InvalidSettings          dramaturg.toml or the environment
│   ├── PromptError              a template or one of its variables is missing
│   ├── NotebookUnavailable      a notebook that cannot be asked: its folder, or the program behind it
│   └── NotFound                 no such run, scene or project
├── ModelError               whoever runs the model: the provider, the key, the network
│   ├── ModelUnavailable         not reached, or answering 5xx: worth another try
│   │   ├── ModelOverloaded          429 or 529, perhaps with a time to wait
│   │   └── ModelTimeout             no answer in the time given
│   ├── ModelRejected            reached, and it said no: asking again will not help
│   │   ├── KeyRejected              the key is missing, wrong or without credit
│   │   └── ModelNotFound            no such model: mistyped or retired
│   └── ModelUnreadable          it answered, and the answer is not in the form asked for
├── VoiceError               the speech engine; the text of the line stands
│   ├── VoiceUnavailable         not reached, busy, or failing on its side: worth another try
│   │   └── VoiceTimeout             no sound in the time given
│   ├── VoiceRejected            it said no, or cannot be asked: the key, the credit, the voice, the text
│   └── VoiceUnreadable          it answered, and the answer is not the speech asked for
├── BudgetExceeded           whoever pays: the limit of tokens or money is reached
└── StoreError               whoever runs the machine: the disk, the database
    ├── StoreUnavailable         read-only, full, corrupt, or not reached
    └── Fenced                   another player has taken this run; this one stops

Messages say what, where and the way out. `code` and `context` are for programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class DramaturgError(Exception):
    """The root: one readable sentence or two, a stable code and the facts behind them."""

    code: ClassVar[str] = "ERROR"

    def __init__(self, message: str, **context: object) -> None:
        super().__init__(message)
        self.message = message
        self.context: Mapping[str, object] = context

    def __str__(self) -> str:
        return self.message


class AuthorError(DramaturgError):
    """The author can mend it."""

    code = "AUTHOR_ERROR"


class InvalidConfig(AuthorError):
    """A scene, an episode or an option that cannot be played as it stands."""

    code = "INVALID_CONFIG"


class CharacterLoadError(AuthorError):
    """A card that is missing or cannot be read."""

    code = "CHARACTER_LOAD_ERROR"


class InvalidSettings(AuthorError):
    """dramaturg.toml, or a variable of the environment."""

    code = "INVALID_SETTINGS"


class PromptError(AuthorError):
    """A prompt template, or one of the variables it declares, is missing."""

    code = "PROMPT_ERROR"


class NotebookUnavailable(AuthorError):
    """A notebook that cannot be asked: its folder is gone, or the program behind it fails."""

    code = "NOTEBOOK_UNAVAILABLE"


class NotFound(AuthorError):
    """What was named is not here."""

    code = "NOT_FOUND"


class ModelError(DramaturgError):
    """A model could not give a usable answer."""

    code = "MODEL_ERROR"


class ModelUnavailable(ModelError):
    """Not reached, or failing on its side: worth another try."""

    code = "MODEL_UNAVAILABLE"


class ModelOverloaded(ModelUnavailable):
    """Too many requests; `retry_after` seconds, if the provider said so."""

    code = "MODEL_OVERLOADED"

    def __init__(self, message: str, *, retry_after: float | None = None, **context: object) -> None:
        super().__init__(message, **context)
        self.retry_after = retry_after


class ModelTimeout(ModelUnavailable):
    """No answer in the time given."""

    code = "MODEL_TIMEOUT"


class ModelRejected(ModelError):
    """The provider refused the request; asking again will not help."""

    code = "MODEL_REJECTED"


class KeyRejected(ModelRejected):
    """The key is missing, wrong or without credit."""

    code = "KEY_REJECTED"


class ModelNotFound(ModelRejected):
    """No such model at this provider: mistyped, or retired."""

    code = "MODEL_NOT_FOUND"


class ModelUnreadable(ModelError):
    """An answer came, and it is not in the form that was asked for."""

    code = "MODEL_UNREADABLE"


class VoiceError(DramaturgError):
    """A line could not be spoken aloud; its text stands."""

    code = "VOICE_ERROR"


class VoiceUnavailable(VoiceError):
    """Not reached, busy or failing on its side; `retry_after` seconds, if it said so."""

    code = "VOICE_UNAVAILABLE"

    def __init__(self, message: str, *, retry_after: float | None = None, **context: object) -> None:
        super().__init__(message, **context)
        self.retry_after = retry_after


class VoiceTimeout(VoiceUnavailable):
    """No sound in the time given. It may have been paid for, so it is not asked for again unasked."""

    code = "VOICE_TIMEOUT"


class VoiceRejected(VoiceError):
    """The engine refused, or cannot be asked as things are set; asking again will not help."""

    code = "VOICE_REJECTED"


class VoiceUnreadable(VoiceError):
    """An answer came, and it is not the speech that was asked for."""

    code = "VOICE_UNREADABLE"


class BudgetExceeded(DramaturgError):
    """The limit of tokens or money is reached; nothing more is asked."""

    code = "BUDGET_EXCEEDED"


class StoreError(DramaturgError):
    """The disk or the database."""

    code = "STORE_ERROR"


class StoreUnavailable(StoreError):
    """Read-only, full, corrupt, or not reached."""

    code = "STORE_UNAVAILABLE"


class RunFenced(StoreError):
    """Another player has written to this run since; this one must stop."""

    code = "FENCED"
