"""An editor at Word, for the stories: a DOCX comes in, words are replaced with tracking on, and it goes out again.

`python -m tests.web.edited '[["old", "new"], …]' '[["words", "remark"], …]' < out.docx > edited.docx`
"""

from __future__ import annotations

import json
import sys

from tests.workshop.manuscripts.word_editor import WordEditor


def main(changes: str, remarks: str) -> None:
    editor = WordEditor(sys.stdin.buffer.read())
    for old, new in json.loads(changes):
        editor.replace(old, new, "Mara")
    for words, text in json.loads(remarks):
        editor.comment(words, text, "Mara")
    sys.stdout.buffer.write(editor.saved())


if __name__ == "__main__":
    main(*sys.argv[1:])
