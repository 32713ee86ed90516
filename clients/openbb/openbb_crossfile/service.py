"""Requests to the service, and what every query and every result has."""

from datetime import datetime
from typing import Any, Callable, Dict, List, Optional, Tuple

from openbb_core.app.model.abstract.error import OpenBBError
from openbb_core.provider.abstract.annotated_result import AnnotatedResult
from openbb_core.provider.abstract.query_params import QueryParams
from openbb_core.provider.utils.errors import EmptyDataError, UnauthorizedError
from pydantic import Field

from crossfile import AsyncCrossfile, CrossfileError

#: Rows of one page of a list, and the most that a query reads without a limit of its own.
PAGE = 100
MOST_ROWS = 10_000


class AsOf(QueryParams):
    """What every query of this provider takes."""

    as_of: Optional[datetime] = Field(default=None, description="Only what was known at this instant. Default: the newest release.")


#: Rows of an answer with what names it: release, as_of, receipt_id.
Rows = Tuple[List[Dict[str, Any]], Dict[str, Any]]


def client(credentials: Optional[Dict[str, str]], query: AsOf) -> AsyncCrossfile:
    """A client by the credentials crossfile_url and crossfile_api_key. Raises OpenBBError if one is missing."""
    given = credentials or {}
    url, key = given.get("crossfile_url"), given.get("crossfile_api_key")
    if not url or not key:
        raise OpenBBError("set the credentials crossfile_url and crossfile_api_key; the page /developer of the service makes a key")
    return AsyncCrossfile(url, key, as_of=query.as_of, numbers="float")


async def read(
    credentials: Optional[Dict[str, str]],
    query: AsOf,
    call: Callable[[AsyncCrossfile], Any],
) -> Rows:
    """The rows of one answer. Errors of the service become those of OpenBB, with the service's hint."""
    async with client(credentials, query) as crossfile:
        try:
            answer = await call(crossfile)
        except CrossfileError as error:
            raise _error_of(error) from error
        return answer.rows, {"release": answer.release, "as_of": answer.as_of, "receipt_id": answer.receipt_id}


async def read_pages(
    credentials: Optional[Dict[str, str]],
    query: AsOf,
    call: Callable[[AsyncCrossfile, Dict[str, Any]], Any],
    limit: Optional[int],
) -> Rows:
    """Rows of a list over its pages, at most `limit`; without one at most MOST_ROWS, beyond which the query is refused and nothing is cut."""
    rows: List[Dict[str, Any]] = []
    meta: Dict[str, Any] = {}
    async with client(credentials, query) as crossfile:
        cursor: Optional[str] = None
        while True:
            wanted = PAGE if limit is None else min(PAGE, limit - len(rows))
            more = {"limit": wanted} if cursor is None else {"limit": wanted, "cursor": cursor}
            try:
                answer = await call(crossfile, more)
            except CrossfileError as error:
                raise _error_of(error) from error
            rows.extend(answer.rows)
            meta = {"release": answer.release, "as_of": answer.as_of, "receipt_id": None}
            cursor = answer.data.get("next_cursor")
            if cursor is None or (limit is not None and len(rows) >= limit):
                return rows, meta
            if len(rows) >= MOST_ROWS:
                raise OpenBBError(f"this query has more than {MOST_ROWS} rows: give a limit or a shorter range of days")


def result(rows: List[Any], meta: Dict[str, Any], empty: str) -> AnnotatedResult:
    """Rows with the metadata of their answer. Raises EmptyDataError with the sentence `empty` if there are none."""
    if not rows:
        raise EmptyDataError(empty)
    return AnnotatedResult(result=rows, metadata=meta)


def _error_of(error: CrossfileError) -> Exception:
    if error.status in (401, 403):
        return UnauthorizedError(str(error), provider_name="crossfile")
    return OpenBBError(str(error))
