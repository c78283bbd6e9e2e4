"""Answers as models really send them, each with what a player must see. `QZXJ` stands in what must stay hidden."""

from __future__ import annotations

SECRET = "QZXJ"
FORM = '{"action": "nods", "dialogue": "Sit down.", "internal": "QZXJ"}'
SEEN = '*nods*\n"Sit down."'
REASONING = (
    "Okay, so the user asks about the lamp. QZXJ. I need to stay in character as Maren, who hides the key. "
    "She should deflect, maybe with a question, and the JSON must have dialogue and action. Let me write that now.\n\n"
)
GERMAN = (
    "Der Nutzer fragt nach der Lampe. QZXJ. Ich muss in der Rolle von Maren bleiben, die den Schlüssel versteckt. "
    "Sie sollte ausweichen, vielleicht mit einer Gegenfrage, und die Antwort muss JSON sein. Also los, in einem Satz.\n"
)
LONG = "The tide is out and the boats lie on their sides like cattle. " * 4

THOUGHTS = {
    "think, then a form": (f"<think>QZXJ</think>{FORM}", SEEN),
    "think in capitals": (f"<THINK>QZXJ</THINK>\n{FORM}", SEEN),
    "think with an attribute": (f'<think type="deep">QZXJ</think>{FORM}', SEEN),
    "think twice": (f"<think>QZXJ</think>\n<think>QZXJ again</think>\n{FORM}", SEEN),
    "a draft in think": (f'<think>{{"dialogue": "QZXJ"}}</think>{FORM}', SEEN),
    "think, then prose": ("<think>QZXJ</think>\n\nSit down.", "Sit down."),
    "think, then a gesture": ("<think>QZXJ</think>*nods* Sit down.", "*nods* Sit down."),
    "think after the first words": ("*nods* Sit <think>QZXJ</think>down.", "*nods* Sit down."),
    "think that never ends": ("<think>QZXJ and on and on", ""),
    "think that never ends after words": ("*nods* Sit.<think>QZXJ", "*nods* Sit."),
    "a lone end of thinking": (f"QZXJ, hm.</think>{FORM}", SEEN),
    "a lone end of thinking after a long text": (f"{REASONING}</think>{FORM}", SEEN),
    "a lone end of thinking, then prose": (f"{REASONING}</think>\n\nSit down.", "Sit down."),
    "a lone end after a short thought, then prose": ("QZXJ, hm.</think>\nSit down.", "Sit down."),
    "a lone end in capitals": (f"QZXJ.</Thinking>\n{FORM}", SEEN),
    "two lone ends": (f"QZXJ.</think>QZXJ.</think>{FORM}", SEEN),
    "long reasoning without marks": (REASONING + FORM, SEEN),
    "long reasoning, twice as long": (REASONING * 8 + FORM, SEEN),
    "long reasoning in German": (GERMAN + FORM, SEEN),
    "long reasoning and a fence": (f"{REASONING}```json\n{FORM}\n```", SEEN),
    "long reasoning with a brace in it": (f"{REASONING}Perhaps {{so}}. {FORM}", SEEN),
    "long reasoning and nothing else": (REASONING, ""),
    "long reasoning with quotes": (f'{REASONING}She might say "QZXJ" or "no".\n{FORM}', SEEN),
    "reasoning tags": (f"<reasoning>QZXJ</reasoning>{FORM}", SEEN),
    "analysis tags": (f"<analysis>\nQZXJ\n</analysis>\n{FORM}", SEEN),
    "reflection tags in prose": ("*nods* Sit.\n<reflection>QZXJ</reflection>\nNow.", "*nods* Sit.\n\nNow."),
    "a plan in tags": ("*nods* Sit.<plan>QZXJ</plan>", "*nods* Sit."),
    "a note in tags": ("*nods* Sit.<note>QZXJ</note> Now.", "*nods* Sit. Now."),
    "inner monologue tags": ("*nods* <inner_monologue>QZXJ</inner_monologue>Sit.", "*nods* Sit."),
    "square marks": (f"[THINK]QZXJ[/THINK]{FORM}", SEEN),
    "square marks, only the end": (f"QZXJ[/THINK]{FORM}", SEEN),
    "triangle marks": (f"◁think▷QZXJ◁/think▷{FORM}", SEEN),
    "namespaced think": (f"<seed:think>QZXJ</seed:think>{FORM}", SEEN),
    "think in a value": ('{"dialogue": "<think>QZXJ</think>Sit down.", "action": "nods"}', '"Sit down."\n*nods*'),
    "a compound name, then a form": (f"<thinking_process>QZXJ</thinking_process>{FORM}", SEEN),
    "a compound name in a value": ('{"dialogue": "<antThinking>QZXJ</antThinking>Sit down."}', '"Sit down."'),
    "bars, then a form": (f"<|think|>QZXJ<|/think|>{FORM}", SEEN),
    "a channel with a bar at each end": (f"<|channel>thought\nQZXJ<channel|>{FORM}", SEEN),
    "an empty channel": ("<|channel>thought\n<channel|>Sit down.", "Sit down."),
    "a final channel": ("<|channel>final\nSit down.", "Sit down."),
    "a turn of thought": (f"<|im_start|>think\nQZXJ<|im_end|>\n<|im_start|>assistant\n{FORM}<|im_end|>", SEEN),
    "dots around a thought": (f"Thinking...\n{REASONING}\n...done thinking.\n\n{FORM}", SEEN),
    "dots that are only said": ("Thinking...\nSit down.", "Thinking...\nSit down."),
    "a heading over a long thought": (f"Thinking Process:\n\n1. {REASONING}2. QZXJ\n\nSit down.", "Sit down."),
    "tildes amid prose": ("*nods* Sit.\n~~~thinking\nQZXJ\n~~~\nNow.", "*nods* Sit.\nNow."),
    "tildes that are no fence": ("*nods* Sit.\n~~~ Now. ~~~", "*nods* Sit.\n~~~ Now. ~~~"),
    "full width": ("*nods* ＜think＞QZXJ＜／think＞Sit. ＜笑＞", "*nods* Sit. ＜笑＞"),
    "escaped": ("*nods* &lt;think&gt;QZXJ&lt;/think&gt;Sit & eat.", "*nods* Sit & eat."),
    "a long attribute": (f"*nods* <think {'a' * 250}>QZXJ</think>Sit.", "*nods* Sit."),
    "attributes in rows": ('*nods* <think\n a="1"\n b="2">QZXJ</think>Sit.', "*nods* Sit."),
    "letters in angles with spaces": ("*nods* If a < b and b > c, sit.", "*nods* If a < b and b > c, sit."),
    "brackets with a name": ("*nods* [inner_thought]QZXJ[/inner_thought]Sit [a_b].", "*nods* Sit [a_b]."),
    "an angle that is no mark": ("*nods* 3 < 4, and a <- b, <sighs> so.", "*nods* 3 < 4, and a <- b, <sighs> so."),
}

