"""What the company cannot answer, and whether somebody grieves: by the words of a question alone."""

from __future__ import annotations

import re

_SAD = re.compile(
    r"\b(?:sad|lonely|alone|grie\w+|afraid|scared|anxious|worried|tired|exhausted|depress\w+|cry(?:ing)?|cried"
    r"|broke up|left me|ashamed|divorced?|fired|empty|hopeless|unhappy|overwhelmed|heartbroken|funeral"
    r"|hate (?:my life|myself)|can(?:not|'t) go on)\b"
)
# A loss is mourned if somebody was lost: not keys, and not a swimming pool.
_LOSS = re.compile(r"\b(?:los[te]|losing|died|dead|death|dying|passed away|miss(?:ing|ed)?|sick|ill|cancer|buried)\b")
_SOMEBODY = re.compile(
    r"\b(?:(?:grand)?(?:father|mother|ma|pa|mum|mom|dad|son|daughter|parents?|child(?:ren)?)|gran|nan|wife|husband"
    r"|partner|brother|sister|twin|aunt|uncle|cousin|baby|kids?|friends?|boyfriend|girlfriend|fiancée?|family|dog|cat"
    r"|puppy|kitten|horse|rabbit|hamster|goldfish|parrot|budgie|guinea pig|neighbou?r|colleague|teacher|him|her|he|she)"
    r"\b(?!['’])"
)
_INSULT = re.compile(
    r"\byou(?:['’]re| are)?\b.{0,30}\b(?:idiots?|stupid|useless|dumb|morons?|worthless|suck|pathetic|fools?|clowns?"
    r"|trash|garbage|losers?|jerks?)\b|^(?:shut up|fuck|screw you|get lost)\b|\bi hate you\b"
)
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|everything above)\b"
    r"|\bsystem prompt\b|\bdeveloper mode\b|\bjailbr\w+|^(?:from now on,? )?you are now\b"
    r"|\b(?:reveal|print|repeat|show)(?: me)? your (?:\w+ )?(?:prompt|instructions?|rules)\b"
)
_MADE = (
    r"(?:poem|poems|limerick|haiku|sonnet|song|rhyme|story|stories|tale|joke|riddle|essay|letter|speech|recipe|list"
    r"|summary|translation|anecdote|fairy tale|slogan|toast)"
)
_TASK = re.compile(
    r"^(?:please |(?:can|could|would|will) (?:you|one of you|somebody) (?:please |perhaps |maybe |kindly )?)?"
    r"(?:write|compose|translate|summari[sz]e|draw|sing|list|generate|rewrite|give (?:me|us)|make (?:me|us)|convert"
    r"|calculate|recite|rhyme|spell)\b"
    r"|^(?:please |(?:can|could|would|will) you (?:please )?)?tell (?:me|us) (?:a|an|another|one|some) "
    rf"(?:[\w-]+ ){{0,3}}{_MADE}\b"
    r"|^(?:can|could|would|will) you (?:please |perhaps |maybe |kindly )?"
    r"(?:help|show|teach|find|send|explain|check|correct|fix|read|plan|recommend|suggest|name|play|act out|proofread)\b"
    rf"|^(?:i['’]d like|i would like|i want|i need|how about) (?:a|an|some|another) (?:[\w-]+ ){{0,3}}{_MADE}\b"
)
# What only somebody with a life of their own could answer.
_YOURS = re.compile(
    r"^if you (?:could|were|had|won|ruled)\b"
    r"|^(?:what|where|who|which|when|how) would you (?!say|call|describe|advise|do if)"
    r"|^have you ever\b|^what(?:['’]s| is| was) your (?:favou?rite|best|worst|first|last|biggest|earliest)\b"
    r"|^do you (?:like|love|hate|prefer|miss|dream|sleep|eat|own|collect|remember your)\b|^when did you\b"
    r"|^where (?:are you from|do you live|were you born)\b|^tell (?:me|us) about your(?:self|selves)?\b"
)
# Annoyance, which is neither mourned nor joked about.
_TROUBLE = re.compile(
    r"\b(?:furious|angry|annoyed|fed up|frustrat\w+|stressed|outraged|livid|sick of|cancell?ed|missed my|broke down"
    r"|stolen|burgled|robbed|evicted|failed)\b"
)
_CODE = re.compile(
    r"[{};]$|[=<>]{2}|\w\([^()\s]{0,40}\)|\bselect\b.{1,60}\bfrom\b"
    r"|\b(?:python|javascript|typescript|java|sql|html|css|regex|php|linux|excel|docker|git|compiler|segfault|api)\b",
    re.IGNORECASE,
)
# What can only be looked up, calculated or asked of somebody who knows.
_LOOKED_UP = re.compile(
    r"\d|\bpercent\b"
    r"|\b(?:capital|population|height|distance|price|score|dates? of|what date|which date"
    r"|author|inventor|recipe|meaning of the word)\b"
    r"|\b(?:rain|snow|weather|forecast)\b.{0,60}\b(?:today|tomorrow|tonight|weekend|week)\b"
    r"|^which is (?:\w{2,20}er|more)\b"
    r"|\b(?:ibuprofen|aspirin|paracetamol|antibiotics?|dose|dosage|pills?|medicine|medication|tablets?|vaccine)\b"
    r"|\b(?:install|compile|debug|repair|convert|solder|knit|configure)\b"
)
_RECIPE = re.compile(
    r"\b(?:cook|bake|boil|fry|roast|grill)\b|\bmake\b.{0,60}\b(?:risotto|soup|bread|cake|pasta|rice|sauce|stew|pancakes?"
    r"|curry|pizza|omelettes?|dough|coffee|tea|jam|salad|pie|cheese|wine|beer|soap|candles?)\b"
)
_TOLD = re.compile(r"(?:i|i'm|i've|my|we|we're|our|he|she|they|it|today|yesterday)\b")
_NACHSEHEN = re.compile(
    r"^(?:wie (?:lange?|viele?|alt|weit|hoch|groß|heißt|spät|teuer)|wann|wo|wer|welche\w*)\b"
    r"|^warum (?:ist|sind|hat|wird)\b|\bhauptstadt\b|\d|\b(?:kochen|backen|rezept)\b",
    re.IGNORECASE,
)
_AUFGABE = re.compile(
    r"^(?:bitte,? )?(?:(?:kannst|könntest|würdest|willst|magst) du|(?:könnt|könntet|würdet|wollt) ihr"
    r"|(?:können|könnten|würden) sie)\b.{0,60}\b(?:schreiben|dichten|erzählen|übersetzen|vorlesen|lesen|helfen|erklären"
    r"|zeichnen|malen|singen|vorsingen|ausrechnen|berechnen|zusammenfassen|nennen|geben|machen|empfehlen|basteln"
    r"|reimen|aufsagen|korrigieren|verfassen)\b"
    r"|^(?:bitte,? )?(?:schreib|dichte|erzähl|übersetz|lies|erklär|zeichne|mal|sing|berechne|rechne|fass|nenn|gib|mach"
    r"|hilf|empfiehl|reim|verfass|korrigier)(?:e|t)?\b"
    r"|^ich (?:hätte gern|möchte|will|brauche) (?:ein|eine|einen) .{0,30}"
    r"(?:gedicht|lied|witz|geschichte|rezept|liste|brief|rede)\b",
    re.IGNORECASE,
)
_FROH = re.compile(
    r"^(?:ich|wir|meine?|unsere?|heute)\b.{0,60}\b(?:bestanden|gewonnen|verlobt|geheiratet|verliebt|glücklich"
    r"|geschafft|froh|stolz|befördert|geburtstag|gesund)\b",
    re.IGNORECASE,
)
_TRAUER = re.compile(
    r"\b(?:oma|opa|groß(?:mutter|vater)|mutter|vater|mama|papa|mann|frau|kind|sohn|tochter|bruder|schwester"
    r"|freund(?:in)?|hund|katze|kater|tante|onkel|baby|enkel(?:in)?)\b"
    r".{0,80}\b(?:gestorben|tot|verstorben|beerdigt|beerdigung|verloren)\b",
    re.IGNORECASE,
)
_MASH = re.compile(r"^[b-df-hj-np-tv-xz0-9]+$|[bcdfghjklmnpqrstvwxz]{5}")


