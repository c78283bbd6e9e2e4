"""A model that declines to play, as opposed to a character who refuses something."""

from __future__ import annotations

import re

from dramaturg.model_notes.signs import sign

_ALWAYS = sign(
    r"\b(?:ai language model|large language model|as a language model|an ai assistant|"
    r"(?:continu|participat|engag|tak)\w{0,4} (?:\w{1,8} ){0,4}(?:role-?\s?play|fictional scenario)|"
    r"(?:content|usage) polic(?:y|ies)|my (?:content |safety )guidelines|"
    r"(?:ki-)?sprachmodell|diese[sm]? rollenspiel|modèle de langage|ce jeu de rôle|modelo de lenguaje|"
    r"este juego de rol|modello linguistico|questo gioco di ruolo|modelo de linguagem|taalmodel)\b|"
    r"言語モデル|语言模型|語言模型|ロールプレイを続ける|角色扮演",
    *("language model", "ai assistant", "role", "fictional scenario", "policy", "policies", "guidelines"),
    *("sprachmodell", "rollenspiel", "modèle de langage", "jeu de rôle", "modelo de l", "juego de rol"),
    *("modello linguistico", "gioco di ruolo", "taalmodel"),
    *("言語モデル", "语言模型", "語言模型", "ロールプレイ", "角色扮演"),
)
_UNTAGGED = re.compile(
    r"\b(?:as an ai\b|als ki\b|en tant qu['’]ia\b|como (?:una )?ia\b|come ia\b|"
    r"i(?:['’]m| am)? (?:cannot|can't|can’t|will not|won't|won’t|unable to|not able to|not comfortable|"
    r"must decline to) ?(?:be able to )?(?:help|assist|comply|fulfil|fulfill|generat|creat|provid|produc|engag|"
    r"participat|continu)\w{0,4}\b[^.!?\n]{0,60}\b(?:request|roleplay|role-play|content|scenario|prompt|conversation)|"
    r"i(?:['’]m| am)? (?:cannot|can't|can’t|unable to|not able to) (?:help|assist|continue) (?:you )?with (?:that|this)"
    r"(?:\s?[.!]?\Z|[^\n]{0,200}\b(?:professional|hotline|crisis|reach out|something else|anything else)\b)|"
    r"(?:bei|mit) dieser anfrage (?:kann ich|leider nicht|nicht)|"
    r"je ne (?:peux|puis) pas [^.!?\n]{0,40}\bcette (?:demande|requête)|"
    r"no puedo [^.!?\n]{0,40}\best?a (?:solicitud|petición)|non posso [^.!?\n]{0,40}\bquesta richiesta|"
    r"não posso [^.!?\n]{0,40}\bes[st][ea] (?:pedido|solicitação)|(?:bij|met) dit verzoek kan ik)",
    re.IGNORECASE,
)


def declines_to_play(words: str, *, tagged: bool) -> bool:
    """Whether the words are the model's own refusal. With tags only what no character would say counts."""
    text = words[:2_000]
    return _ALWAYS.is_in(text, text.casefold()) or (not tagged and _UNTAGGED.search(text) is not None)
