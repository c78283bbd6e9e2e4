"""The names of WordprocessingML that are written and read here."""

from __future__ import annotations

W_URI = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT_URI = "http://purl.oclc.org/ooxml/wordprocessingml/main"
W14_URI = "http://schemas.microsoft.com/office/word/2010/wordml"
W15_URI = "http://schemas.microsoft.com/office/word/2012/wordml"
R_URI = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MC_URI = "http://schemas.openxmlformats.org/markup-compatibility/2006"
PACKAGE_URI = "http://schemas.openxmlformats.org/package/2006"
OWN_URI = "urn:dramaturg:manuscript:1"
W = f"{{{W_URI}}}"
W14 = f"{{{W14_URI}}}"
W15 = f"{{{W15_URI}}}"
MC = f"{{{MC_URI}}}"
OWN = f"{{{OWN_URI}}}"

CHAPTER, SCENE_BREAK, TITLE_PAGE, THE_END = (
    "Manuscript Chapter",
    "Manuscript Scene Break",
    "Manuscript Title",
    "The End",
)
BODY, INNER_BREAK, QUOTE, INNER_HEADING = (
    "Manuscript Body",
    "Manuscript Break",
    "Manuscript Quotation",
    "Manuscript Head",
)
FRAME = frozenset({CHAPTER, SCENE_BREAK, TITLE_PAGE, THE_END})
"""The styles of paragraphs that belong to no scene."""
BOOKMARK = "_dramaturg_"
"""How the bookmark at the beginning of each scene begins; its number and a part of its digest follow."""
DIGEST = 16
"""How many characters of a digest a bookmark holds."""
AUTHOR = "Dramaturg"
