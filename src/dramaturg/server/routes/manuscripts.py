"""Manuscripts: import with a preview, what an edited Word document brings back, speakers, export."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import EncodedBytes, EncoderProtocol, Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.body_limits import MOST_VALUES
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.manuscripts.book_text import Selection
from dramaturg.workshop.manuscripts.export.book import MEDIA, read_form
from dramaturg.workshop.manuscripts.front import ExportWish
from dramaturg.workshop.manuscripts.intake.preview import ImportPreview
from dramaturg.workshop.manuscripts.wire import (
    ImportResult,
    ReviewView,
    SpeakerList,
    import_result,
    review_view,
    speaker_list,
)

router = api_router(prefix="/v1/projects/{project}/manuscript", tags=["workshop"], most_values=2 * MOST_VALUES)
REMARKS_HEADER, LONGEST_HEADER = "X-Dramaturg-Remarks", 4000
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The manuscript as a file; `Content-Disposition` names it. `X-Dramaturg-Remarks`, "
        "percent-encoded, says line by line what was left out and which files have one number.",
        "content": {
            media.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}} for media in MEDIA.values()
        },
    }
}


_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=\s]")


class _StrictBase64(EncoderProtocol):
    """Base64, in one line or in several. What is anything else is refused: pydantic's own reader skips it."""

    @classmethod
    def decode(cls, data: bytes) -> bytes:
        if data[:5].lower() == b"data:":
            raise ValueError("expected Base64 alone: leave out what stands before the comma of a data URL")
        if odd := _NOT_BASE64.search(data):
            sign = ascii(odd[0].decode("ascii", "replace"))
            hint = "; this is the form for URLs, which has - and _ for + and /" if odd[0] in (b"-", b"_") else ""
            raise ValueError(f"expected Base64, which has no {sign} (at offset {odd.start()}){hint}")
        try:
            return b64decode(b"".join(data.split()), validate=True)
        except Base64Error as error:
            raise ValueError(f"expected Base64, and this is cut or has something behind its end ({error})") from error

    @classmethod
    def encode(cls, value: bytes) -> bytes:
        return b64encode(value)

    @classmethod
    def get_json_format(cls) -> str:
        return "base64"


class ManuscriptFileBody(WireValue):
    """A manuscript that is sent: a Markdown, text, DOCX or ODT file."""

    name: str = Field(min_length=1, max_length=200, examples=["novel.docx"], description="its file name, with suffix")
    content: Annotated[bytes, EncodedBytes(_StrictBase64)] = Field(description="its bytes, in Base64")


class ImportRequest(ManuscriptFileBody):
    """A manuscript to import, as proposed or as a corrected preview says."""

    preview: ImportPreview | None = Field(None, description="as the preview of this file was, with corrections")
    dry_run: bool = Field(False, description="plan it, and write nothing")


class AcceptRequest(ManuscriptFileBody):
    """Changes of an edited Word document to make."""

    numbers: tuple[int, ...] | None = Field(None, max_length=10_000, description="all that can be made if not set")


@router.post("/import/preview", summary="Preview an import", responses=declared_errors(404, 422))
async def preview_import(foreman: TheForeman, sent: ManuscriptFileBody) -> ImportPreview:
    """Where the text would be cut into chapters and scenes and why, and who speaks in it. Nothing is written."""
    return await foreman.manuscripts.preview(await foreman.manuscripts.read_upload(sent.name, sent.content))


@router.post("/import", summary="Import a manuscript", responses=declared_errors(404, 422))
async def import_manuscript(foreman: TheForeman, sent: ImportRequest) -> ImportResult:
    """Writes the scenes that are new or changed. A scene that the writer changed since is left alone."""
    sources = await foreman.manuscripts.read_upload(sent.name, sent.content)
    plan = await foreman.manuscripts.plan(sources, sent.preview)
    told = () if sent.dry_run else tuple(await foreman.manuscripts.apply(plan))
    return import_result(plan, written=not sent.dry_run, problems=told)


@router.post("/review", summary="Read an edited Word document", responses=declared_errors(404, 422))
async def review_manuscript(foreman: TheForeman, sent: ManuscriptFileBody) -> ReviewView:
    """The changes and comments of a DOCX that was exported and edited, on the lines they are about."""
    return review_view(await foreman.manuscripts.review(sent.name, sent.content))


@router.post("/review/accept", summary="Accept an editor's changes", responses=declared_errors(404, 409, 422))
async def accept_review(foreman: TheForeman, sent: AcceptRequest) -> ReviewView:
    """Makes these changes and nothing else. Each file's can be undone."""
    review = await foreman.manuscripts.review(sent.name, sent.content)
    return review_view(review, await foreman.accept_review(sent.name, sent.content, sent.numbers))


@router.get("/speakers", summary="List who says what", responses=declared_errors(404, 422))
async def list_speakers(
    foreman: TheForeman,
    scene: Annotated[str, Query(max_length=400, description="`ch04-sc02`, a path, or a title; all if not set")] = "",
) -> SpeakerList:
    """The quoted lines with their speakers, and how the text tells."""
    return speaker_list(await foreman.manuscripts.speakers(scene))


@router.get(
    "/exports/{form}",
    summary="Export the manuscript",
    response_class=Response,
    responses={**_FILE, **declared_errors(404, 422, json=False)},
)
async def export_manuscript(
    foreman: TheForeman,
    form: Annotated[str, Path(max_length=20, description="docx, epub, md or txt", examples=["docx"])],
    title: Annotated[str, Query(max_length=400, description="that of the settings if not set")] = "",
    author: Annotated[str, Query(max_length=400, description="the author's name")] = "",
    chapters: Annotated[str, Query(max_length=400, description="such as `1-3,5`; all if not set")] = "",
    track: Annotated[bool, Query(description="DOCX: record an editor's changes from the start")] = False,
    remarks: Annotated[
        bool, Query(description="DOCX: conflicts and findings as comments, patches as tracked changes")
    ] = False,
) -> Response:
    """The manuscript as DOCX in standard manuscript format, EPUB 3, Markdown or text."""
    wish = ExportWish(read_form(form), title, author, selection=Selection(chapters), track=track)
    out = await foreman.exports.export(wish, remarks=remarks)
    headers = {
        "Content-Disposition": f'attachment; filename="manuscript.{out.form}"',
        "X-Content-Type-Options": "nosniff",
    }
    if out.unplaced:
        headers[REMARKS_HEADER] = quote("\n".join(out.unplaced)[:LONGEST_HEADER], safe=" /:,;()")
    return Response(out.data, media_type=MEDIA[out.form], headers=headers)