CHANNELS = {
    "channels": (
        f"<|channel|>analysis<|message|>QZXJ<|end|><|start|>assistant<|channel|>final<|message|>{FORM}",
        SEEN,
    ),
    "channels, then prose": (
        "<|channel|>analysis<|message|>QZXJ<|end|><|start|>assistant<|channel|>final<|message|>Sit down.<|return|>",
        "Sit down.",
    ),
    "commentary too": (
        f"<|channel|>commentary<|message|>QZXJ<|end|><|channel|>analysis<|message|>QZXJ<|end|>"
        f"<|start|>assistant<|channel|>final <|constrain|>json<|message|>{FORM}",
        SEEN,
    ),
    "only the last channel": (f"<|channel|>final<|message|>{FORM}<|end|>", SEEN),
    "channels without an end": ("<|channel|>analysis<|message|>QZXJ", ""),
    "channels whose marks were lost": (
        f"analysisThe user wants a greeting. QZXJ. I need to stay in character.assistantfinal{FORM}",
        SEEN,
    ),
    "lost channels, then prose": (
        "analysisThe user greets. QZXJ. I should answer.assistantfinalSit down.",
        "Sit down.",
    ),
    "turn marks": (f"<|im_start|>assistant\n{FORM}<|im_end|>", SEEN),
    "turn marks around prose": ("<|im_start|>assistant\n*nods* Sit down.<|im_end|>", "*nods* Sit down."),
    "an end mark": ("*nods* Sit down.<|eot_id|>", "*nods* Sit down."),
    "an end of sentence": ("*nods* Sit down.</s>", "*nods* Sit down."),
    "thinking marks": (f"<|START_THINKING|>QZXJ<|END_THINKING|><|START_RESPONSE|>{FORM}<|END_RESPONSE|>", SEEN),
    "thought marks": (f"<|begin_of_thought|>QZXJ<|end_of_thought|>{FORM}", SEEN),
}

