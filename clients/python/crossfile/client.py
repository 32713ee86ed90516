"""The two clients: Crossfile, and AsyncCrossfile for asyncio."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Mapping, Optional, Union

import httpx

from ._core import Answer, AnswerStore, CallOptions, OperationRow, make_settings, pinned
from .operations import AsyncOperations, Operations

Moment = Union[str, date, datetime, None]
_USER_AGENT = "crossfile-client-python/1.0.0"


def _file_row(rows: Mapping[str, OperationRow], id: str) -> OperationRow:
    row = rows.get(id)
    if row is None or row.method != "GET":
        raise ValueError(f"there is no operation {id!r} that returns a file")
    return row


class Crossfile(Operations):
    """A client of one service. `numbers`: "decimal" (default) keeps every printed digit, "float" gives floats.

    `retries` and `max_wait` (seconds) bound the repetition of requests after 429, 503 and lost connections. `cache_size` is the most text,
    in characters, that the ETag cache holds. Close it with `close()` or use it in a `with` statement.
    """

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        as_of: Moment = None,
        release: Optional[int] = None,
        retries: int = 4,
        max_wait: float = 60.0,
        timeout: float = 60.0,
        numbers: str = "decimal",
        cache_size: int = 16_777_216,
        transport: Optional[httpx.BaseTransport] = None,
    ) -> None:
        settings = make_settings(base_url, api_key, as_of, release, retries, max_wait, timeout, numbers)
        # A key is never sent on to another address.
        http = httpx.Client(follow_redirects=False, transport=transport, headers={"user-agent": _USER_AGENT})
        super().__init__(settings, AnswerStore(cache_size), http)

    def at(self, *, as_of: Moment = None, release: Optional[int] = None) -> "Crossfile":
        """A client that answers every data question as of an instant or from a release, over the same connections and cache."""
        copy = object.__new__(Crossfile)
        Operations.__init__(copy, pinned(self._settings, as_of, release), self._store, self._http)
        return copy

    def current(self) -> "Crossfile":
        """A client that is fixed to the release that is current now, so that several answers fit together."""
        return self.at(release=_release_of(self.get_health().data))

    def file(self, id: str, params: Mapping[str, Any], format: str, options: Optional[CallOptions] = None) -> Answer[bytes]:
        """The answer of the operation `id` (for example "get_eod") as bytes in a format such as csv, excel, xlsx or parquet."""
        return self._call(_file_row(self._rows_by_id, id), {**params, "format": format}, None, options, "bytes")

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> "Crossfile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncCrossfile(AsyncOperations):
    """The same client for asyncio."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        as_of: Moment = None,
        release: Optional[int] = None,
        retries: int = 4,
        max_wait: float = 60.0,
        timeout: float = 60.0,
        numbers: str = "decimal",
        cache_size: int = 16_777_216,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        settings = make_settings(base_url, api_key, as_of, release, retries, max_wait, timeout, numbers)
        http = httpx.AsyncClient(follow_redirects=False, transport=transport, headers={"user-agent": _USER_AGENT})
        super().__init__(settings, AnswerStore(cache_size), http)

    def at(self, *, as_of: Moment = None, release: Optional[int] = None) -> "AsyncCrossfile":
        """A client that answers every data question as of an instant or from a release, over the same connections and cache."""
        copy = object.__new__(AsyncCrossfile)
        AsyncOperations.__init__(copy, pinned(self._settings, as_of, release), self._store, self._http)
        return copy

    async def current(self) -> "AsyncCrossfile":
        """A client that is fixed to the release that is current now, so that several answers fit together."""
        return self.at(release=_release_of((await self.get_health()).data))

    async def file(self, id: str, params: Mapping[str, Any], format: str, options: Optional[CallOptions] = None) -> Answer[bytes]:
        """The answer of the operation `id` (for example "get_eod") as bytes in a format such as csv, excel, xlsx or parquet."""
        return await self._call(_file_row(self._rows_by_id, id), {**params, "format": format}, None, options, "bytes")

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> "AsyncCrossfile":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _release_of(health: Any) -> int:
    release = health.get("release") if isinstance(health, dict) else None
    if not isinstance(release, int):
        raise RuntimeError("the service has no release yet")
    return release
