"""The metadata of a GGUF file: its size, its context window, its profile. Only the header is read."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.files import at_home, open_file
from dramaturg.kernel.models.profiles import ModelProfile, trust_by_size
from dramaturg.kernel.settings import Settings

SUFFIX = ".gguf"
FOLDER = "models"
FOLDER_ENV = "DRAMATURG_MODELS"
MAGIC = b"GGUF"
# Every token of the window costs memory, used or not; a scene needs no more than this.
LARGEST_WINDOW = 16_384
USUAL_WINDOW = 2048
_MOST_FACTS, _LONGEST_TEXT = 4096, 4 * 1024 * 1024
_TEXT, _LIST = 8, 9
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_SIZE = re.compile(r"(?<!\d)(?:(\d{1,6})x)?(\d{1,9}(?:\.\d{1,9})?)\s*([BMT])\b", re.IGNORECASE)
_BYTES_A_WEIGHT = 0.6

Fact = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Weights:
    """A GGUF file and the metadata in its header."""

    path: Path
    bytes: int
    facts: Mapping[str, Fact]

    @property
    def window(self) -> int:
        """The context window in tokens: the trained one, up to a limit."""
        return min(self._number("context_length") or USUAL_WINDOW, LARGEST_WINDOW)

    @property
    def billions(self) -> float:
        """Its parameters in billions, from the metadata, else from its name, else from its size."""
        for text in (self.facts.get("general.size_label"), self.facts.get("general.name"), self.path.stem):
            if isinstance(text, str) and (found := _SIZE.search(text.replace("_", "-"))):
                scale = {"M": 0.001, "B": 1.0, "T": 1000.0}[found[3].upper()]
                return int(found[1] or 1) * float(found[2]) * scale
        return self.bytes / _BYTES_A_WEIGHT / 1e9

    def memory(self, tokens: int) -> int:
        """The bytes of memory it needs with a context of this many tokens."""
        heads = self._number("attention.head_count") or 1
        width = self._number("attention.key_length") or self._number("embedding_length") // heads
        layers, pairs = self._number("block_count"), self._number("attention.head_count_kv") or heads
        return self.bytes + 4 * layers * pairs * width * tokens

    def profile(self, name: str) -> ModelProfile:
        """A profile by size; it is `assumed`, since the file itself is unknown."""
        whole = ModelProfile(
            id=name,
            provider="local",
            context_window=self.window,
            max_output_tokens=min(4096, self.window // 2),
            tier="full",
            xml_reliability="high",
            instruction_following="high",
            structured_output="json_schema",
            prefix_caching="automatic",
            continues=True,
            assumed=True,
            self_hosted=True,
        )
        return whole.model_copy(update=trust_by_size(self.billions))

    def _number(self, fact: str) -> int:
        value = self.facts.get(f"{self.facts.get('general.architecture', '')}.{fact}", 0)
        return int(value) if isinstance(value, int | float) else 0


def find_weights(name: str, settings: Settings) -> Weights:
    """The file named `name`: absolute, in the project, in its folder `models/`, or downloaded; `.gguf` may be omitted.

    Raises InvalidSettings if there is none, or if it is not a GGUF file.
    """
    asked = at_home(name)
    tried = [
        folder / f"{asked}{suffix}"
        for folder in _folders(settings)
        for suffix in ("", SUFFIX)
        if suffix == "" or asked.suffix != SUFFIX
    ]
    path = next((path for path in tried if path.is_file()), None)
    if path is None:
        here = ", ".join(known_weights(settings)) or "none"
        raise InvalidSettings(
            f"There is no file {asked} in the project, in its folder '{FOLDER}' or among the downloaded models. Name a "
            f"GGUF file as local/<path>.gguf, relative to the project or absolute (found here: {here}), or get one: "
            "dramaturg models get",
            model=f"local/{name}",
        )
    return read_weights(path)


def known_weights(settings: Settings) -> tuple[str, ...]:
    """The GGUF files of a project and the downloaded ones, by the names to use after `local/`."""
    found = (
        path.name for folder in _folders(settings) if folder.is_dir() for path in sorted(folder.glob(f"*{SUFFIX}"))
    )
    return tuple(dict.fromkeys(found))


def downloaded_models(settings: Settings) -> Path:
    """The user's own folder of models, for all projects: `DRAMATURG_MODELS`, or below the user's data folder."""
    if settings.has(FOLDER_ENV):
        return at_home(settings.env[FOLDER_ENV])
    if settings.has("XDG_DATA_HOME"):
        return Path(settings.env["XDG_DATA_HOME"]) / "dramaturg" / FOLDER
    return at_home(settings.env.get("HOME") or "~") / ".local" / "share" / "dramaturg" / FOLDER


def _folders(settings: Settings) -> tuple[Path, ...]:
    return (settings.project, settings.project / FOLDER, downloaded_models(settings))


def read_weights(path: Path) -> Weights:
    """Reads a file's header. Raises InvalidSettings if it is not a GGUF file or cannot be read."""
    try:
        with open_file(path) as file:
            if file.read(4) != MAGIC:
                raise InvalidSettings(f"{path} is not a GGUF file. llama.cpp's convert_hf_to_gguf.py creates them.")
            return Weights(path, path.stat().st_size, dict(_facts(file)))
    except (struct.error, ValueError, KeyError, UnicodeDecodeError) as error:
        raise InvalidSettings(f"{path} is a damaged GGUF file ({error}). Download it again.") from error
    except OSError as error:
        raise InvalidSettings(f"{path} cannot be read: {error.strerror}.") from error


def _facts(file: BinaryIO) -> Iterator[tuple[str, Fact]]:
    """Yields the metadata up to the vocabulary, which is long and comes last."""
    version = _read(file, "<I")
    if version not in (2, 3):
        raise ValueError(f"version {version}")
    _tensors, count = _read(file, "<Q"), _read(file, "<Q")
    for _ in range(min(int(count), _MOST_FACTS)):
        name = _text(file)
        if name.startswith("tokenizer."):
            return
        kind = _read(file, "<I")
        if kind == _LIST:
            _pass_list(file)
        else:
            yield name, _text(file) if kind == _TEXT else _read(file, _NUMBERS[int(kind)])


def _pass_list(file: BinaryIO) -> None:
    kind, count = int(_read(file, "<I")), int(_read(file, "<Q"))
    if kind == _TEXT:
        for _ in range(count):
            _text(file)
    else:
        file.seek(struct.calcsize(_NUMBERS[kind]) * count, 1)


def _read(file: BinaryIO, form: str) -> int | float | bool:
    (value,) = struct.unpack(form, file.read(struct.calcsize(form)))
    assert isinstance(value, int | float)
    return value


def _text(file: BinaryIO) -> str:
    length = int(_read(file, "<Q"))
    if length > _LONGEST_TEXT:
        raise ValueError(f"a text of {length} bytes")
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError("it ends too early")
    return raw.decode("utf-8")