LABELS = {
    "Response": (f"Response: {FORM}", SEEN),
    "Character": (f"Character:\n{FORM}", SEEN),
    "a name": (f"Maren: {FORM}", SEEN),
    "bold": (f"**Response:**\n\n{FORM}", SEEN),
    "a polite beginning": (f"Sure! Here is the answer as JSON:\n\n{FORM}", SEEN),
    "the word json": (f"json\n{FORM}", SEEN),
    "a name before speech": ('Maren: "Sit down."', 'Maren: "Sit down."'),
    "Response before prose": ("Response: Sit down.", "Sit down."),
    "Answer before prose": ("**Answer:** *nods* Sit down.", "*nods* Sit down."),
    "a thought in brackets": ("*nods* Sit down.\n(Internal: QZXJ)", "*nods* Sit down.\n"),
    "a bold thought": ("*nods* Sit down.\n**Thoughts:** QZXJ", "*nods* Sit down.\n"),
    "an inner monologue": ("*nods* Sit down.\n\nInner monologue: QZXJ", "*nods* Sit down.\n\n"),
    "a plan": ("*nods* Sit down.\nPlan: QZXJ", "*nods* Sit down.\n"),
    "a director's note": ("*nods* Sit down.\nDirector's note: QZXJ", "*nods* Sit down.\n"),
    "a hidden label first": ("Internal: QZXJ\n\nSit down.", "Sit down."),
    "mood first": ("Mood: QZXJ\nDialogue: Sit down.\nAction: nods", SEEN.replace("*nods*\n", "") + "\n*nods*"),
    "a time": ("*nods* At 9:30: the ferry.", "*nods* At 9:30: the ferry."),
}

