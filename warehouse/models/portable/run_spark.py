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

from pyspark import StorageLevel
from pyspark.sql import SparkSession

from tables import INPUTS, RESULTS, current_rows, statements

KNOWN_DATE = "to_date(from_utc_timestamp(known_from, 'America/New_York'))"


def files_of(spark, lake, release, name):
    """The Parquet files of a dataset in a release, by the manifests: that of a release has the datasets that it changed, and names the one
    before. The folders below `delta` also hold files that no longer count. Empty if no release had rows of the dataset."""
    while release:
        manifest = json.loads(spark.read.text(f"{lake}/manifests/{release}.json", wholetext=True).first()[0])
        for each in manifest["datasets"]:
            if each["dataset"] == name:
                return [f"{lake}/delta/{file['path']}" for file in each["files"]]
        release = manifest["parent"]
    return []


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
            files = files_of(spark, lake, int(release), name)
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
