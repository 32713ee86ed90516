"""The models of OpenBB that this provider answers, each by one operation of the service.

A model has OpenBB's standard fields and those that Crossfile has in addition. A value that the service does not know stays None.
"""

from datetime import date as dateType
from datetime import datetime
from typing import Any, Dict, List, Literal, Optional

from openbb_core.provider.abstract.annotated_result import AnnotatedResult
from openbb_core.provider.abstract.fetcher import Fetcher
from openbb_core.provider.standard_models.calendar_earnings import CalendarEarningsData, CalendarEarningsQueryParams
from openbb_core.provider.standard_models.calendar_ipo import CalendarIpoData, CalendarIpoQueryParams
from openbb_core.provider.standard_models.company_filings import CompanyFilingsData, CompanyFilingsQueryParams
from openbb_core.provider.standard_models.equity_historical import EquityHistoricalData, EquityHistoricalQueryParams
from openbb_core.provider.standard_models.equity_quote import EquityQuoteData, EquityQuoteQueryParams
from openbb_core.provider.standard_models.equity_search import EquitySearchData, EquitySearchQueryParams
from openbb_core.provider.standard_models.historical_dividends import HistoricalDividendsData, HistoricalDividendsQueryParams
from openbb_core.provider.standard_models.historical_splits import HistoricalSplitsData, HistoricalSplitsQueryParams
from openbb_core.provider.standard_models.insider_trading import InsiderTradingData, InsiderTradingQueryParams
from pydantic import Field

from .service import AsOf, Rows, read, read_pages, result

Credentials = Optional[Dict[str, str]]


def _given(**parameters: Any) -> Dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


class CrossfileEquityHistoricalQueryParams(AsOf, EquityHistoricalQueryParams):
    """Daily bars of one symbol (GET /api/v1/market/eod/{symbol})."""


class CrossfileEquityHistoricalData(EquityHistoricalData):
    """A daily bar as traded; `adjusted_close` is the close adjusted for splits and cash dividends."""

    adjusted_close: Optional[float] = Field(default=None, description="Close adjusted for later splits and cash dividends.")
    currency: Optional[str] = Field(default=None, description="Currency of the listing.")


class CrossfileEquityHistoricalFetcher(Fetcher[CrossfileEquityHistoricalQueryParams, List[CrossfileEquityHistoricalData]]):
    """Daily bars."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileEquityHistoricalQueryParams:
        return CrossfileEquityHistoricalQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileEquityHistoricalQueryParams, credentials: Credentials, **_: Any) -> Rows:
        async def call(crossfile: Any) -> Any:
            days = _given(from_=query.start_date, to=query.end_date)
            answer = await crossfile.get_eod(query.symbol, **days)
            for row in answer.rows:
                row["currency"] = answer.data.get("currency")
            return answer

        rows, meta = await read(credentials, query, call)
        return rows, meta

    @staticmethod
    def transform_data(query: CrossfileEquityHistoricalQueryParams, data: Rows, **_: Any) -> AnnotatedResult[List[CrossfileEquityHistoricalData]]:
        rows, meta = data
        return result([CrossfileEquityHistoricalData.model_validate(row) for row in rows], meta, f"no bars of {query.symbol} are held for these days")


class CrossfileEquityQuoteQueryParams(AsOf, EquityQuoteQueryParams):
    """Quotes of symbols, separated by commas (GET /api/v1/market/quotes)."""

    __json_schema_extra__ = {"symbol": {"multiple_items_allowed": True}}


class CrossfileEquityQuoteData(EquityQuoteData):
    """A quote, with its age."""

    __alias_dict__ = {
        "last_price": "price",
        "prev_close": "previous_close",
        "change_percent": "change_pct",
        "last_timestamp": "quoted_at",
    }

    currency: Optional[str] = Field(default=None, description="Currency of the listing.")
    session_date: Optional[dateType] = Field(default=None, description="Session of the price.")
    price_session: Optional[str] = Field(default=None, description="Part of the session: pre, regular or post.")
    stale: Optional[bool] = Field(default=None, description="The price is older than a source should be.")
    data_lag_seconds: Optional[float] = Field(default=None, description="Age of the price in seconds.")
    source: Optional[str] = Field(default=None, description="Source of the price.")


class CrossfileEquityQuoteFetcher(Fetcher[CrossfileEquityQuoteQueryParams, List[CrossfileEquityQuoteData]]):
    """Quotes."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileEquityQuoteQueryParams:
        return CrossfileEquityQuoteQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileEquityQuoteQueryParams, credentials: Credentials, **_: Any) -> Rows:
        return await read(credentials, query, lambda crossfile: crossfile.get_quotes(symbols=query.symbol))

    @staticmethod
    def transform_data(query: CrossfileEquityQuoteQueryParams, data: Rows, **_: Any) -> AnnotatedResult[List[CrossfileEquityQuoteData]]:
        rows, meta = data
        # OpenBB's change_percent is a fraction; the service states percent.
        shown = [
            {**_named(row, _QUOTE_FIELDS), "change_pct": None if row.get("change_pct") is None else row["change_pct"] / 100} for row in rows
        ]
        return result([CrossfileEquityQuoteData.model_validate(row) for row in shown], meta, f"no quote of {query.symbol} is held")