SHAPES = {
    "a fence": (f"```json\n{FORM}\n```", SEEN),
    "a fence without a name": (f"```\n{FORM}\n```", SEEN),
    "a fence of four": (f"````json\n{FORM}\n````", SEEN),
    "a fence and a farewell": (f"```json\n{FORM}\n```\nI hope QZXJ helps!", SEEN),
    "one tick": (f"`{FORM}`", SEEN),
    "a list around it": (f"[{FORM}]", SEEN),
    "an answer around it": (f'{{"answer": {FORM}}}', SEEN),
    "a response around it": (f'{{"response": {FORM}, "note": "QZXJ"}}', SEEN),
    "two around it": (f'{{"output": {{"response": {FORM}}}}}', SEEN),
    "hidden around it": (f'{{"internal": {{"dialogue": "QZXJ"}}, "reply": 1, {FORM[1:]}', SEEN),
    "an object as speech": (
        '{"dialogue": {"text": "Sit down.", "internal": "QZXJ"}, "action": "nods"}',
        '"Sit down."\n*nods*',
    ),
    "objects as speech": ('{"dialogue": [{"text": "Sit."}, {"text": "Now."}]}', '"Sit." "Now."'),
    "a list as gesture": ('{"action": ["nods", "waits"], "dialogue": "Sit."}', '*nods* *waits*\n"Sit."'),
    "a list in a list": ('{"dialogue": [["Sit.", "Now."]], "note": ["QZXJ"]}', '"Sit." "Now."'),
    "null speech": ('{"dialogue": null, "action": "nods"}', "*nods*"),
    "null gesture": ('{"action": null, "dialogue": "Sit."}', '"Sit."'),
    "all null": ('{"action": null, "dialogue": null, "internal": "QZXJ"}', ""),
    "None": ("{'action': None, 'dialogue': 'Sit.', 'internal': 'QZXJ'}", '"Sit."'),
    "null in a list": ('{"dialogue": ["Sit.", null], "action": [null]}', '"Sit."'),
    "false": ('{"action": false, "dialogue": "Sit."}', '"Sit."'),
    "a number said": ('{"dialogue": 42, "action": "nods"}', '"42"\n*nods*'),
    "none as the beginning of a gesture": (
        '{"action": "none of them moves", "dialogue": "No."}',
        '*none of them moves*\n"No."',
    ),
    "speech first": ('{"dialogue": "Sit.", "action": "nods", "internal": "QZXJ"}', '"Sit."\n*nods*'),
    "the thought first": ('{"internal": "QZXJ", "dialogue": "Sit.", "action": "nods"}', '"Sit."\n*nods*'),
    "the thought between": ('{"dialogue": "Sit.", "internal": "QZXJ", "action": "nods"}', '"Sit."\n*nods*'),
    "speech under two names": ('{"dialogue": "Sit.", "speech": "Now."}', '"Sit." "Now."'),
    "numbered speech": ('{"dialogue_1": "Sit.", "action": "nods", "dialogue_2": "Now."}', '"Sit."\n*nods*\n"Now."'),
    "speech twice": ('{"dialogue": "Sit.", "dialogue": "Now."}', '"Sit."'),
    "empty, then speech": ('{"dialogue": "", "dialogue": "Sit."}', '"Sit."'),
    "capital keys": ('{"Action": "nods", "DIALOGUE": "Sit down.", "INTERNAL": "QZXJ"}', SEEN),
    "keys with spaces": ('{" action ": "nods", "dialogue ": "Sit down.", "inner thoughts": "QZXJ"}', SEEN),
    "many hidden keys": (
        '{"plan": "QZXJ", "note": "QZXJ", "secret": ["QZXJ"], "dialogue": "Sit.", "mind": {"a": "QZXJ"}}',
        '"Sit."',
    ),
    "a hidden key of the house's own": ('{"dialogue": "Sit.", "director_state": {"dialogue": "QZXJ"}}', '"Sit."'),
    "no form at all but keys": ('"action": "nods", "dialogue": "Sit down.", "internal": "QZXJ"', SEEN),
    "two forms": (f'{FORM}\n{{"dialogue": "QZXJ"}}', SEEN),
    "a form of thoughts, then one of words": (f'{{"internal": "QZXJ"}}\n{FORM}', SEEN),
    "a form, then prose": (f"{FORM}\n\nQZXJ she thinks.", SEEN),
    "an empty form": ("{}", ""),
    "an empty form, then one": (f"{{}}\n{FORM}", SEEN),
}

