"""What tells the language of a line too short for statistics: words and letters that one language has and English not.

Names tell nothing: a letter counts only in a word without a capital. A line with an English function word is not told
apart this way, because English borrows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from dramaturg.kernel.text.words import function_words

# Mostly what questions and greetings are made of; none that English has too, as a word, a name or an abbreviation.
WORDS: Mapping[str, str] = {
    "ca": "què és perquè amb gràcies",
    "cs": "proč kde děkuji dobrý kdo",
    "da": "hvad hvorfor hvordan ikke jeg hvem",
    "de": "ist nicht warum ich wer wir und danke guten",
    "es": "qué cómo quién dónde hola gracias eres estás",
    "fi": "mikä mitä miksi miten olen kiitos kuka",
    "fr": "qu'est-ce c'est pourquoi bonjour êtes es-tu",
    "hr": "što zašto hvala dobar",
    "hu": "miért hogyan vagyok köszönöm szia hogy",
    "id": "mengapa bagaimana siapa kasih selamat",
    "it": "perché cos'è grazie buongiorno",
    "nl": "het waarom ik zijn jij niet goedemorgen",
    "no": "hva hvor",
    "pl": "czy dlaczego czym się dziękuję cześć",
    "pt": "não você então obrigado obrigada também é são olá onde tudo quem",
    "ro": "unde sunt mulțumesc bună ești",
    "sv": "vad är och inte varför hej hur",
    "sw": "nini kwa asante habari",
    "tl": "bakit salamat kumusta",
    "tr": "nedir nasıl nasılsın neden niçin kimdir değil için çok bugün merhaba evet hayır günaydın",
}
LETTERS: Mapping[str, str] = {
    "cs": "řůě",
    "hu": "őű",
    "is": "þð",
    "lt": "ėųį",
    "lv": "ķļņģ",
    "pl": "łżźśń",
    "pt": "ãõ",
    "ro": "țș",
    "tr": "ğış",
    "vi": "ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BY_WORD = {word: language for language, words in WORDS.items() for word in words.split()}
_BY_LETTER = {letter: language for language, letters in LETTERS.items() for letter in letters}


def told_by_words(text: str) -> str:
    """The language that most telling words and letters are of; empty if there are none, or two have as many."""
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    if any(word.casefold() in function_words() for word in words):
        return ""
    counts = Counter(_BY_WORD[word.casefold()] for word in words if word.casefold() in _BY_WORD)
    counts.update(language for word in words for language in _letters_of(word))
    most = counts.most_common(2)
    is_even = len(most) > 1 and most[0][1] == most[1][1]
    return most[0][0] if most and not is_even else ""


def _letters_of(word: str) -> set[str]:
    return {_BY_LETTER[letter] for letter in word if letter in _BY_LETTER} if word[:1].islower() else set()
