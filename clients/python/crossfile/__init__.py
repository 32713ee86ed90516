"""Client of a Crossfile service.

    from crossfile import Crossfile

    with Crossfile("http://127.0.0.1:8080") as crossfile:
        bars = crossfile.get_eod("GLPR.TO", from_="2026-05-01")
        print(bars.data["bars"][-1]["close"], bars.release)
        frame = bars.to_pandas()
"""

from ._core import Answer, CallOptions, CrossfileError, Fault
from .client import AsyncCrossfile, Crossfile
from .receipts import NoVerdict, Verdict, verify_bundle

__all__ = [
    "Answer",
    "AsyncCrossfile",
    "CallOptions",
    "Crossfile",
    "CrossfileError",
    "Fault",
    "NoVerdict",
    "Verdict",
    "verify_bundle",
]
__version__ = "1.0.0"
