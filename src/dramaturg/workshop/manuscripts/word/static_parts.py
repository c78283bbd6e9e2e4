"""The parts of a DOCX that are the same in every export, or nearly so: styles, settings, relations, header."""

from __future__ import annotations

from typing import Literal

from dramaturg.kernel.text.escape import escaped, escaped_attribute
from dramaturg.workshop.manuscripts.word.names import (
    BODY,
    CHAPTER,
    INNER_BREAK,
    INNER_HEADING,
    PACKAGE_URI,
    QUOTE,
    R_URI,
    SCENE_BREAK,
    THE_END,
    TITLE_PAGE,
    W14_URI,
    W_URI,
)

Paper = Literal["letter", "a4"]
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_SIZES: dict[Paper, tuple[int, int]] = {"letter": (12240, 15840), "a4": (11906, 16838)}
_FONT = "Times New Roman"
_STYLES = (
    (BODY, '<w:spacing w:line="480" w:lineRule="auto"/><w:ind w:firstLine="720"/>', ""),
    (QUOTE, '<w:spacing w:line="480" w:lineRule="auto"/><w:ind w:left="720" w:right="720"/>', ""),
    (INNER_BREAK, '<w:spacing w:line="480" w:lineRule="auto"/><w:jc w:val="center"/>', ""),
    (INNER_HEADING, '<w:keepNext/><w:spacing w:line="480" w:lineRule="auto"/><w:jc w:val="center"/>', ""),
    (SCENE_BREAK, '<w:spacing w:line="480" w:lineRule="auto"/><w:jc w:val="center"/>', ""),
    (
        CHAPTER,
        '<w:keepNext/><w:pageBreakBefore/><w:spacing w:before="3600" w:after="480" w:line="480" w:lineRule="auto"/>'
        '<w:jc w:val="center"/><w:outlineLvl w:val="0"/>',
        "",
    ),
    (TITLE_PAGE, '<w:jc w:val="center"/>', ""),
    (THE_END, '<w:spacing w:before="480"/><w:jc w:val="center"/>', ""),
)


def style_id(name: str) -> str:
    return name.replace(" ", "")


def content_types(*, comments: bool) -> bytes:
    parts = {
        "/word/document.xml": f"{_OFFICE}.document.main+xml",
        "/word/styles.xml": f"{_OFFICE}.styles+xml",
        "/word/settings.xml": f"{_OFFICE}.settings+xml",
        "/word/header1.xml": f"{_OFFICE}.header+xml",
        "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
        "/customXml/itemProps1.xml": "application/vnd.openxmlformats-officedocument.customXmlProperties+xml",
    } | ({"/word/comments.xml": f"{_OFFICE}.comments+xml"} if comments else {})
    rows = "".join(f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in parts.items())
    return (
        f'{HEAD}<Types xmlns="{PACKAGE_URI}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{rows}</Types>'
    ).encode()


def relations(*targets: tuple[str, str]) -> bytes:
    """A part of relations: the end of each one's type, and its target. Their ids are rId1, rId2 …"""
    rows = "".join(
        f'<Relationship Id="rId{number}" Type="{_type(kind)}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE_URI}/relationships">{rows}</Relationships>'.encode()


def _type(kind: str) -> str:
    return f"{PACKAGE_URI}/relationships/metadata/{kind}" if kind == "core-properties" else f"{R_URI}/{kind}"


def styles(language: str) -> bytes:
    rows = "".join(
        f'<w:style w:type="paragraph" w:customStyle="1" w:styleId="{style_id(name)}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="Normal"/><w:qFormat/><w:pPr>{paragraph}</w:pPr>{run}</w:style>'
        for name, paragraph, run in _STYLES
    )
    return (
        f'{HEAD}<w:styles xmlns:w="{W_URI}"><w:docDefaults><w:rPrDefault><w:rPr>'
        f'<w:rFonts w:ascii="{_FONT}" w:hAnsi="{_FONT}" w:cs="{_FONT}"/><w:sz w:val="24"/><w:szCs w:val="24"/>'
        f'<w:lang w:val="{escaped_attribute(language)}"/></w:rPr></w:rPrDefault><w:pPrDefault/></w:docDefaults>'
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
        '<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont">'
        '<w:name w:val="Default Paragraph Font"/></w:style>'
        f"{rows}</w:styles>"
    ).encode()


def document_settings(*, track: bool) -> bytes:
    tracked = "<w:trackRevisions/>" if track else ""
    return f'{HEAD}<w:settings xmlns:w="{W_URI}">{tracked}<w:defaultTabStop w:val="720"/></w:settings>'.encode()


def header(author: str, title: str) -> bytes:
    surname = author.split()[-1] if author.split() else ""
    line = " / ".join(filter(None, (surname, title.upper()))) + " / "
    return (
        f'{HEAD}<w:hdr xmlns:w="{W_URI}"><w:p><w:pPr><w:jc w:val="right"/></w:pPr>'
        f'<w:r><w:t xml:space="preserve">{escaped(line)}</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:hdr>'
    ).encode()


def section(paper: Paper) -> str:
    width, height = _SIZES[paper]
    return (
        '<w:sectPr><w:headerReference w:type="default" r:id="rId3"/>'
        f'<w:pgSz w:w="{width}" w:h="{height}"/>'
        '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" '
        'w:header="720" w:footer="720" w:gutter="0"/>'
        "<w:titlePg/></w:sectPr>"
    )


def document_open() -> str:
    return f'{HEAD}<w:document xmlns:w="{W_URI}" xmlns:r="{R_URI}" xmlns:w14="{W14_URI}"><w:body>'


def core_properties(title: str, author: str, at: str) -> bytes:
    return (
        f'{HEAD}<cp:coreProperties xmlns:cp="{PACKAGE_URI}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escaped(title)}</dc:title><dc:creator>{escaped(author)}</dc:creator>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{at}</dcterms:created></cp:coreProperties>'
    ).encode()


def custom_properties() -> bytes:
    return (
        f'{HEAD}<ds:datastoreItem ds:itemID="{{5E0B1F36-6C8A-4D1F-9C50-0B6D6B1F7A11}}" '
        'xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"><ds:schemaRefs/></ds:datastoreItem>'
    ).encode()
