"""Reasoning that a model writes before its answer without any mark around it."""

from __future__ import annotations

import re

from dramaturg.model_notes.signs import sign

LEAST_SIGNS = 2
_USER = (
    r"(?:\b(?:the|this) user\b|\b(?:der|die|dem|den) (?:be)?nutzer(?:in)?\b|\bder user\b|"
    r"\bl['’](?:utilisateur|utilisatrice|utente)\b|\b(?:el|la|al|del) usuari[oa]\b|\b[oa] (?:usuári[oa]|utilizador)\b|"
    r"\bde gebruiker\b|\banvändaren\b|\bkullanıcı|\bużytkownik|\buživatel|пользовател|用户|用戶|ユーザー|사용자)"
)
_ASKS = (
    r"(?:asks?|asked|wants?|needs?|is asking|has asked|says?|said|requests?|seems|greets|quiere|pregunta|pide|dice|"
    r"ha (?:dicho|pedido|preguntado)|fragt|möchte|will|bittet|sagt|hat|demande|veut|souhaite|pergunta|quer|pede|chiede|"
    r"vuole|vraagt|wil|frågar|vill|soruyor|istiyor|pyta|chce|prosi|se ptá|спрашивает|хочет|просит|"
    r"想|问|問|要|希望|让|は|が|가|는)"
)
_USER_WORDS = (
    "user",
    "nutzer",
    "utilisat",
    "utente",
    "usuari",
    "usuári",
    "utilizador",
    "gebruiker",
    "användaren",
    "kullan",
    "użytkownik",
    "uživatel",
    "пользовател",
    "用户",
    "用戶",
    "ユーザー",
    "사용자",
)
_WORKS = (
    r"(?:respond|reply|answer|write|keep|stay|make|play|show|produce|give|generate|output|be|act|follow|include|use|provide|"
    r"return|remain|avoid|consider|remember|decide|craft|create|continue|reflect|maintain|portray|format|pick|choose|say)"
)
"""What somebody does who works on an answer."""
_ABOUT_THE_ANSWER = (
    sign(rf"{_USER}|\b(?:the|this) player\b", *_USER_WORDS, "player"),
    sign(r"\bjson\b|\bthe (?:format|schema|form)\b", "json", "form", "schema"),
    sign(
        r"\b(?:in|stay in|break) character\b|\bin der rolle\b|\broleplay|\ben personaje\b|\bno papel\b",
        *("character", "rolle", "roleplay", "personaje", "papel"),
    ),
    sign(
        r"\b(?:respond|reply|answer) (?:as|with|in)\b|\bas (?:the|this) character\b|\binstructions?\b",
        *("respond", "reply", "answer", "character", "instruction"),
    ),
    sign(r"\bhere(?:['’]s| is) my (?:reply|response)\b", "my reply", "my response"),
    sign(
        r"^\s{0,9}as [^\n,]{1,30}, i(?: would| will| should|['’]d|['’]ll) (?:respond|reply|react)\b",
        "respond",
        "reply",
        "react",
    ),
    sign(
        r"\bin this (?:scene|beat|turn),? (?:i|we) (?:should|need to|must) (?:keep|make|have|show|play|let|stay)\b",
        *("this scene", "this beat", "this turn"),
    ),
    sign(
        r"\b(?:dialogue|tension_shift|internal) (?:and|field|should|must|is)\b",
        *("dialogue", "tension_shift", "internal"),
    ),
)
_ALSO = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:the|this) person\b",
        rf"\b(?:i|we)(?: (?:need|have|ought) to| should| must) (?:\w{{1,12}} )?{_WORKS}\b|"
        r"\bich (?:muss|sollte)\b|\b(?:necesito|debo|tengo que|debería)\b|"
        r"\bje (?:dois|devrais)\b|\b(?:preciso|devo|dovrei|тебе нужно|мне нужно)\b|\bik moet\b",
        r"^\s*(?:ok(?:ay)?\b|alright|h+m+\b|let me think|let's (?:see|think)|first,|analysis|vale,|bueno,|a ver,|"
        r"also[, ]|gut,|d['’]accord|alors,|bon,|certo,|bem,|allora,|goed,|хорошо|итак|так,|好的|嗯)",
    )
)
_AT_ONCE = re.compile(
    rf"\s{{0,20}}(?:[^\s,.:!…]{{1,12}}[,.:!…]{{1,3}}\s?){{0,2}}{_USER}\w{{0,4}}\s?{_ASKS}", re.IGNORECASE
)
_LOST_CHANNEL = re.compile(r"\s*analysis[A-Z]")


def is_reasoning(text: str) -> bool:
    """Whether the beginning of a text speaks about the answer instead of giving it."""
    head = text[:400]
    if _LOST_CHANNEL.match(head) or _AT_ONCE.match(head):
        return True
    folded = head.casefold()
    about = sum(one.is_in(head, folded) for one in _ABOUT_THE_ANSWER)
    return about > 0 and about + sum(bool(one.search(head)) for one in _ALSO) >= LEAST_SIGNS
