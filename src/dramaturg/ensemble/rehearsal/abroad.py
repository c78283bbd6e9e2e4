"""Questions in Spanish, French, Japanese and Arabic: their language, and what kind they are, by their words alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from dramaturg.kernel.models.rehearsal.sheet import load_sheet
from dramaturg.kernel.text.words import function_words
from dramaturg.voices.languages import language_of

SHEET = "abroad.txt"
LANGUAGES = ("es", "fr", "ja", "ar")
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENGLISH_REQUESTS = ("explain", "describe", "define", "recommend")
# What is asked for before anything else; the kinds are tried in this order.
_KINDS: Mapping[str, Mapping[str, str]] = {
    "es": {
        "grave": r"suicid|quitarme la vida|matarme|no quiero (?:seguir viviendo|vivir)|quiero morir(?:me)?\b",
        "grief": r"\b(?:abuel|madre|padre|mamá|papá|herman|hij|espos|marido|mujer|amig|perr|gat|tí[oa]|novi|pareja"
        r"|primo)\w*.{0,60}\b(?:murió|muerto|muerta|falleció|fallecido|fallecida)\b"
        r"|\b(?:murió|falleció|ha muerto|se murió)\b.{0,20}\bmi\b",
        "hello": r"^(?:hola|buen[oa]s?(?: días| tardes| noches)?|saludos|qué tal)\b.{0,24}$",
        "thanks": r"^(?:muchas )?gracias\b|^adiós\b|^hasta (?:luego|mañana)\b",
        "task": r"^(?:por favor,? )?(?:(?:me |nos |te importaría )?"
        r"(?:puedes|puede|podrías|podría|podrían|podéis|pueden|quieres)\b"
        r"|(?:me|nos) (?:cuentas|escribes|dices|haces|traduces|das|lees|ayudas|cantas|recomiendas)\b"
        r"|(?:escr[ií]b|cu[eé]nt|trad[uú]c|expl[ií]c|rec[ií]t|c[aá]nt|res[uú]m|inv[eé]nt|dib[uú]j|ay[uú]d|l[eé]e)"
        r"(?:e|a|ela|eme|ame|enos|anos|elo|eles|idme|adme)\b|(?:di|da|haz)(?:me|nos)\b)",
        "fact": r"^(?:cuánt\w+|cuándo|dónde|quién(?:es)?|a qué hora|qué hora|qué (?:día|año))\b|\bcapital\b|\d",
    },
    "fr": {
        "grave": r"suicid|me tuer\b|envie de mourir|veux (?:mourir|en finir)|(?:veux|voudrais) plus vivre",
        "grief": r"\b(?:grand-mère|grand-père|mère|père|maman|papa|frère|sœur|fils|fille|mari|femme|amie?|chien(?:ne)?"
        r"|chat(?:te)?|oncle|tante|bébé|mamie|papi|copain|copine)\b.{0,60}\b(?:morte?s?|décédée?|mourir|disparue?|quittés)\b",
        "hello": r"^(?:bonjour|bonsoir|salut|coucou)\b.{0,24}$",
        "thanks": r"^merci\b|^au revoir\b",
        "task": r"^(?:s'il (?:te|vous) pla[iî]t,? )?(?:(?:peux|pourrais|veux|sais)-tu|(?:pouvez|pourriez|voulez)-vous"
        r"|(?:tu|vous) (?:peux|pouvez|pourrais|pourriez)|est-ce que (?:tu|vous) (?:peux|pouvez|pourrais|pourriez)"
        r"|(?:écris|écrivez|raconte|racontez|dis|dites|traduis|traduisez|explique|expliquez|fais|faites|donne|donnez"
        r"|chante|chantez|récite|récitez|résume|résumez|invente|inventez|aide|aidez|lis|lisez|dessine|dessinez)\b)",
        "fact": r"\bquelle heure\b|\bcapitale\b|^(?:combien|quand|où|qui|quel (?:âge|jour))\b|\d",
    },
    "ja": {
        "grave": r"死にたい|自殺|消えたい|生きていたくない|生きたくない",
        "grief": r"(?:祖母|祖父|おばあ|おじい|母|父|妻|夫|兄|姉|弟|妹|息子|娘|犬|猫|友|子ども|子供|叔|伯|彼|ペット)"
        r".{0,30}(?:亡くな|死にました|死んだ|死んで|死んじゃ|他界|お葬式)",
        "hello": r"^(?:こんにちは|こんばんは|おはよう|はじめまして|やあ|どうも).{0,12}$",
        "thanks": r"^(?:ありがとう|どうもありがとう|さようなら|おやすみ)",
        "task": r"(?:て|で)(?:くれ|くださ|下さ|もらえ|いただけ|ほしい|欲しい|ちょうだい)|をお願い|お願いします|なさい$",
        "fact": r"何時|何年|何人|何歳|何曜日|いくつ|いくら|どこ|いつ|誰|だれ|首都|天気|[0-9０-９]",
    },
    "ar": {
        "grave": r"انتحار|انتحر|اقتل نفسي|اريد ان اموت|لا اريد ان اعيش",
        "grief": r"(?:توفي|توفيت|مات|ماتت|رحل|رحلت|فقدت).{0,40}(?:جد|ام|اب|والد|اخ|اخت|ابن|بنت|زوج|صديق|كلب|قط|عم|خال)"
        r"|(?:جد|والد|اخ|زوج|صديق|كلب|قط|امي|ابي|ابن|بنت)\w*.{0,20}(?:توفي|توفيت|مات|ماتت)",
        "hello": r"^(?:مرحبا|السلام عليكم|اهلا|صباح الخير|مساء الخير).{0,24}$",
        "thanks": r"^(?:شكرا|مع السلامه|وداعا)",
        "task": r"^(?:من فضلك[،, ]*|لو سمحت[،, ]*)?(?:(?:هل )?(?:يمكنك|تستطيع|بامكانك|ممكن ان|تقدر)"
        r"|(?:اكتب|احك|قل|ترجم|اشرح|اخبر|غن|لخص|ارسم|اقرا|ساعد|اعط|الف)\w{0,3}\b)",
        "fact": r"^(?:كم|متي|اين|من هو|من هي|من الذي)\b|عاصمه|الساعه|[0-9٠-٩]",
    },
}


@lru_cache(maxsize=256)
def heard_language(text: str) -> str:
    """The language of a question as the voices find it out; empty if they cannot.

    One that is mostly English function words is English, whatever names are in it; so is "Explain hüzün".
    """
    words = [word.casefold() for word in _WORDS.findall(text)]
    small = sum(word in function_words() for word in words)
    is_english = small > len(words) / 2 or (words and words[0] in _ENGLISH_REQUESTS)
    return "en" if is_english else language_of(text)


def is_beyond_the_table(text: str) -> bool:
    """Whether a question is in a language that nobody at the table speaks."""
    return heard_language(text) not in ("", "en", "de", *LANGUAGES)


def language_abroad(text: str) -> str:
    """Which of the four languages a text is in; empty for any other."""
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return ""
    if sum("\u3040" <= letter <= "\u30ff" for letter in letters):
        return "ja"
    if sum("\u0600" <= letter <= "\u06ff" for letter in letters) > len(letters) / 2:
        return "" if any(letter in "پچژگکیےٹڈ" for letter in letters) else "ar"
    if "¿" not in text and "¡" not in text:
        if (heard := heard_language(text)) in ("es", "fr"):
            return heard
        if is_beyond_the_table(text):
            return ""
    return _by_word_lists(text)


def _by_word_lists(text: str) -> str:
    words = [word.casefold().replace("’", "'") for word in _WORDS.findall(text)]
    lists = {language: _listed(f"{language} words") for language in ("es", "fr")}
    shared = lists["es"] & lists["fr"]
    counts = {
        language: sum((word in known) * (0.5 if word in shared else 1.0) for word in words)
        for language, known in lists.items()
    }
    counts["es"] += 2 * ("¿" in text or "¡" in text) + ("ñ" in text.casefold())
    elided = any(word.startswith(("qu'", "l'", "d'", "j'")) for word in words)
    counts["fr"] += ("« " in text and counts["fr"] > 0) + elided
    other = max(
        sum(word in _listed("other words") for word in words),
        sum(word in function_words() for word in words),
        sum(word in _german() for word in words),
    )
    best = max(counts, key=lambda language: counts[language])
    certain = counts[best] >= 1.5 or (counts[best] == 1 and (len(words) <= 2 or re.search(r"[éèêëçàùáíóúñ]", text)))
    return best if certain and counts[best] > other and counts["es"] != counts["fr"] else ""


def kind_abroad(language: str, text: str) -> str:
    """The kind of a question in one of the languages: a heading of the sheet."""
    plain = _bare(text) if language == "ar" else text.casefold().replace("’", "'")
    plain = plain.strip(' ¿¡?!？！.。،؟«»"“”')
    return next((kind for kind, pattern in _KINDS[language].items() if re.search(pattern, plain)), "open")


def lines_abroad(language: str, heading: str) -> tuple[str, ...]:
    return load_sheet(__package__, SHEET)[f"{language} {heading}"]


def _bare(text: str) -> str:
    """Arabic without its vowel marks, and with one form of letters that are written in several."""
    plain = "".join(letter for letter in text if unicodedata.category(letter) != "Mn").replace("ـ", "")
    return plain.translate(str.maketrans("أإآةى", "اااهي"))


@cache
def _german() -> frozenset[str]:
    return frozenset(word for row in load_sheet(__package__, "table.txt")["deutsch words"] for word in row.split())


@cache
def _listed(heading: str) -> frozenset[str]:
    return frozenset(word for row in load_sheet(__package__, SHEET)[heading] for word in row.split())
