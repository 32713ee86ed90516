"""Computes adjusted closes and the screener's columns from bars with Spark, from the published files of a lake.

    python3 run_spark.py LAKE RELEASE OUT [MASTER [PARTITIONS]]

LAKE: the folder data/lake, or an address that Spark can read (s3a://bucket/prefix); RELEASE: its number; OUT: a folder for the Parquet files
bars_adjusted and screener_prices; MASTER: of Spark, by default local[*]; PARTITIONS: into how many parts joins and windows
divide the rows, by default 200 (about a million bars each in a market of 51,000 symbols). Prints the seconds of each result as JSON.
"""
import json
import os
import sys
import time
from urllib.parse import unquote

from pyspark import StorageLevel
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from tables import INPUTS, RESULTS, current_rows, statements

KNOWN_DATE = "to_date(from_utc_timestamp(known_from, 'America/New_York'))"


def found(read):
    """What `read` returns; None if its file is not there."""
    try:
        return read()
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        return None


def files_of(spark, lake, name):
    """The Parquet files of the newest version of a dataset's Delta table, which have the rows of every release; the folders also hold files
    that no longer count. By releases.parquet and the log (Delta protocol: checkpoint, actions `add` and `remove`), without listing a folder.
    Empty if there is no table."""
    log = f"{lake}/delta/{name}/_delta_log"
    newest = spark.read.parquet(f"{lake}/releases.parquet").where(f"dataset = '{name}'").agg({"version": "max"}).first()[0]
    if newest is None:
        return []
    paths, begun = set(), 0
    # The newest checkpoint is at most some versions behind. `_last_checkpoint` names it, but Spark passes over names that begin with _.
    for version in range(newest, -1, -1):
        checkpoint = found(lambda: spark.read.parquet(f"{log}/{version:020d}.checkpoint.parquet"))
        if checkpoint is not None:
            paths = {row.path for row in checkpoint.where("add is not null").select("add.path").collect()}
            begun = version + 1
            break
    for version in range(begun, newest + 1):
        for action in map(json.loads, spark.read.text(f"{log}/{version:020d}.json", wholetext=True).first()[0].splitlines()):
            if "add" in action:
                paths.add(action["add"]["path"])
            elif "remove" in action:
                paths.discard(action["remove"]["path"])
    return sorted(f"{lake}/delta/{name}/{unquote(path)}" for path in paths)


def main(lake, release, out, master="local[*]", partitions="200"):
    lake = lake if "://" in lake else os.path.abspath(lake)
    spark = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", partitions)
        # A decimal or a date that does not fit is an error, not a null.
        .config("spark.sql.ansi.enabled", "true")
        .getOrCreate()
    )
    try:
        for name in INPUTS:
            files = files_of(spark, lake, name)
            if name == "bar_corrections" and not files:
                # A lake whose operator never corrected a bar: corrections have the columns of bars.
                spark.table("bars_history").limit(0).createOrReplaceTempView(f"{name}_history")
            else:
                spark.read.option("mergeSchema", "true").parquet(*files).createOrReplaceTempView(f"{name}_history")
            spark.sql(current_rows(name, f"{name}_history", release, KNOWN_DATE)).createOrReplaceTempView(name)
        seconds = {}
        begun = time.monotonic()
        for name, sql in statements():
            table = spark.sql(sql)
            if name not in RESULTS:
                table = table.persist(StorageLevel.MEMORY_AND_DISK)
            table.createOrReplaceTempView(name)
            if name in RESULTS:
                table.write.mode("overwrite").parquet(f"{out}/{name}")
                seconds[name] = round(time.monotonic() - begun, 3)
        print("\n" + json.dumps({"engine": f"Spark {spark.version}", "master": master, "seconds": seconds}))
    finally:
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
