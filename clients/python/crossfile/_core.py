"""Requests and answers as values: nothing here sends anything."""

from __future__ import annotations

import json
import random
import threading
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Generic, List, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

T = TypeVar("T")
Value = Union[str, int, float, Decimal, bool, date, datetime, List[str], Tuple[str, ...]]


@dataclass(frozen=True)
class OperationRow:
    method: str
    path: str
    in_path: Tuple[str, ...]
    #: json, text, bytes or none
    answer: str
    #: The member of the answer whose items are the rows.
    rows: Optional[str]
    #: Takes as_of, release and receipt.
    data: bool
    #: Takes an Idempotency-Key, so that it can be repeated safely.
    idempotent: bool
    media: Optional[str]


@dataclass(frozen=True)
class CallOptions:
    #: Answer as of this instant or day.
    as_of: Union[str, date, datetime, None] = None
    #: Answer from this release.
    release: Optional[int] = None
    #: Sign the answer; its id is in Answer.receipt_id.
    receipt: Optional[bool] = None
    #: Name of this request; the client makes one by default.
    idempotency_key: Optional[str] = None
    #: Seconds for one attempt.
    timeout: Optional[float] = None


@dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: Optional[str]
    as_of: Union[str, date, datetime, None]
    release: Optional[int]
    retries: int
    max_wait: float
    timeout: float
    numbers: str


@dataclass(frozen=True)
class Fault:
    """One fault of a body (status 422)."""

    loc: Tuple[Union[str, int], ...]
    msg: str
    type: str


class CrossfileError(Exception):
    """An answer of the service that is not a success. `hint` says what to change; `docs` is the page of the operation."""

    def __init__(
        self,
        status: int,
        code: Optional[str],
        detail: str,
        hint: Optional[str],
        docs: Optional[str],
        request_id: Optional[str],
        retry_after: Optional[float],
        faults: Tuple[Fault, ...] = (),
    ) -> None:
        super().__init__(f"{status}{f' {code}' if code else ''}: {detail}{f' ({hint})' if hint else ''}")
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
        self.docs = docs
        self.request_id = request_id
        #: Seconds after which the same request may succeed.
        self.retry_after = retry_after
        self.faults = faults


@dataclass(frozen=True)
class Answer(Generic[T]):
    data: T
    #: The body as received; None if it is no text.
    text: Optional[str]
    status: int
    release: Optional[int]
    as_of: Optional[str]
    receipt_id: Optional[str]
    etag: Optional[str]
    request_id: Optional[str]
    #: True if the service confirmed with 304 that a stored answer is still current.
    from_cache: bool
    _rows: Optional[str] = field(default=None, repr=False)

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """The rows of the answer: bars, transactions, holdings. Raises TypeError if the operation has none."""
        if self._rows is None or not isinstance(self.data, dict):
            raise TypeError("this answer has no rows; read .data")
        return list(self.data.get(self._rows) or [])

    def to_pandas(self, *, exact: bool = False) -> Any:
        """The rows as a pandas.DataFrame. Decimals become float64 unless `exact`; days and instants become datetimes."""
        from .tables import to_pandas

        return to_pandas(self.rows, exact=exact)

    def to_polars(self, *, exact: bool = False) -> Any:
        """The rows as a polars.DataFrame. Decimals become Float64 unless `exact`; days and instants become Date and Datetime."""
        from .tables import to_polars

        return to_polars(self.rows, exact=exact)


@dataclass(frozen=True)
class Stored:
    text: str
    etag: str


