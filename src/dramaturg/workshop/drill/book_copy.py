"""The copy of a book that flaws are planted in: texts in memory. The files of the writer are only read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import yaml

from dramaturg.kernel.files import leads_out, read_file
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml
from dramaturg.workshop.book.bible import FOLDER as BIBLE
from dramaturg.workshop.book.files import plain_lines
from dramaturg.workshop.book.manuscript import FOLDER as MANUSCRIPT
from dramaturg.workshop.book.manuscript import MOST_BYTES
from dramaturg.workshop.health.book import CheckedBook
from dramaturg.workshop.health.values import SceneRecord

_TONGUES = (
    re.compile(r"\b(?:and|the|of|not|is|was|to)\b"),
    re.compile(r"\b(?:und|der|die|das|nicht|ist|war)\b"),
    re.compile(r"\b(?:et|le|la|les|pas|est|une)\b"),
    re.compile(r"\b(?:y|el|la|los|las|que|una|era)\b"),
)
"""The commonest words of English, German, French and Spanish."""
SUFFIXES = (".md", ".yaml", ".yml")


def read_files(project: Path) -> dict[str, str]:
    """The texts of a book by path; what is not text, too large or a link out of the project is left out."""
    found: dict[str, str] = {}
    for folder in (BIBLE, MANUSCRIPT):
        root = project / folder
        for place in sorted(root.rglob("*")) if root.is_dir() else ():
            if place.suffix not in SUFFIXES or not place.is_file() or leads_out(place, project):
                continue
            try:
                data = read_file(place, MOST_BYTES)
                if len(data) <= MOST_BYTES:
                    found[place.relative_to(project).as_posix()] = plain_lines(data.decode())
            except (OSError, UnicodeDecodeError):
                continue
    return found


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Puts the texts of a copy into a folder of its own."""
    for path, text in texts.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")


@dataclass(slots=True)
class BookCopy:
    """A book that may be spoiled. `book` is the clean one, `texts` are the files as they are now."""

    book: CheckedBook
    texts: dict[str, str]
    rng: Random
    recorded: bool = True
    used: set[str] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)
    """Those whom no later flaw may bring together with others."""

    @property
    def records(self) -> tuple[SceneRecord, ...]:
        """The scenes that still stand at their place."""
        return tuple(one for one in self.book.records if one.path not in self.moved)

    def matter(self, path: str) -> dict[str, object]:
        """The front matter of a file; empty if there is none."""
        fields = split_front_matter(self.texts[path]).fields
        try:
            loaded = parse_yaml(fields) if fields else {}
        except MalformedTextError:
            return {}
        return {str(key): value for key, value in loaded.items()} if isinstance(loaded, Mapping) else {}

    def body(self, path: str) -> str:
        return self.texts[path].removeprefix(split_front_matter(self.texts[path]).head)

    def put(self, path: str, matter: Mapping[str, object], body: str) -> None:
        """Writes a file of the copy anew."""
        head = yaml.safe_dump(dict(matter), allow_unicode=True, sort_keys=False, width=10_000) if matter else ""
        self.texts[path] = f"---\n{head}---\n{body}" if head else body
        self.used.add(path)

    def set_field(self, path: str, name: str, value: object, *aliases: str) -> None:
        """Sets a field of the front matter under the name that the file has for it."""
        matter = self.matter(path)
        known = next((key for key in matter if _plain(key) in {_plain(one) for one in (name, *aliases)}), name)
        self.put(path, {**matter, known: value}, self.body(path))

    def add_fact(self, path: str, fact: Mapping[str, object]) -> None:
        """Adds a fact to the front matter of a scene."""
        matter = self.matter(path)
        held = matter.get("facts")
        facts = list(held) if isinstance(held, list) else [held] if held else []
        self.put(path, {**matter, "facts": [*facts, dict(fact)]}, self.body(path))

    def add_to_cast(self, path: str, who: str) -> None:
        """Adds somebody to those who are present."""
        matter = self.matter(path)
        key = next((one for one in matter if _plain(one) in ("cast", "characters", "characters_present")), "cast")
        held = matter.get(key)
        names = list(held) if isinstance(held, list) else [part.strip() for part in str(held or "").split(",")]
        self.put(path, {**matter, key: [*(name for name in names if name), who]}, self.body(path))

    def drop_from_lists(self, path: str, names: Iterable[str]) -> None:
        """Takes names out of every list of the front matter."""
        gone = {_plain(name) for name in names}
        matter = {
            key: [one for one in value if _plain(str(one)) not in gone] if isinstance(value, list) else value
            for key, value in self.matter(path).items()
            if not (isinstance(value, str) and _plain(value) in gone)
        }
        self.put(path, matter, self.body(path))

    def insert(self, path: str, sentence: str) -> None:
        """Puts a sentence at the end of a paragraph in the middle of a scene."""
        body = self.body(path)
        breaks = [found.start() for found in re.finditer(r"\n[ \t]*\n", body.rstrip())]
        inner = [
            at for at in breaks if body[:at].strip() and not body[:at].rstrip().rpartition("\n")[2].startswith("#")
        ]
        at = self.rng.choice(inner) if inner else len(body.rstrip())
        self.put(path, self.matter(path), f"{body[:at].rstrip()} {sentence}{body[at:]}")

    def drop_sentences(self, path: str, names: Iterable[str]) -> None:
        """Removes the sentences of a scene that have one of these names."""
        wanted = [re.compile(rf"\b{re.escape(name)}\b", re.I) for name in names]

        kept = [part for part in _sentences(self.body(path)) if not any(one.search(part) for one in wanted)]
        body = "".join(kept)
        for one in wanted:
            body = one.sub("it", body)
        self.put(path, self.matter(path), body)

    def free(self, scenes: Iterable[SceneRecord]) -> list[SceneRecord]:
        """Scenes to choose from: those that no other flaw stands in, if there are any."""
        held = list(scenes)
        return [one for one in held if one.path not in self.used] or held

    def said(self, english: str, german: str, french: str, spanish: str) -> str:
        """A sentence in the language of the prose, so that what is planted does not stand out."""
        text = " ".join(self.body(one.path)[:2000] for one in self.book.records[:5]).lower()
        counts = {
            sentence: len(words.findall(text))
            for sentence, words in zip((english, german, french, spanish), _TONGUES, strict=True)
        }
        return max(counts, key=lambda sentence: counts[sentence])


def _sentences(text: str) -> Iterator[str]:
    """A text cut behind each end of a sentence and of a line; together they are the text."""
    for line in text.splitlines(keepends=True):
        start = 0
        for end in (*sentence_ends(line), len(line)):
            yield line[start:end]
            start = end


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold().replace("-", "_").replace(" ", "_")