#: Members of a quote that a model has.
_QUOTE_FIELDS = (
    "symbol price previous_close change change_pct quoted_at bid bid_size ask ask_size open high low volume currency session_date "
    "price_session stale data_lag_seconds source"
).split()


def _named(row: Dict[str, Any], names: List[str]) -> Dict[str, Any]:
    return {name: row.get(name) for name in names}


class CrossfileEquitySearchQueryParams(AsOf, EquitySearchQueryParams):
    """Listings by symbol or words of the name (GET /api/v1/market/symbols)."""

    exchange: Optional[Literal["US", "TO", "V"]] = Field(default=None, description="US, TO (Toronto) or V (TSX Venture).")
    limit: int = Field(default=100, ge=1, le=10_000, description="Most listings.")


class CrossfileEquitySearchData(EquitySearchData):
    """A listing."""

    exchange: Optional[str] = Field(default=None, description="US, TO or V.")
    mic: Optional[str] = Field(default=None, description="Market identifier code (ISO 10383).")
    type: Optional[str] = Field(default=None, description="Kind of security.")
    currency: Optional[str] = Field(default=None, description="Currency of the listing.")
    cik: Optional[str] = Field(default=None, description="Number of the issuer at the SEC.")
    listed_from: Optional[dateType] = Field(default=None, description="First day in the directories that were read.")


class CrossfileEquitySearchFetcher(Fetcher[CrossfileEquitySearchQueryParams, List[CrossfileEquitySearchData]]):
    """Listings."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileEquitySearchQueryParams:
        return CrossfileEquitySearchQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileEquitySearchQueryParams, credentials: Credentials, **_: Any) -> Rows:
        words = _given(query=query.query or None, exchange=query.exchange)
        rows, meta = await read_pages(credentials, query, lambda crossfile, page: crossfile.list_symbols(**words, **page), query.limit)
        if query.is_symbol:
            rows = [row for row in rows if row["symbol"].upper().startswith(query.query.upper())]
        return rows, meta

    @staticmethod
    def transform_data(query: CrossfileEquitySearchQueryParams, data: Rows, **_: Any) -> AnnotatedResult[List[CrossfileEquitySearchData]]:
        rows, meta = data
        return result([CrossfileEquitySearchData.model_validate(row) for row in rows], meta, f"no listing fits {query.query!r}")


class CrossfileCompanyFilingsQueryParams(AsOf, CompanyFilingsQueryParams):
    """SEC filings, newest first (GET /api/v1/data/filings/search)."""

    cik: Optional[str] = Field(default=None, description="Number of the filer at the SEC.")
    form_type: Optional[str] = Field(default=None, description="Form types, separated by commas; a star at the end matches a prefix.")
    start_date: Optional[dateType] = Field(default=None, description="First filed day.")
    end_date: Optional[dateType] = Field(default=None, description="Last filed day.")
    limit: int = Field(default=100, ge=1, le=10_000, description="Most filings.")


class CrossfileCompanyFilingsData(CompanyFilingsData):
    """A filing."""

    __alias_dict__ = {"filing_date": "filed_date", "report_type": "form", "report_url": "url"}

    accession: Optional[str] = Field(default=None, description="Accession number.")
    accepted_at: Optional[datetime] = Field(default=None, description="Acceptance by the SEC.")
    cik: Optional[str] = Field(default=None, description="Number of the filer at the SEC.")
    company: Optional[str] = Field(default=None, description="Name of the filer.")
    form_title: Optional[str] = Field(default=None, description="What the form is.")
    period_of_report: Optional[dateType] = Field(default=None, description="Day that the report is about.")
    items: Optional[List[str]] = Field(default=None, description="Items of a current report.")
    document_url: Optional[str] = Field(default=None, description="Main document.")


class CrossfileCompanyFilingsFetcher(Fetcher[CrossfileCompanyFilingsQueryParams, List[CrossfileCompanyFilingsData]]):
    """Filings."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileCompanyFilingsQueryParams:
        return CrossfileCompanyFilingsQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileCompanyFilingsQueryParams, credentials: Credentials, **_: Any) -> Rows:
        filters = _given(ticker=query.symbol, cik=query.cik, form=query.form_type, from_=query.start_date, to=query.end_date)
        return await read_pages(credentials, query, lambda crossfile, page: crossfile.search_filings(**filters, **page), query.limit)

    @staticmethod
    def transform_data(query: CrossfileCompanyFilingsQueryParams, data: Rows, **_: Any) -> AnnotatedResult[List[CrossfileCompanyFilingsData]]:
        rows, meta = data
        names = "filed_date form url accession accepted_at cik company form_title period_of_report items document_url".split()
        return result([CrossfileCompanyFilingsData.model_validate(_named(row, names)) for row in rows], meta, "no filing fits")