class AnswerStore:
    """Answers with their ETag, oldest use first. Shared by the clients that `at` makes, and by threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._entries: "OrderedDict[str, Stored]" = OrderedDict()
        self._lock = threading.Lock()

    def get(self, url: str) -> Optional[Stored]:
        with self._lock:
            found = self._entries.get(url)
            if found is not None:
                self._entries.move_to_end(url)
            return found

    def put(self, url: str, stored: Stored) -> None:
        with self._lock:
            before = self._entries.pop(url, None)
            if before is not None:
                self._size -= len(before.text)
            if len(stored.text) > self._limit:
                return
            self._entries[url] = stored
            self._size += len(stored.text)
            while self._size > self._limit:
                _, oldest = self._entries.popitem(last=False)
                self._size -= len(oldest.text)


@dataclass
class Request:
    """One call, ready to be sent, and what happens between its attempts."""

    row: OperationRow
    url: str
    headers: Dict[str, str]
    content: Optional[bytes]
    file: Optional[bytes]
    kind: str
    timeout: float
    stored: Optional[Stored]
    waited: float = 0.0
    attempt: int = 0

    @property
    def safe(self) -> bool:
        """Repeating it has no further effect."""
        return self.row.method in ("GET", "PUT", "DELETE") or "idempotency-key" in self.headers


def make_settings(
    base_url: str,
    api_key: Optional[str],
    as_of: Union[str, date, datetime, None],
    release: Optional[int],
    retries: int,
    max_wait: float,
    timeout: float,
    numbers: str,
) -> Settings:
    if urlsplit(base_url).scheme not in ("http", "https"):
        raise ValueError(f"base_url {base_url!r} is not an http or https address")
    if as_of is not None and release is not None:
        raise ValueError("give as_of or release, not both")
    if numbers not in ("decimal", "float"):
        raise ValueError(f"numbers={numbers!r}: expected 'decimal' or 'float'")
    return Settings(base_url.rstrip("/"), api_key, as_of, release, retries, max_wait, timeout, numbers)


def pinned(settings: Settings, as_of: Union[str, date, datetime, None], release: Optional[int]) -> Settings:
    if (as_of is None) == (release is None):
        raise ValueError("give either as_of or release")
    return replace(settings, as_of=as_of, release=release)


def spelled(value: Value) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone; use datetime.now(timezone.utc) or add one")
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    return str(value)


def make_request(
    settings: Settings,
    store: AnswerStore,
    row: OperationRow,
    values: Mapping[str, Any],
    body: Any,
    options: Optional[CallOptions],
    kind: Optional[str] = None,
) -> Request:
    given = options or CallOptions()
    rest = {name: value for name, value in values.items() if value is not None}
    path = row.path
    for name in row.in_path:
        value = rest.pop(name, "")
        if value == "":
            raise ValueError(f"{row.path}: {name} is missing")
        path = path.replace("{" + name + "}", quote(spelled(value), safe=""))
    if row.data:
        if given.receipt is not None:
            rest.setdefault("receipt", given.receipt)
        if "as_of" not in rest and "release" not in rest:
            source = given if given.as_of is not None or given.release is not None else settings
            rest.update({k: v for k, v in (("as_of", source.as_of), ("release", source.release)) if v is not None})
    query = urlencode({name: spelled(value) for name, value in rest.items()})
    url = settings.base_url + path + (f"?{query}" if query else "")
    headers = {"accept": "application/json" if row.answer == "json" and kind is None else "*/*"}
    if settings.api_key is not None:
        headers["authorization"] = f"Bearer {settings.api_key}"
    content, file = None, None
    if body is not None and row.media is not None and row.media.startswith("multipart/"):
        file = body
    elif isinstance(body, str):
        headers["content-type"] = "text/csv"
        content = body.encode()
    elif body is not None:
        headers["content-type"] = row.media or "application/json"
        content = json.dumps(body, default=_plain, ensure_ascii=False).encode()
    if row.idempotent:
        headers["idempotency-key"] = given.idempotency_key or str(uuid.uuid4())
    answer = kind or row.answer
    stored = store.get(url) if row.method == "GET" and answer == "json" else None
    if stored is not None:
        headers["if-none-match"] = stored.etag
    return Request(row, url, headers, content, file, answer, given.timeout or settings.timeout, stored)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        # The service reads a decimal string where it reads a number, so that no digit is lost.
        return str(value)
    if isinstance(value, (date, datetime)):
        return spelled(value)
    raise TypeError(f"{value!r} cannot be sent as JSON")


def read_json(text: str, numbers: str) -> Any:
    return json.loads(text) if numbers == "float" else json.loads(text, parse_float=Decimal)


def make_answer(settings: Settings, store: AnswerStore, request: Request, status: int, headers: Mapping[str, str], body: bytes) -> Answer[Any]:
    row = request.row
    if status == 304 and request.stored is not None:
        text = request.stored.text
        return _answer(row, read_json(text, settings.numbers), text, 200, headers, True)
    if request.kind == "none" or status == 204:
        return _answer(row, None, None, status, headers, False)
    if request.kind == "bytes":
        return _answer(row, body, None, status, headers, False)
    text = body.decode("utf-8")
    if request.kind == "text":
        return _answer(row, text, text, status, headers, False)
    etag = headers.get("etag")
    if etag is not None and row.method == "GET":
        store.put(request.url, Stored(text, etag))
    return _answer(row, read_json(text, settings.numbers), text, status, headers, False)


def _answer(row: OperationRow, data: Any, text: Optional[str], status: int, headers: Mapping[str, str], cached: bool) -> Answer[Any]:
    body = data if isinstance(data, dict) else {}
    return Answer(
        data=data,
        text=text,
        status=status,
        release=body.get("release"),
        as_of=body.get("as_of"),
        receipt_id=body.get("receipt_id") or headers.get("x-receipt-id"),
        etag=headers.get("etag"),
        request_id=headers.get("x-request-id"),
        from_cache=cached,
        _rows=row.rows,
    )


def make_error(status: int, headers: Mapping[str, str], body: bytes) -> CrossfileError:
    text = body.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = {}
    members = parsed if isinstance(parsed, dict) else {}
    detail = members.get("detail")
    faults: Tuple[Fault, ...] = ()
    if isinstance(detail, list):
        faults = tuple(Fault(tuple(each.get("loc", ())), str(each.get("msg")), str(each.get("type"))) for each in detail)
        detail = "; ".join(f"{'.'.join(map(str, fault.loc))}: {fault.msg}" for fault in faults)
    return CrossfileError(
        status,
        members.get("code"),
        detail or text[:500] or f"status {status}",
        members.get("hint"),
        members.get("docs"),
        headers.get("x-request-id"),
        _retry_after(headers.get("retry-after")),
        faults,
    )


def _retry_after(value: Optional[str]) -> Optional[float]:
    """RFC 9110, section 10.2.3: seconds, or an HTTP date."""
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())


def next_wait(settings: Settings, request: Request, error: Optional[CrossfileError]) -> Optional[float]:
    """Seconds until the next attempt of a request that failed with `error`, or without an answer; None to give up."""
    if error is None:
        wait = _backoff(request.attempt) if request.safe else None
    elif error.status == 429 or (error.status in (502, 503, 504) and request.safe):
        # A request that was refused with 429 was not carried out, so that it can be repeated whatever it does.
        wait = error.retry_after if error.retry_after is not None else _backoff(request.attempt)
    else:
        wait = None
    if wait is None or request.attempt >= settings.retries or request.waited + wait > settings.max_wait:
        return None
    request.attempt += 1
    request.waited += wait
    return wait


def _backoff(attempt: int) -> float:
    return 0.5 * float(2**attempt) * (1 + random.random() / 4)


def next_cursor(row: OperationRow, data: Any, sent: Optional[str]) -> Optional[str]:
    cursor = data.get("next_cursor") if isinstance(data, dict) else None
    if not cursor:
        return None
    if cursor == sent:
        raise RuntimeError(f"{row.path}: the service returned the cursor that was sent")
    return str(cursor)
