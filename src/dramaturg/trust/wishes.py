"""The wishes of a project: what it would send, start or read outside the project, or believe, one by one.

A provider's own key at the provider's own address is no wish, nor is a server on this machine that gets no key. What
the environment sets is the user's own. Each wish says exactly what and where, so that consent covers nothing else.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from dramaturg.kernel.addresses import has_credentials, is_loopback, is_on_this_machine, origin_of
from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.files import at_home, is_inside, real_path
from dramaturg.kernel.settings import FILE_NAME, EarsSettings, NotebookSettings, Settings, VoiceSettings
from dramaturg.kernel.values import Value
from dramaturg.trust.programs import ProgramFile, digest_of_files, program_files

Kind = Literal["key", "address", "database", "origin", "program", "file", "secret"]
ELEVENLABS_KEY = "ELEVENLABS_API_KEY"
CLAUDE_CODE = "claude-code"
WEIGHTS = "local"
PUBLIC = frozenset(
    "HOME PATH PWD OLDPWD USER USERNAME USERPROFILE LOGNAME SHELL LANG LANGUAGE TERM HOSTNAME EDITOR VISUAL PAGER "
    "DISPLAY TMPDIR TEMP TMP MAIL TZ SHLVL PS1 _ VIRTUAL_ENV PYTHONPATH DRAMATURG_MODEL DRAMATURG_MODELS "
    "DRAMATURG_STORE_ARTIFACTS DRAMATURG_STORE_ENDPOINT DRAMATURG_STORE_URL DRAMATURG_TRACEBACK DRAMATURG_TRUST".split()
)
"""Variables whose values are no secrets, or those of something else."""
OUR_OWN = "DRAMATURG_"
"""How variables begin that hold nothing but what dramaturg is to have."""
MOST_NAMED = 3
"""How many changed files a question names."""


class Wish(Value):
    """One thing that a project asks for. `detail` is what else must stay the same for consent to hold.

    A program has the `files` that are compared, of which `detail` holds one digest, and those that have `changed` since
    it was allowed.
    """

    kind: Kind
    what: str
    where: str
    setting: str
    detail: tuple[str, ...] = ()
    files: tuple[ProgramFile, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What is asked for, in plain words; control characters are shown, not sent to the terminal."""
        what = shown(self.what)
        # An address in letters that only look Latin leads elsewhere.
        where = shown(self.where) if self.kind in ("program", "file") else ascii(self.where)[1:-1]
        said = {
            "key": f"send {what} to {where}",
            "address": f"send {what} to {where}",
            "database": f"store {what} in the database {where}",
            "origin": f"let {what} {where} call this server",
            "program": f"start {what}",
            "file": f"{what} {where}",
            "secret": what,
        }
        return f"{said[self.kind]} ({shown(self.setting)}){self._since}"

    @property
    def _since(self) -> str:
        """Which files changed, as the end of the sentence; empty if none did."""
        if not self.changed:
            return ""
        *names, last = [shown(name) for name in self.changed[:MOST_NAMED]]
        if (more := len(self.changed) - MOST_NAMED) > 0:
            names, last = [*names, last], f"{more} more"
        return f"; changed since you allowed it: {', '.join(names)}{' and ' if names else ''}{last}"

    @property
    def digest(self) -> str:
        """The same for the same wish, and only for that."""
        content = [self.kind, self.what, self.where, list(self.detail)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def shown(text: str) -> str:
    """A text on one line in which nothing is invisible, and nothing is pushed out of sight by spaces."""
    visible = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    return re.sub(r" {4,}", lambda found: f"({len(found[0])} spaces)", visible)


def wishes_of(settings: Settings) -> tuple[Wish, ...]:
    """Everything that the settings ask for. Raises InvalidSettings for settings that cannot be read as a wish."""
    found = [
        *_secrets(settings),
        *_data(settings),
        *_providers(settings),
        *_models(settings),
        *_voices(settings.voices),
        *_ears(settings.ears),
    ]
    found.extend(_notebooks(settings))
    found.extend(_series(settings))
    found.extend(_database(settings))
    found.extend(_bucket(settings))
    found.extend(_osc(settings.ensemble.osc_addresses))
    for origin in settings.players.origins:
        found.append(Wish(kind="origin", what="pages of", where=origin, setting="[players] origins"))
    return tuple(dict.fromkeys(found))


def model_wish(name: str, project: Path, setting: str) -> Wish | None:
    """What playing with a model asks for besides an answer: a program to start, a file outside the project."""
    provider, _, model = name.strip().partition("/")
    if provider == CLAUDE_CODE:
        return Wish(kind="program", what="Claude Code, with your login or ANTHROPIC_API_KEY", where="", setting=setting)
    if provider == WEIGHTS and model:
        asked = at_home(model)
        if asked.is_absolute() or ".." in asked.parts:
            place = real_path(project / asked)
            if not is_inside(place, project):
                return Wish(kind="file", what="load the weights in", where=str(place), setting=setting)
    return None


def _secrets(settings: Settings) -> Iterator[Wish]:
    """A token or a signature made of a variable or a key that others may know. Raises InvalidSettings if all do."""
    named = (
        ("[server] token_env", settings.server.token_env, "let in as its author"),
        ("[players] secret_env", settings.players.secret_env, "let in as any player"),
    )
    for setting, variable, allowed in named:
        if not variable:
            continue
        if variable.upper() in PUBLIC or variable.upper().startswith(("LC_", "XDG_")):
            raise InvalidSettings(
                f"{FILE_NAME}: {setting} names {shown(variable)}, which is no secret. Name a variable of its own.",
                file=FILE_NAME,
            )
        if not variable.startswith(OUR_OWN):
            what = f"{allowed} whoever knows or guesses the value of {variable}"
            yield Wish(kind="secret", what=what, where="", setting=setting)


def _data(settings: Settings) -> Iterator[Wish]:
    if not is_inside(settings.data, settings.project):
        where = str(real_path(settings.data))
        yield Wish(kind="file", what="read and write its data in", where=where, setting="data/ is a link")


def _providers(settings: Settings) -> Iterator[Wish]:
    if not settings.providers:
        return
    from dramaturg.kernel.models.catalogue import KNOWN, providers

    rows = providers(settings)
    for name in settings.providers:
        row, table = rows[name], f"[providers.{name}]"
        if row.protocol == "pydantic-ai" and (name not in KNOWN or not row.base_url):
            where = f"the address that pydantic-ai knows for {name}"
            for key in row.key_env or (f"the key of {name}",):
                yield Wish(kind="key", what=_valued(key), where=where, setting=table)
        if name == WEIGHTS and (wish := model_wish(f"{name}/{row.model or ''}", settings.project, table)):
            yield wish
        keys = row.key_env if row.protocol != CLAUDE_CODE else ("ANTHROPIC_API_KEY", "your Claude login")
        yield from _sent(table, row.base_url, keys)


def _sent(setting: str, address: str, keys: Iterable[str]) -> Iterator[Wish]:
    """What goes to an address: keys that are not at home there, or what is played where no key is needed."""
    if not address.strip():
        return
    if has_credentials(address):
        raise InvalidSettings(
            f"{FILE_NAME}: `base_url` under {setting} contains a user name or a password. Put the key into an "
            "environment variable, and the variable's name into `key_env`.",
            file=FILE_NAME,
        )
    origin, named = origin_of(address), tuple(keys)
    at_home = _homes().get(origin or "")
    strange = [key for key in named if at_home is None or key not in at_home]
    for key in strange:
        yield Wish(kind="key", what=f"{_valued(key)}, and what is played,", where=address.strip(), setting=setting)
    if not named and at_home is None and not is_on_this_machine(address):
        yield Wish(kind="address", what="what is played", where=address.strip(), setting=setting)


def _valued(key: str) -> str:
    return key if " " in key else f"the value of {key}"


def _homes() -> Mapping[str, frozenset[str]]:
    """The addresses of the known providers, with the keys that belong there."""
    from dramaturg.kernel.models.catalogue import KNOWN

    homes = {origin: frozenset(row.key_env) for row in KNOWN.values() if (origin := origin_of(row.base_url))}
    return {**homes, "https://api.elevenlabs.io:443": frozenset({ELEVENLABS_KEY})}


def _models(settings: Settings) -> Iterator[Wish]:
    models, workshop = settings.models, settings.workshop
    named = {
        "[models] default": None if "models.default" in settings.given else models.default,
        "[models] director": models.director,
        **{f"[models] characters.{who}": name for who, name in models.characters.items()},
        "[workshop] model": workshop.model,
        **{f"[workshop] models.{mode}": name for mode, name in workshop.models.items()},
    }
    for setting, name in named.items():
        if name and (wish := model_wish(name, settings.project, setting)):
            yield wish


def _voices(voices: VoiceSettings) -> Iterator[Wish]:
    """A key may be sent by whichever engine the command line chooses, except where only another can be meant."""
    keys = () if voices.engine == "openai-compatible" else (ELEVENLABS_KEY,)
    named = (voices.key_env,) if voices.key_env else keys
    if voices.base_url and voices.base_url.strip():
        yield from _sent("[voices]", voices.base_url, named)
    elif voices.key_env:
        yield from _sent("[voices]", "https://api.elevenlabs.io", named)


def _ears(ears: EarsSettings) -> Iterator[Wish]:
    if ears.base_url:
        yield from _sent("[ears]", ears.base_url, (ears.key_env,) if ears.key_env else ())


def _notebooks(settings: Settings) -> Iterator[Wish]:
    commands = [own.command for own in settings.notebooks.values() if own.command]
    files = program_files(settings.project, commands) if commands else ()
    for name, own in settings.notebooks.items():
        setting = f"[notebooks.{name}]"
        if own.command:
            yield _program(setting, own, files)
        elif own.folder is not None and not is_inside(folder := settings.project / own.folder, settings.project):
            yield Wish(kind="file", what="read the files in", where=str(real_path(folder)), setting=setting)


def _program(setting: str, own: NotebookSettings, files: tuple[ProgramFile, ...]) -> Wish:
    passed = f", which gets the value of {', '.join(own.env)}" if own.env else ""
    program = " ".join(json.dumps(part, ensure_ascii=False) if " " in part else part for part in own.command)
    order = {"tool": own.tool, "arguments": dict(own.arguments), "question": own.question}
    told = {name: value for name, value in order.items() if value}
    detail = (*own.command, "", *own.env, "", digest_of_files(files))
    if told:
        detail = (*detail, json.dumps(told, sort_keys=True))
    asked = f" and send it {json.dumps(told, ensure_ascii=False)}" if told else ""
    what = f"the program {program}{passed}{asked}"
    return Wish(kind="program", what=what, where="", setting=setting, detail=detail, files=files)


def _series(settings: Settings) -> Iterator[Wish]:
    """A series is read with the books beside it, so that consent covers the folder around them."""
    if settings.workshop.series is None:
        return
    around = real_path(settings.project / settings.workshop.series).parent
    if not is_inside(around, settings.project):
        what = "read the series, and the books beside it, in"
        yield Wish(kind="file", what=what, where=str(around), setting="[workshop] series")


def _database(settings: Settings) -> Iterator[Wish]:
    url = settings.store.url if "store.url" not in settings.given else None
    direct = settings.store.listen_url
    if not url and not direct:
        return
    from dramaturg.kernel.store.postgres import place_of

    if url:
        yield Wish(kind="database", what="everything that is played", where=place_of(url), setting="[store] url")
    if direct:
        what = "your name and password for Postgres"
        yield Wish(kind="address", what=what, where=place_of(direct), setting="[store] listen_url")


def _bucket(settings: Settings) -> Iterator[Wish]:
    place, endpoint = settings.store.artifacts, settings.store.artifacts_endpoint
    asked = {"store.artifacts", *(("store.artifacts_endpoint",) if endpoint else ())}
    if place and not asked <= settings.given:
        where = f"{place} at {endpoint}" if endpoint else place
        yield Wish(kind="database", what="all files of what is played", where=where, setting="[store] artifacts")


def _osc(addresses: Sequence[str]) -> Iterator[Wish]:
    for address in addresses:
        if not is_loopback(address.rpartition(":")[0].strip("[]")):
            yield Wish(kind="address", what="every event of a session", where=address, setting="[ensemble] osc")