class CrossfileInsiderTradingQueryParams(AsOf, InsiderTradingQueryParams):
    """Transactions on Forms 3, 4 and 5 (GET /api/v1/data/form4)."""

    start_date: Optional[dateType] = Field(default=None, description="First filed day.")


class CrossfileInsiderTradingData(InsiderTradingData):
    """A transaction of an insider. A price of None is not stated in the form; it is not zero."""

    __alias_dict__ = {
        "symbol": "issuer_symbol",
        "company_cik": "issuer_cik",
        "filing_date": "filed_date",
        "transaction_type": "code",
        "acquisition_or_disposition": "acquired_disposed",
        "security_type": "security_title",
        "securities_owned": "shares_after",
        "securities_transacted": "shares",
        "transaction_price": "price",
        "ownership_type": "direct_or_indirect",
        "filing_url": "url",
    }

    accession: Optional[str] = Field(default=None, description="Accession number.")
    derivative: Optional[bool] = Field(default=None, description="Of the table of derivative securities.")
    plan_10b5_1: Optional[str] = Field(default=None, description="Whether the trade was under a plan: yes, no or unknown.")
    flags: Optional[List[str]] = Field(default=None, description="What is odd about the line.")


class CrossfileInsiderTradingFetcher(Fetcher[CrossfileInsiderTradingQueryParams, List[CrossfileInsiderTradingData]]):
    """Insider transactions."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileInsiderTradingQueryParams:
        return CrossfileInsiderTradingQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileInsiderTradingQueryParams, credentials: Credentials, **_: Any) -> Rows:
        filters = _given(ticker=query.symbol, since=query.start_date)
        return await read_pages(credentials, query, lambda crossfile, page: crossfile.get_form4(**filters, **page), query.limit)

    @staticmethod
    def transform_data(query: CrossfileInsiderTradingQueryParams, data: Rows, **_: Any) -> AnnotatedResult[List[CrossfileInsiderTradingData]]:
        rows, meta = data
        names = (
            "issuer_symbol issuer_cik filed_date transaction_date code acquired_disposed security_title shares_after shares price "
            "direct_or_indirect url accession derivative plan_10b5_1 flags"
        ).split()
        shown = []
        for row in rows:
            owners = row.get("owners") or []
            titles = "; ".join(title for title in (_title(owner) for owner in owners) if title)
            first = owners[0] if owners else {}
            names_ = "; ".join(row.get("owner_names") or [])
            shown.append({**_named(row, names), "owner_cik": first.get("cik"), "owner_name": names_ or None, "owner_title": titles or None})
        return result([CrossfileInsiderTradingData.model_validate(row) for row in shown], meta, f"no insider transaction of {query.symbol} is held")


def _title(owner: Dict[str, Any]) -> Optional[str]:
    if owner.get("officer_title"):
        return owner["officer_title"]
    roles = [("director", "Director"), ("officer", "Officer"), ("ten_percent_owner", "10 % owner")]
    return ", ".join(word for name, word in roles if owner.get(name)) or None


async def _actions(credentials: Credentials, query: Any, kind: str, days: Dict[str, Any]) -> Rows:
    async def call(crossfile: Any) -> Any:
        return await crossfile.list_corporate_actions(query.symbol, type=kind, **days)

    rows, meta = await read(credentials, query, call)
    return [row for row in rows if not row["cancelled"]], meta


class CrossfileHistoricalDividendsQueryParams(AsOf, HistoricalDividendsQueryParams):
    """Cash dividends (GET /api/v1/market/corporate-actions/{symbol}?type=cash)."""


class CrossfileHistoricalDividendsData(HistoricalDividendsData):
    """A dividend that was not cancelled."""

    __alias_dict__ = {"ex_dividend_date": "ex_date"}

    kind: Optional[str] = Field(default=None, description="dividend, special_dividend, return_of_capital or another kind of cash.")
    currency: Optional[str] = Field(default=None, description="Currency of the amount.")
    declared_date: Optional[dateType] = Field(default=None, description="Day of the declaration.")
    record_date: Optional[dateType] = Field(default=None, description="Record date.")
    pay_date: Optional[dateType] = Field(default=None, description="Payment date.")
    amount_basis: Optional[str] = Field(default=None, description="Whether the amount is per share of then or of today.")


class CrossfileHistoricalDividendsFetcher(Fetcher[CrossfileHistoricalDividendsQueryParams, List[CrossfileHistoricalDividendsData]]):
    """Dividends."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileHistoricalDividendsQueryParams:
        return CrossfileHistoricalDividendsQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileHistoricalDividendsQueryParams, credentials: Credentials, **_: Any) -> Rows:
        return await _actions(credentials, query, "cash", _given(from_=query.start_date, to=query.end_date))

    @staticmethod
    def transform_data(
        query: CrossfileHistoricalDividendsQueryParams, data: Rows, **_: Any
    ) -> AnnotatedResult[List[CrossfileHistoricalDividendsData]]:
        rows, meta = data
        names = "symbol kind ex_date amount currency declared_date record_date pay_date amount_basis".split()
        known = [_named(row, names) for row in rows if row["amount"] is not None]
        meta = {**meta, "without_amount": len(rows) - len(known)}
        return result([CrossfileHistoricalDividendsData.model_validate(row) for row in known], meta, f"no dividend of {query.symbol} is held")


