"""Rows of an answer as data frames. Column types follow the names of the service: `date` and `*_date` are days, `*_at` and `known_from` instants in UTC."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List

Row = Dict[str, Any]


def is_day(name: str) -> bool:
    return name == "date" or name.endswith("_date")


def is_instant(name: str) -> bool:
    return name.endswith("_at") or name in ("known_from", "known_to", "time")


def _columns(rows: List[Row], exact: bool) -> Dict[str, List[Any]]:
    """Column by column, in the order in which the rows name them. Decimals become floats unless `exact`."""
    names = list(dict.fromkeys(name for row in rows for name in row))

    def cell(value: Any) -> Any:
        return float(value) if isinstance(value, Decimal) and not exact else value

    return {name: [cell(row.get(name)) for row in rows] for name in names}


def _has_decimal(values: List[Any]) -> bool:
    return any(isinstance(value, (float, Decimal)) for value in values)


def to_pandas(rows: List[Row], *, exact: bool = False) -> Any:
    import pandas as pd

    frame = pd.DataFrame()
    for name, values in _columns(rows, exact).items():
        if is_day(name):
            frame[name] = pd.to_datetime(pd.Series(values), format="%Y-%m-%d")
        elif is_instant(name) and all(value is None or isinstance(value, str) for value in values):
            frame[name] = pd.to_datetime(pd.Series(values), format="ISO8601", utc=True)
        elif not exact and _has_decimal(values):
            frame[name] = pd.Series(values, dtype="float64")
        elif any(isinstance(value, int) for value in values) and all(value is None or isinstance(value, int) for value in values):
            # Int64 keeps whole numbers whole where some are missing; bool columns stay bool.
            kind = "boolean" if all(value is None or isinstance(value, bool) for value in values) else "Int64"
            frame[name] = pd.Series(values, dtype=kind)
        else:
            frame[name] = pd.Series(values, dtype="object")
    return frame


def to_polars(rows: List[Row], *, exact: bool = False) -> Any:
    import polars as pl

    columns = []
    for name, values in _columns(rows, exact).items():
        if is_day(name):
            columns.append(pl.Series(name, values, dtype=pl.String).str.to_date("%Y-%m-%d"))
        elif is_instant(name) and all(value is None or isinstance(value, str) for value in values):
            columns.append(pl.Series(name, values, dtype=pl.String).str.to_datetime(time_zone="UTC"))
        elif not exact and _has_decimal(values):
            columns.append(pl.Series(name, values, dtype=pl.Float64, strict=False))
        elif exact and any(isinstance(value, Decimal) for value in values):
            places = max((-int(value.as_tuple().exponent) for value in values if isinstance(value, Decimal)), default=0)
            whole = [None if value is None else Decimal(value) for value in values]
            columns.append(pl.Series(name, whole, dtype=pl.Decimal(38, max(places, 0))))
        else:
            columns.append(pl.Series(name, values, strict=False))
    return pl.DataFrame(columns)
