"""The styles of a DOCX, as far as they say what a paragraph or a run is."""

from __future__ import annotations

from dataclasses import dataclass, field

from dramaturg.workshop.manuscripts.word.names import W
from dramaturg.workshop.manuscripts.xml_parts import Element

_OFF = frozenset({"0", "false", "off", "none"})
_MOST_BASES = 20


@dataclass(frozen=True, slots=True)
class WordStyle:
    """A style with everything that it takes from those it is based on."""

    name: str = ""
    outline: int | None = None
    is_centred: bool = False
    starts_page: bool = False
    italic: bool = False
    bold: bool = False


@dataclass(frozen=True, slots=True)
class StyleSheet:
    """The styles by their id."""

    styles: dict[str, WordStyle] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Element | None) -> StyleSheet:
        nodes = {str(one.get(f"{W}styleId", "")): one for one in root.iter(f"{W}style")} if root is not None else {}
        return cls({style: _style(style, nodes) for style in nodes})

    def of(self, properties: Element | None, tag: str) -> WordStyle:
        """The style that the properties of a paragraph (`pStyle`) or a run (`rStyle`) name."""
        named = properties.find(f"{W}{tag}") if properties is not None else None
        style = str(named.get(f"{W}val", "")) if named is not None else ""
        return self.styles.get(style, WordStyle(style))


def is_on(properties: Element | None, tag: str) -> bool | None:
    """Whether a switch such as italic is on; None if nothing is said."""
    node = properties.find(f"{W}{tag}") if properties is not None else None
    return None if node is None else str(node.get(f"{W}val", "1")).lower() not in _OFF


def alignment_of(properties: Element | None) -> str:
    node = properties.find(f"{W}jc") if properties is not None else None
    return "" if node is None else str(node.get(f"{W}val", ""))


def outline_of(properties: Element | None) -> int | None:
    node = properties.find(f"{W}outlineLvl") if properties is not None else None
    level = str(node.get(f"{W}val", "")) if node is not None else ""
    return int(level) if level.isdecimal() and len(level) == 1 and level != "9" else None


def _style(style: str, nodes: dict[str, Element]) -> WordStyle:
    chain: list[Element] = []
    at: str | None = style
    while at in nodes and len(chain) < _MOST_BASES:
        chain.append(nodes[at])
        based = nodes[at].find(f"{W}basedOn")
        at = str(based.get(f"{W}val", "")) if based is not None else None
    name = chain[0].find(f"{W}name")
    paragraphs = [one.find(f"{W}pPr") for one in chain]
    runs = [one.find(f"{W}rPr") for one in chain]
    is_character = chain[0].get(f"{W}type") == "character"
    return WordStyle(
        str(name.get(f"{W}val", "")) if name is not None else style,
        next((level for one in paragraphs if (level := outline_of(one)) is not None), None),
        next((where == "center" for one in paragraphs if (where := alignment_of(one))), False),
        next((on for one in paragraphs if (on := is_on(one, "pageBreakBefore")) is not None), False),
        is_character and next((on for one in runs if (on := is_on(one, "i")) is not None), False),
        is_character and next((on for one in runs if (on := is_on(one, "b")) is not None), False),
    )