class CrossfileHistoricalSplitsQueryParams(AsOf, HistoricalSplitsQueryParams):
    """Splits and consolidations (GET /api/v1/market/corporate-actions/{symbol}?type=split)."""


class CrossfileHistoricalSplitsData(HistoricalSplitsData):
    """A split that was not cancelled."""

    __alias_dict__ = {"date": "ex_date"}

    symbol: Optional[str] = Field(default=None, description="Symbol of the listing.")


class CrossfileHistoricalSplitsFetcher(Fetcher[CrossfileHistoricalSplitsQueryParams, List[CrossfileHistoricalSplitsData]]):
    """Splits."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileHistoricalSplitsQueryParams:
        return CrossfileHistoricalSplitsQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileHistoricalSplitsQueryParams, credentials: Credentials, **_: Any) -> Rows:
        return await _actions(credentials, query, "split", {})

    @staticmethod
    def transform_data(query: CrossfileHistoricalSplitsQueryParams, data: Rows, **_: Any) -> AnnotatedResult[List[CrossfileHistoricalSplitsData]]:
        rows, meta = data
        shown = [
            {
                **_named(row, ["symbol", "ex_date", "numerator", "denominator"]),
                "split_ratio": None if row["numerator"] is None else f"{row['numerator']:g}:{row['denominator']:g}",
            }
            for row in rows
        ]
        return result([CrossfileHistoricalSplitsData.model_validate(row) for row in shown], meta, f"no split of {query.symbol} is held")


class CrossfileCalendarEarningsQueryParams(AsOf, CalendarEarningsQueryParams):
    """Days on which issuers report results (GET /api/v1/market/earnings-calendar)."""

    status: Optional[Literal["confirmed", "estimated", "all"]] = Field(default=None, description="Default: confirmed days only.")


class CrossfileCalendarEarningsData(CalendarEarningsData):
    """A report. `eps_consensus` is the estimate of the source that the row names."""

    __alias_dict__ = {"report_date": "date", "name": "company", "eps_consensus": "eps_estimate"}

    status: Optional[str] = Field(default=None, description="confirmed or estimated.")
    time_of_day: Optional[str] = Field(default=None, description="Before the open, after the close, or unknown.")
    eps_actual: Optional[float] = Field(default=None, description="Earnings per share as reported.")
    currency: Optional[str] = Field(default=None, description="Currency of the figures.")
    source_name: Optional[str] = Field(default=None, description="Source of the day.")


class CrossfileCalendarEarningsFetcher(Fetcher[CrossfileCalendarEarningsQueryParams, List[CrossfileCalendarEarningsData]]):
    """Report dates."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileCalendarEarningsQueryParams:
        return CrossfileCalendarEarningsQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileCalendarEarningsQueryParams, credentials: Credentials, **_: Any) -> Rows:
        filters = _given(from_=query.start_date, to=query.end_date, status=query.status)
        return await read_pages(credentials, query, lambda crossfile, page: crossfile.list_earnings_calendar(**filters, **page), None)

    @staticmethod
    def transform_data(query: CrossfileCalendarEarningsQueryParams, data: Rows, **_: Any) -> AnnotatedResult[List[CrossfileCalendarEarningsData]]:
        rows, meta = data
        names = "symbol company date eps_estimate eps_actual status time_of_day currency source_name".split()
        # A source may name a company without a symbol that the directories have; OpenBB's model needs one.
        shown = [{**_named(row, names), "symbol": row["symbol"] or row["source_symbol"] or ""} for row in rows]
        return result([CrossfileCalendarEarningsData.model_validate(row) for row in shown], meta, "no report is known for these days")