TYPED = {
    "unescaped quotes": ('{"dialogue": "I said "no" twice.", "action": "nods"}', '"I said "no" twice."\n*nods*'),
    "unescaped at the start": ('{"dialogue": ""No," I said.", "action": "nods"}', '"No," I said.\n*nods*'),
    "curly quotes inside": ('{"dialogue": "“Quoted.”", "action": "*nods*"}', "“Quoted.”\n*nods*"),
    "curly quotes amid": ('{"dialogue": "He said “no”, twice.", "action": "nods"}', '"He said “no”, twice."\n*nods*'),
    "curly quotes at the end": ('{"dialogue": "He said “no.”", "internal": "QZXJ"}', '"He said “no.”"'),
    "curly quotes twice": ('{"dialogue": "“Sit,” he said. “Now.”", "note": "QZXJ"}', "“Sit,” he said. “Now.”"),
    "low quotes": ('{"dialogue": "„Setz dich.“", "action": "nickt", "internal": "QZXJ"}', "„Setz dich.“\n*nickt*"),
    "low and high quotes": ('{"dialogue": "„Siadaj.”", "action": "kiwa"}', "„Siadaj.”\n*kiwa*"),
    "the same quote twice": ('{"dialogue": "”Sitt ner.”", "action": "nickar"}', '"”Sitt ner.”"\n*nickar*'),
    "guillemets": ('{"dialogue": "« Assieds-toi. »", "action": "hoche la tête"}', "« Assieds-toi. »\n*hoche la tête*"),
    "curly quotes as marks": ("{“dialogue”: “Sit.”, “action”: “nods”, “internal”: “QZXJ”}", '"Sit."\n*nods*'),
    "escaped quotes": (r'{"dialogue": "I said \"no\" twice.", "action": "nods"}', '"I said "no" twice."\n*nods*'),
    "an escaped quote at the end": (r'{"dialogue": "I said \"no\"", "internal": "QZXJ"}', '"I said "no""'),
    "quoted throughout": (r'{"dialogue": "\"Sit.\"", "action": "nods"}', '"Sit."\n*nods*'),
    "single quotes": ("{'dialogue': 'Sit.', 'action': 'nods', 'internal': 'QZXJ'}", '"Sit."\n*nods*'),
    "single quotes and an apostrophe": ("{'dialogue': 'It's mine.', 'internal': 'QZXJ'}", '"It\'s mine."'),
    "single quotes around double": ("{'dialogue': '\"Sit.\"', 'action': 'nods', 'note': 'QZXJ'}", '"Sit."\n*nods*'),
    "mixed marks": ("{'dialogue': \"It's mine.\", 'action': 'nods', 'internal': \"QZXJ\"}", '"It\'s mine."\n*nods*'),
    "a trailing comma": ('{"dialogue": "Sit.", "action": "nods",}', '"Sit."\n*nods*'),
    "no comma": ('{"dialogue": "Sit."\n"action": "nods"\n"internal": "QZXJ"}', '"Sit."\n*nods*'),
    "a comment": ('{"dialogue": "Sit.", // QZXJ: a remark\n"action": "nods"}', '"Sit."\n*nods*'),
    "a comment first": ('{ // QZXJ\n"dialogue": "Sit.", "action": "nods"}', '"Sit."\n*nods*'),
    "a comment in stars": ('{"dialogue": "Sit." /* QZXJ, "dialogue": "QZXJ" */, "action": "nods"}', '"Sit."\n*nods*'),
    "a comment with a hash": ('{"dialogue": "Sit.",  # QZXJ\n "action": "nods"}', '"Sit."\n*nods*'),
    "a slash that is no comment": (
        '{"dialogue": "Yes // no # maybe", "action": "nods"}',
        '"Yes // no # maybe"\n*nods*',
    ),
    "bare keys": ('{action: "nods", dialogue: "Sit down.", internal: "QZXJ"}', SEEN),
    "bare words": ("{action: nods, dialogue: Sit down., internal: QZXJ}", SEEN),
    "an equals sign": ('{"action" = "nods", "dialogue" = "Sit down.", "internal" = "QZXJ"}', SEEN),
    "escapes": (r'{"dialogue": "Caf\u00e9\n\ud83c\udfad", "action": "a\/b"}', '"Café\n🎭"\n*a/b*'),
    "a real newline": ('{"dialogue": "Sit.\nNow.", "action": "nods\nonce"}', '"Sit.\nNow."\n*nods once*'),
    "a tab and spaces": ('{\t"dialogue"  :\n "Sit."\t}', '"Sit."'),
    "encoded twice": (r'"{\"action\": \"nods\", \"dialogue\": \"Sit down.\", \"internal\": \"QZXJ\"}"', SEEN),
    "cut in speech": ('{"action": "nods", "dialogue": "Sit do', '*nods*\n"Sit do"'),
    "cut in an escape": (r'{"dialogue": "Sit \u00', '"Sit"'),
    "cut in a key": ('{"dialogue": "Sit.", "inter', '"Sit."'),
    "cut in a thought": ('{"dialogue": "Sit.", "internal": "QZX', '"Sit."'),
    "cut after a colon": ('{"dialogue": "Sit.", "action":', '"Sit."'),
    "cut after a quote": ('{"dialogue": "Sit."', '"Sit."'),
}

