"""The inputs of the statements in this folder, and the statements themselves.

Each statement `NN-name.sql` becomes the table `name` (with `_` for `-`), in the order of the numbers. The inputs are the current rows of a
release: of each key the row with the highest release_from, then the newest known_from, then the lowest raw_sha256, unless it is withdrawn.
"""
import pathlib

#: The key of each input. `{day}` is replaced by the engine's expression for the day of known_from in New York, which bars need.
INPUTS = {
    "bars": ("symbol", "date"),
    "bar_corrections": ("symbol", "date"),
    "adjustment_factors": ("symbol", "ex_date", "convention"),
    "symbols": ("symbol", "valid_from"),
}
#: The tables that are written.
RESULTS = ("bars_adjusted", "screener_prices")


def current_rows(name, history, release, known_date):
    """A SELECT of the rows of `name` in `release` over the table expression `history`; `known_date` is an SQL expression."""
    ranked = (
        f"select *, {known_date} as known_date, row_number() over (partition by {', '.join(INPUTS[name])} "
        f"order by release_from desc, known_from desc, raw_sha256) as turn from {history} where release_from <= {int(release)}"
    )
    return f"select * from ({ranked}) as ranked where turn = 1 and not withdrawn"


def statements():
    """Pairs of a table's name and its SELECT, in the order in which they can run."""
    for path in sorted(pathlib.Path(__file__).parent.glob("*.sql")):
        yield path.stem[3:].replace("-", "_"), path.read_text(encoding="utf-8").strip()