class CrossfileCalendarIpoQueryParams(AsOf, CalendarIpoQueryParams):
    """Offerings to the public (GET /api/v1/market/ipo-calendar)."""


class CrossfileCalendarIpoData(CalendarIpoData):
    """An offering."""

    company: Optional[str] = Field(default=None, description="Name of the issuer.")
    status: Optional[str] = Field(default=None, description="filed, amended, priced, listed or withdrawn.")
    exchange: Optional[str] = Field(default=None, description="Exchange that the offering names.")
    price_low: Optional[float] = Field(default=None, description="Low end of the price range.")
    price_high: Optional[float] = Field(default=None, description="High end of the price range.")
    price: Optional[float] = Field(default=None, description="Price of the offering.")
    currency: Optional[str] = Field(default=None, description="Currency of the prices.")
    shares: Optional[float] = Field(default=None, description="Number of shares.")
    listed_date: Optional[dateType] = Field(default=None, description="First day in a directory of listings.")


class CrossfileCalendarIpoFetcher(Fetcher[CrossfileCalendarIpoQueryParams, List[CrossfileCalendarIpoData]]):
    """Offerings."""

    @staticmethod
    def transform_query(params: Dict[str, Any]) -> CrossfileCalendarIpoQueryParams:
        return CrossfileCalendarIpoQueryParams(**params)

    @staticmethod
    async def aextract_data(query: CrossfileCalendarIpoQueryParams, credentials: Credentials, **_: Any) -> Rows:
        filters = _given(from_=query.start_date, to=query.end_date)
        # The service has no filter by symbol: all of the days are read, then those of the symbol are chosen.
        limit = query.limit if query.symbol is None else None
        rows, meta = await read_pages(credentials, query, lambda crossfile, page: crossfile.list_ipo_calendar(**filters, **page), limit)
        if query.symbol is not None:
            wanted = query.symbol.upper()
            rows = [row for row in rows if wanted in (row["symbol"], row["proposed_symbol"])][: query.limit]
        return rows, meta

    @staticmethod
    def transform_data(query: CrossfileCalendarIpoQueryParams, data: Rows, **_: Any) -> AnnotatedResult[List[CrossfileCalendarIpoData]]:
        rows, meta = data
        names = "company status exchange price_low price_high price currency shares listed_date".split()
        shown = [{**_named(row, names), "symbol": row["symbol"] or row["proposed_symbol"], "ipo_date": row["date"]} for row in rows]
        return result([CrossfileCalendarIpoData.model_validate(row) for row in shown], meta, "no offering is known for these days")
