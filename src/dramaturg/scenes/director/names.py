"""The names of a cast, known by any part that only one of them has: "Ruth" for "Ruth Calloway"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.characters.names import unaccented

_TITLES = frozenset(
    "the a an mr mrs ms miss dr doctor prof professor sir lady lord captain capt aunt uncle old young "
    "herr frau monsieur madame mme señor señora sr sra don doña signor signora dona der die das le la el il o".split()
)
_QUOTES = '"“”„«»()[]'
_EDGE = " \t\n.,;:!?'’\"“”«»()[]"
_APOSTROPHES = "'’‘ʼ`´"
_HYPHENS = "-‐‑–"
_ONE_SIGN = str.maketrans(dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_HYPHENS, "-"))
_ANY_SIGN = {sign: f"[{re.escape(signs)}]" for signs in (_APOSTROPHES, _HYPHENS) for sign in signs}
_SPACES = r"[\s・･]+"


@dataclass(frozen=True, slots=True)
class CastNames:
    """The display names of a cast, and the shorter forms that name one of them and nobody else."""

    names: tuple[str, ...]

    def forms(self, name: str) -> tuple[str, ...]:
        """Every way to name this member, longest first."""
        return _forms(self.names)[name]

    def resolve(self, text: str) -> str | None:
        """The member that a short text names: in full, by a part, with a title or a possessive; else None."""
        wanted = _plain(text)
        if not wanted:
            return None
        named = [name for name in self.names if _plain(name) == wanted]
        if not named:
            named = [name for name in self.names if any(_plain(form) == wanted for form in self.forms(name))]
        return named[0] if len(named) == 1 else self._only_one_in(text)

    def may_mean(self, text: str, name: str) -> bool:
        """Whether a text names this member, perhaps by a part that others have too: "Anna", of two Annas."""
        if (named := self.resolve(text)) is not None:
            return named == name
        own = {_bare(part) for part in re.split(_SPACES, name)}
        wanted = [_bare(part) for part in text.split() if _tells(part)]
        return bool(wanted) and own.issuperset(wanted)

    def _only_one_in(self, text: str) -> str | None:
        found = self.find(text)
        return found[0] if len(found) == 1 else None

    def find(self, text: str) -> tuple[str, ...]:
        """The members named in a text, in the order of their first mention."""
        spots = [(spot, name) for name in self.names if (spot := self._spot(text, name)) >= 0]
        return tuple(name for _, name in sorted(spots))

    def pattern(self) -> str:
        """Any form of any name, as a regular expression; one that matches nothing for an empty cast."""
        forms = sorted({form for name in self.names for form in self.forms(name)}, key=len, reverse=True)
        return "(?:" + "|".join(_spotted(form) for form in forms) + ")" if forms else "(?!)"

    def _spot(self, text: str, name: str) -> int:
        text = unicodedata.normalize("NFC", text)
        places = [found.start() for form in self.forms(name) if (found := re.search(_spotted(form), text, re.I))]
        return min(places, default=-1)


@lru_cache(maxsize=256)
def _forms(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    parts = {name: [part.strip(_QUOTES) for part in re.split(_SPACES, name) if _tells(part)] for name in names}
    counted = [_plain(part) for found in parts.values() for part in {_plain(one): one for one in found}.values()]
    unique = {name: [part for part in found if counted.count(_plain(part)) == 1] for name, found in parts.items()}
    forms = {name: [typed for form in (name, *unique[name]) for typed in _typed(form)] for name in names}
    taken = [plain for found in forms.values() for plain in {_bare(form) for form in found}]
    return {
        name: _longest_first(
            [*own, *(bare for form in own if taken.count(_plain(bare := unaccented(form.translate(_ONE_SIGN)))) == 1)]
        )
        for name, own in forms.items()
    }


def _longest_first(forms: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(forms), key=len, reverse=True))


def _tells(part: str) -> bool:
    """Whether a part of a name can stand for it; titles and initials cannot."""
    plain = _plain(part)
    return plain not in _TITLES and (len(plain) > 1 or not plain.isascii()) and not part.endswith(".")


def _plain(text: str) -> str:
    signs = unicodedata.normalize("NFC", text).translate(_ONE_SIGN)
    return re.sub(r"'s$", "", signs.strip(_EDGE)).strip(_EDGE).casefold()


def _bare(text: str) -> str:
    return _plain(unaccented(text.translate(_ONE_SIGN)))


def _typed(form: str) -> tuple[str, ...]:
    """A name as it stands, and with the signs of a keyboard or of a typesetter: "O'Brien" and "O’Brien"."""
    composed = unicodedata.normalize("NFC", form)
    straight = composed.translate(_ONE_SIGN)
    return (form, composed, straight, straight.replace("'", "’"))


def _spotted(form: str) -> str:
    """A form as a whole word; scripts without spaces have no edges to look for."""
    edge = form.isascii() or not re.search(r"[\u3040-\u30ff\u3400-\u9fff]", form)
    literal = "".join(_ANY_SIGN.get(sign) or re.escape(sign) for sign in form)
    return rf"(?<!\w){literal}(?!\w)" if edge else literal
