"""Sends requests, with and without asyncio. Both callers share what `_core` decides."""

from __future__ import annotations

import asyncio
import time
from typing import Any, AsyncIterator, Dict, Iterator, Mapping, Optional

import httpx

from ._core import (
    Answer,
    AnswerStore,
    CallOptions,
    OperationRow,
    Request,
    Settings,
    make_answer,
    make_error,
    make_request,
    next_cursor,
    next_wait,
)


def _arguments(request: Request) -> Dict[str, Any]:
    files = None if request.file is None else {"file": ("document", request.file)}
    return {"headers": request.headers, "content": request.content, "files": files, "timeout": request.timeout}


class SyncCaller:
    _rows_by_id: Mapping[str, OperationRow] = {}

    def __init__(self, settings: Settings, store: AnswerStore, http: httpx.Client) -> None:
        self._settings = settings
        self._store = store
        self._http = http

    def _call(
        self, row: OperationRow, values: Mapping[str, Any], body: Any, options: Optional[CallOptions], kind: Optional[str] = None
    ) -> Answer[Any]:
        request = make_request(self._settings, self._store, row, values, body, options, kind)
        while True:
            error = None
            try:
                response = self._http.request(row.method, request.url, **_arguments(request))
            except httpx.TransportError:
                wait = next_wait(self._settings, request, None)
                if wait is None:
                    raise
            else:
                if response.status_code < 300 or response.status_code == 304:
                    return make_answer(self._settings, self._store, request, response.status_code, response.headers, response.content)
                error = make_error(response.status_code, response.headers, response.content)
                wait = next_wait(self._settings, request, error)
                if wait is None:
                    raise error
            time.sleep(wait)

    def _pages(self, row: OperationRow, values: Mapping[str, Any], body: Any, options: Optional[CallOptions]) -> Iterator[Answer[Any]]:
        cursor = values.get("cursor")
        while True:
            page = self._call(row, {**values, "cursor": cursor}, body, options)
            yield page
            cursor = next_cursor(row, page.data, cursor)
            if cursor is None:
                return

    def _rows(self, row: OperationRow, values: Mapping[str, Any], body: Any, options: Optional[CallOptions]) -> Iterator[Dict[str, Any]]:
        for page in self._pages(row, values, body, options):
            yield from page.rows


class AsyncCaller:
    _rows_by_id: Mapping[str, OperationRow] = {}

    def __init__(self, settings: Settings, store: AnswerStore, http: httpx.AsyncClient) -> None:
        self._settings = settings
        self._store = store
        self._http = http

    async def _call(
        self, row: OperationRow, values: Mapping[str, Any], body: Any, options: Optional[CallOptions], kind: Optional[str] = None
    ) -> Answer[Any]:
        request = make_request(self._settings, self._store, row, values, body, options, kind)
        while True:
            error = None
            try:
                response = await self._http.request(row.method, request.url, **_arguments(request))
            except httpx.TransportError:
                wait = next_wait(self._settings, request, None)
                if wait is None:
                    raise
            else:
                if response.status_code < 300 or response.status_code == 304:
                    return make_answer(self._settings, self._store, request, response.status_code, response.headers, response.content)
                error = make_error(response.status_code, response.headers, response.content)
                wait = next_wait(self._settings, request, error)
                if wait is None:
                    raise error
            await asyncio.sleep(wait)

    async def _pages(
        self, row: OperationRow, values: Mapping[str, Any], body: Any, options: Optional[CallOptions]
    ) -> AsyncIterator[Answer[Any]]:
        cursor = values.get("cursor")
        while True:
            page = await self._call(row, {**values, "cursor": cursor}, body, options)
            yield page
            cursor = next_cursor(row, page.data, cursor)
            if cursor is None:
                return

    async def _rows(
        self, row: OperationRow, values: Mapping[str, Any], body: Any, options: Optional[CallOptions]
    ) -> AsyncIterator[Dict[str, Any]]:
        async for page in self._pages(row, values, body, options):
            for each in page.rows:
                yield each
