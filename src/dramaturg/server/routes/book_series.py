"""The series of a book: what its books share, and where this one differs from them."""

from __future__ import annotations

from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.series.wire import SeriesCheck, SeriesView

router = api_router(prefix="/v1/projects/{project}/series", tags=["workshop"])


@router.get("", summary="Get the series of a book", responses=declared_errors(404, 422))
async def get_book_series(foreman: TheForeman) -> SeriesView:
    """The books in order, what the pages of the series say, and its timeline up to this book."""
    return await foreman.series.show()


@router.get("/check", summary="Compare a book with its series", responses=declared_errors(404, 422))
async def check_book_series(foreman: TheForeman) -> SeriesCheck:
    """Where this book contradicts the series or an earlier book, and what it overrides with a reason."""
    return await foreman.series.check()