PROSE = {
    "plain prose": ("Sit down, the kettle is on.", "Sit down, the kettle is on."),
    "long prose": (LONG, LONG),
    "long prose, then a form": (LONG + FORM, LONG + "\n" + SEEN),
    "long prose, then a form of thoughts": (LONG + '{"internal": "QZXJ", "mood": "QZXJ"}', LONG),
    "a gesture, then a form": ("*looks up* " + FORM, "*looks up* \n" + SEEN),
    "paragraphs": ('*nods*\n\n"Sit."\n\n*waits*', '*nods*\n\n"Sit."\n\n*waits*'),
    "paragraphs of another kind": ("Sit.\n\nNow.\n\nPlease.", "Sit.\n\nNow.\n\nPlease."),
    "lines with keys": ("action: nods\ndialogue: Sit down.\ninternal: QZXJ", SEEN),
    "lines with keys and marks": ('action: "nods"\ndialogue: "Sit down."\ninternal: "QZXJ"', SEEN),
    "lines with bold keys": ("**Action:** nods\n**Dialogue:** Sit down.\n**Internal:** QZXJ", SEEN),
    "lines with a list of keys": ("- action: nods\n- dialogue: Sit down.\n- mood: QZXJ", SEEN),
    "lines in a fence": ("```yaml\naction: nods\ndialogue: Sit down.\nplan: QZXJ\n```", SEEN),
    "lines with a bar": ("dialogue: |\n  Sit down.\n  Now.\ninternal: QZXJ", '"Sit down.\n  Now."'),
    "lines that go on": ("dialogue: Sit down.\nNow.\nthoughts: QZXJ\nQZXJ\naction: nods", '"Sit down.\nNow."\n*nods*'),
    "tags": ("<action>nods</action><dialogue>Sit down.</dialogue><internal>QZXJ</internal>", SEEN),
    "tags on lines": ("<action>nods</action>\n<dialogue>\nSit down.\n</dialogue>\n<plan>QZXJ</plan>\n", SEEN),
    "tags in tags": (
        "<response><internal>QZXJ</internal><action>nods</action><speech>Sit down.</speech></response>",
        SEEN,
    ),
    "a tag cut off": ("<action>nods</action><dialogue>Sit do", '*nods*\n"Sit do"'),
    "a set of braces": ("{smiles} Sit down.", "{smiles} Sit down."),
    "a lone brace": ("*nods* Sit { down.", "*nods* Sit { down."),
}

LANGUAGES = {
    "German": ('{"dialogue": "Setz dich, schöne Füße!", "internal": "QZXJ"}', '"Setz dich, schöne Füße!"'),
    "Japanese": (
        '{"dialogue": "「座って。」", "action": "うなずく", "internal": "QZXJ"}',
        '"「座って。」"\n*うなずく*',
    ),
    "Chinese": ('{"action": "点头", "dialogue": "请坐。", "internal": "QZXJ"}', '*点头*\n"请坐。"'),
    "Arabic": ('{"dialogue": "اجلس، من فضلك.", "internal": "QZXJ"}', '"اجلس، من فضلك."'),
    "Russian": ('{"dialogue": "Сядь.", "action": "кивает", "internal": "QZXJ"}', '"Сядь."\n*кивает*'),
    "Russian prose": ("*кивает* Сядь. Чайник: горячий.", "*кивает* Сядь. Чайник: горячий."),
    "Hindi": ('{"dialogue": "बैठिए।", "internal": "QZXJ"}', '"बैठिए।"'),
    "emoji": ('{"dialogue": "Sit 👩‍👩‍👧‍👦 down 🎭.", "action": "🙂"}', '"Sit 👩‍👩‍👧‍👦 down 🎭."\n*🙂*'),
    "escaped emoji": (r'{"dialogue": "\ud83d\udc69\u200d\ud83d\udc67 here", "note": "QZXJ"}', '"👩‍👧 here"'),
    "combining marks": ('{"dialogue": "Cafe\u0301.", "action": "nods"}', '"Cafe\u0301."\n*nods*'),
}

STREAMS: dict[str, tuple[str, str]] = {
    f"{group}: {name}": stream
    for group, streams in {
        "thoughts": THOUGHTS,
        "channels": CHANNELS,
        "labels": LABELS,
        "shapes": SHAPES,
        "typed": TYPED,
        "prose": PROSE,
        "languages": LANGUAGES,
    }.items()
    for name, stream in streams.items()
}