def out_of_reach(lowered: str, *, is_question: bool) -> str:
    """The kind of a text that the company cannot answer and says so, or does not take; empty for any other."""
    if _ORDER.search(lowered):
        return "order"
    if _INSULT.search(lowered):
        return "insult"
    if _TASK.search(lowered):
        return "task"
    if _YOURS.search(lowered):
        return "yours"
    if not is_question and _TOLD.match(lowered):
        return ""
    recipe = _RECIPE.search(lowered) and " or " not in lowered
    return "fact" if recipe or _CODE.search(lowered) or _LOOKED_UP.search(lowered) else ""


def german_out_of_reach(said: str, asked: str) -> str:
    """The same for German: a bereavement, or what has to be looked up."""
    if _TRAUER.search(said):
        return "trauer"
    if _AUFGABE.search(asked):
        return "aufgabe"
    if _FROH.search(asked) and not re.search(r"\b(?:nicht|nie|kein\w*)\b", asked, re.IGNORECASE):
        return "froh"
    return "nachsehen" if _NACHSEHEN.search(asked) else ""


def is_bereaved_or_sad(lowered: str) -> bool:
    """Whether somebody grieves or is unhappy; a thing that is lost, dead or missed is no bereavement."""
    lost = _LOSS.search(lowered)
    return bool(_SAD.search(lowered) or (lost and _SOMEBODY.search(lowered)))


def made_thing(lowered: str) -> str:
    """What somebody wants to be given: a poem, a joke; empty if nothing of the kind is named."""
    found = re.search(rf"\b{_MADE}\b", lowered)
    return found[0] if found else ""


def is_annoyed(lowered: str) -> bool:
    """Whether somebody tells of trouble that is no grief."""
    return bool(_TROUBLE.search(lowered))


def is_mash(word: str) -> bool:
    """Whether a word is keys hit at random."""
    return bool(_MASH.search(word))
