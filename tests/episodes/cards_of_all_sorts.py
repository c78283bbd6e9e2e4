"""Cards as different from each other as people's are: in language, style and length, with lines or without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dramaturg.characters.exchange import import_card


@dataclass(frozen=True, slots=True)
class SortOfCard:
    """A card in a few words: what it is about, and in which style it is written."""

    name: str
    language: str
    style: str
    role: str
    thing: str
    place: str
    habit: str


_ENGLISH = (
    ("Ambla", "lamplighter", "the ninth lamp", "Corder Street", "trims a wick that burns well"),
    ("Brannoch", "ferry pilot", "the drowned bell", "the east landing", "coils a rope twice"),
    ("Cillian Voss", "clock thief", "a watch without hands", "the pawn arcade", "listens to his own wrist"),
    ("Dunya", "beekeeper", "the silent hive", "the orchard wall", "blows on her fingertips"),
    ("Ezra Pike", "bone setter", "a crooked knee", "the miners' ward", "rolls down one sleeve"),
    ("Fenna", "kite maker", "red silk", "the dune path", "tests the wind with a thumb"),
    ("Gorm", "toll keeper", "the copper toll", "the old bridge", "stacks coins and unstacks them"),
    ("Hesper", "astronomer", "a double star", "the cold dome", "wipes a lens on her scarf"),
    ("Ilka Brandt", "wallpaper printer", "the peacock roll", "the damp cellar", "holds paper to the light"),
    ("Jory", "well digger", "the sweet water", "the goat field", "knocks on the ground"),
    ("Kestrel", "courier", "a sealed tube", "the night express", "checks both pockets"),
    ("Lord Amory", "bankrupt", "the last painting", "the empty gallery", "bows to a bare wall"),
    ("Mags", "fishwife", "the blue lobster", "the slip", "slaps a board clean"),
    ("Nils Ode", "organ tuner", "the wolf note", "the loft", "hums a quarter tone low"),
    ("Old Perpetua", "gravedigger", "the unnamed row", "the yew corner", "leans on a spade that is not there"),
    ("Quill", "forger", "the governor's hand", "the ink room", "blots a dry page"),
)
_ABROAD = (
    ("Ruprecht", "de", "Glasbläser", "das grüne Glas", "die alte Hütte", "dreht die Pfeife in der Hand"),
    ("Adelheid", "de", "Hebamme", "die Wiege", "das Haus am Deich", "zählt leise bis zehn"),
    ("Sabine Kranz", "de", "Försterin", "der weiße Hirsch", "der Nordhang", "streicht über die Rinde"),
    ("Théodore", "fr", "luthier", "le violon fendu", "la cour des tilleuls", "gratte un peu de vernis"),
    ("Maëlle", "fr", "éclusière", "la péniche noire", "l’écluse du moulin", "regarde le niveau de l’eau"),
    ("Rufina", "es", "partera", "la campana rota", "la plaza vieja", "se ajusta el chal"),
    ("Anselmo", "es", "relojero", "el reloj de arena", "la calle del río", "limpia una lupa"),
    ("Orsola", "it", "tessitrice", "il filo rosso", "la bottega", "annoda un filo"),
    ("Benedito", "pt", "faroleiro", "o farol apagado", "a ilha pequena", "limpa o vidro"),
    ("Wietske", "nl", "molenaar", "de gebroken wiek", "de dijk", "klopt meel van haar schort"),
    ("Zbigniew", "pl", "bartnik", "stary ul", "skraj lasu", "poprawia kapelusz"),
    ("Аглая", "ru", "реставратор", "старая икона", "холодная мастерская", "трогает кисть"),
    ("さよ", "ja", "染物屋", "藍の布", "川沿いの店", "布をそっと広げる"),
    ("阿澜", "zh", "船夫", "旧船灯", "西边码头", "擦了擦灯罩"),
)
_SAID = {
    "en": (
        "You want to know about {thing}? I found it where nobody looks, behind {place}.",
        "{place} is no place for a person who hurries.",
        "I have been a {role} longer than I have been polite.",
        "Ask {name} for anything but {thing}.",
    ),
    "de": (
        "Du fragst nach {thing}? Ich habe {thing} gesehen, hinter {place}.",
        "{place} ist nichts für Eilige.",
        "Ich bin {role}, und {name} ist kein Name für Fremde.",
        "Über {thing} redet man nicht laut.",
    ),
    "fr": (
        "Tu demandes {thing} ? Je connais {thing} depuis {place}.",
        "{place} ne convient pas aux gens pressés.",
        "Je suis {role}, et {name} ne ment pas.",
        "On ne parle pas fort de {thing}.",
    ),
    "es": (
        "¿Preguntas por {thing}? Yo vi {thing} cerca de {place}.",
        "{place} no es para la gente con prisa.",
        "Soy {role}, y {name} no miente.",
        "De {thing} no se habla en voz alta.",
    ),
    "it": (
        "Chiedi di {thing}? Ho visto {thing} vicino a {place}.",
        "{place} non è per chi ha fretta.",
        "Sono {role}, e {name} non mente.",
        "Di {thing} non si parla forte.",
    ),
    "pt": (
        "Perguntas por {thing}? Eu vi {thing} perto de {place}.",
        "{place} não é para quem tem pressa.",
        "Sou {role}, e {name} não mente.",
        "De {thing} não se fala alto.",
    ),
    "nl": (
        "Vraag je naar {thing}? Ik zag {thing} achter {place}.",
        "{place} is niets voor mensen met haast.",
        "Ik ben {role}, en {name} liegt niet.",
        "Over {thing} praat je niet hardop.",
    ),
    "pl": (
        "Pytasz o {thing}? Widziałem {thing}, gdzie jest {place}.",
        "{place} to nie miejsce dla tych, co się spieszą.",
        "Jestem {role}, a {name} nie kłamie.",
        "O {thing} nie mówi się głośno.",
    ),
    "ru": (
        "Ты спрашиваешь про {thing}? Я знаю, {thing} там, где {place}.",
        "{place} не для тех, кто спешит.",
        "Я {role}, и {name} не лжёт.",
        "Про {thing} громко не говорят.",
    ),
    "ja": (
        "{thing}のことですか。{place}で見ました。",
        "{place}は急ぐ人の来る所ではありません。",
        "私は{role}です。{name}は嘘をつきません。",
        "{thing}の話は大きな声ではしません。",
    ),
    "zh": (
        "你问{thing}？我在{place}见过。",
        "{place}不是急性子来的地方。",
        "我是{role}，{name}从不说谎。",
        "{thing}的事不能大声说。",
    ),
}
_STYLES = ("lines", "prose", "plain", "examples", "bare", "lore")


def sorts() -> Iterator[SortOfCard]:
    """Every card: thirty-six of them."""
    for number, (name, role, thing, place, habit) in enumerate(_ENGLISH):
        yield SortOfCard(name, "en", _STYLES[number % len(_STYLES)], role, thing, place, habit)
    for number, (name, language, role, thing, place, habit) in enumerate(_ABROAD):
        yield SortOfCard(name, language, _STYLES[number % (len(_STYLES) - 1)], role, thing, place, habit)
    for number, (name, role, thing, place, habit) in enumerate(_ENGLISH[:6]):
        other = f"{name} the Younger"
        yield SortOfCard(
            other, "en", _STYLES[-1 - number], f"{role}'s child", f"{thing} again", place, f"{habit} badly"
        )


def write_sort(project: Path, sort: SortOfCard) -> str:
    """Writes the card into a project, and returns its name there."""
    said = [
        line.format(name=sort.name, role=sort.role, thing=sort.thing, place=sort.place[:1].upper() + sort.place[1:])
        for line in _SAID[sort.language]
    ]
    stem = f"card-{abs(hash_of(sort.name)):x}"
    if sort.style in ("lines", "bare"):
        parts = [f"# {sort.name} - {sort.role}", "## Personality\n- " + sort.role]
        if sort.style == "lines":
            parts += ["## Mannerisms\n- " + sort.habit, "## Lines\n" + "\n".join(f'- "{one}"' for one in said)]
        elif sort.language == "en":
            parts += ["## Background\n- Keeps " + sort.thing]
        folder = project / ".claude" / "agents"
        folder.mkdir(parents=True, exist_ok=True)
        front = f"---\nlanguage: {sort.language}\n---\n" if sort.language != "en" else ""
        (folder / f"{stem}.md").write_text(front + "\n\n".join(parts) + "\n", encoding="utf-8")
        return stem
    data = {"name": sort.name, "description": f"{sort.name}, {sort.role}.", **_tavern(sort, said)}
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    return import_card(project, json.dumps(card).encode(), stem=stem, name=stem).card.name


def _tavern(sort: SortOfCard, said: list[str]) -> dict[str, object]:
    if sort.style == "prose":
        first = f'*{sort.name} {sort.habit}.* "{said[1]}"'
        return {
            "first_mes": first,
            "alternate_greetings": [f'"{said[0]}" *{sort.name} waits for an answer.* "{said[3]}"'],
        }
    if sort.style == "plain":
        return {"first_mes": f"{said[1]} *{sort.habit}*", "mes_example": f"<START>\n{{{{char}}}}: {said[2]}"}
    asked = f"<START>\n{{{{user}}}}: {sort.thing}?\n{{{{char}}}}: *{sort.habit}* {said[0]}\n"
    examples = f"{asked}{{{{user}}}}: {sort.role}?\n{{{{char}}}}: {said[2]}"
    if sort.style == "examples":
        return {"first_mes": said[1].replace(".", ", {{user}}."), "mes_example": examples}
    book = {
        "entries": [
            {
                "keys": [sort.thing.split()[-1]],
                "content": said[3],
                "enabled": True,
                "insertion_order": 1,
                "extensions": {},
            }
        ]
    }
    return {"first_mes": said[1], "character_book": book}


def hash_of(text: str) -> int:
    return sum(ord(mark) * 31**place for place, mark in enumerate(text)) % 1_000_003
