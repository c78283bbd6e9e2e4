"""A model that declines to play, as opposed to a character who refuses something."""

from __future__ import annotations

import re

_ALWAYS = re.compile(
    r"\b(?:ai language model|large language model|as a language model|an ai assistant|"
    r"(?:continue|participate in|engage in|take part in|do) (?:this|that|the|in this) (?:role-?\s?play|fictional scenario)|"
    r"(?:content|usage) polic(?:y|ies)|my (?:content |safety )guidelines|my programming|"
    r"(?:ki-)?sprachmodell|diese[sm]? rollenspiel|modèle de langage|ce jeu de rôle|modelo de lenguaje|este juego de rol|"
    r"modello linguistico|questo gioco di ruolo|modelo de linguagem|taalmodel)\b|言語モデル|语言模型|語言模型|ロールプレイを続ける|角色扮演",
    re.IGNORECASE,
)
_UNTAGGED = re.compile(
    r"\b(?:as an ai\b|als ki\b|en tant qu['’]ia\b|como (?:una )?ia\b|come ia\b|"
    r"i(?:['’]m| am)? (?:cannot|can't|can’t|won't|won’t|unable to|not able to|not comfortable|must decline to) ?"
    r"(?:be able to )?(?:help|assist|comply|fulfil|fulfill|generat|creat|provid|produc|engag|participat|continu)\w{0,4}\b"
    r"[^.!?\n]{0,60}\b(?:request|roleplay|role-play|content|scenario|prompt|conversation)|"
    r"i (?:cannot|can't|can’t) (?:help|assist|continue) (?:you )?with (?:that|this|your)\s?[.!]?\Z)",
    re.IGNORECASE,
)


def declines_to_play(words: str, *, tagged: bool) -> bool:
    """Whether the words are the model's own refusal. With tags only what no character would say counts."""
    text = words[:2_000]
    return _ALWAYS.search(text) is not None or (not tagged and _UNTAGGED.search(text) is not None)
