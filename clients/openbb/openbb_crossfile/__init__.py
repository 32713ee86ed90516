"""Crossfile as a provider of OpenBB."""

from openbb_core.provider.abstract.provider import Provider

from .models import (
    CrossfileCalendarEarningsFetcher,
    CrossfileCalendarIpoFetcher,
    CrossfileCompanyFilingsFetcher,
    CrossfileEquityHistoricalFetcher,
    CrossfileEquityQuoteFetcher,
    CrossfileEquitySearchFetcher,
    CrossfileHistoricalDividendsFetcher,
    CrossfileHistoricalSplitsFetcher,
    CrossfileInsiderTradingFetcher,
)

crossfile_provider = Provider(
    name="crossfile",
    repr_name="Crossfile",
    description="A self-hosted research service for North American equities: prices, corporate actions and SEC filings as reproducible answers.",
    credentials=["url", "api_key"],
    instructions="crossfile_url is the address of the service, such as http://127.0.0.1:8080. Its page /developer makes a key.",
    fetcher_dict={
        "CalendarEarnings": CrossfileCalendarEarningsFetcher,
        "CalendarIpo": CrossfileCalendarIpoFetcher,
        "CompanyFilings": CrossfileCompanyFilingsFetcher,
        "EquityHistorical": CrossfileEquityHistoricalFetcher,
        "EquityQuote": CrossfileEquityQuoteFetcher,
        "EquitySearch": CrossfileEquitySearchFetcher,
        "HistoricalDividends": CrossfileHistoricalDividendsFetcher,
        "HistoricalSplits": CrossfileHistoricalSplitsFetcher,
        "InsiderTrading": CrossfileInsiderTradingFetcher,
    },
)
