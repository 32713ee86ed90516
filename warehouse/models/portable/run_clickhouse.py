"""Computes adjusted closes and the screener's columns from bars with ClickHouse (`chdb`), from the published files of a lake.

    python3 run_clickhouse.py LAKE RELEASE OUT

LAKE: the folder data/lake; RELEASE: its number; OUT: a folder for the Parquet files bars_adjusted and screener_prices. The same statements
run on a ClickHouse server: the inputs are then deltaLake('s3://bucket/prefix/delta/NAME') in place of deltaLakeLocal.
Prints the seconds of each result as JSON.
"""
import json
import os
import sys
import time

import chdb

from tables import INPUTS, RESULTS, current_rows, statements

KNOWN_DATE = "toDate32(known_from, 'America/New_York')"
#: SQL as the other engines understand it: outer joins and casts keep null.
SETTINGS = ("join_use_nulls = 1", "cast_keep_nullable = 1", "data_type_default_nullable = 1", "session_timezone = 'UTC'")


def main(lake, release, out):
    lake, out = os.path.abspath(lake), os.path.abspath(out)
    os.makedirs(out, exist_ok=True)
    # chdb reads files below the working folder only.
    os.chdir(lake)
    connection = chdb.connect(f"file:{out}/clickhouse")
    try:
        for setting in SETTINGS:
            connection.query(f"set {setting}")
        for name in INPUTS:
            history = f"deltaLakeLocal('{lake}/delta/{name}')"
            # A lake whose operator never corrected a bar has no table of corrections, which have the columns of bars.
            if name == "bar_corrections" and not os.path.exists(f"{lake}/delta/{name}"):
                history = f"(select * from deltaLakeLocal('{lake}/delta/bars') where false)"
            connection.query(f"create view {name} as {current_rows(name, history, release, KNOWN_DATE)}")
        seconds = {}
        begun = time.monotonic()
        for name, sql in statements():
            connection.query(f"create table {name} engine = MergeTree order by tuple() as {sql}")
            if name in RESULTS:
                path = f"{out}/{name}.parquet"
                connection.query(f"select * from {name} into outfile '{path}' truncate format Parquet")
                seconds[name] = round(time.monotonic() - begun, 3)
        version = str(connection.query("select version()", "CSV")).strip().strip('"')
        print("\n" + json.dumps({"engine": f"ClickHouse {version}", "seconds": seconds}))
    finally:
        connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
