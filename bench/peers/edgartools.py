"""What Python's edgartools reads of the documents of a facts file, in that file's own keys: one JSON object on standard output.

python3 edgartools.py DOCS FACTS. Only where the package is installed; the product needs no Python. Offline: everything is parsed
from the bytes given, through the package's own parsers as its forms' classes call them. Forms 3, 4 and 5 as XML are left out: there
the package asks the SEC for a list before it parses. The page that EDGAR renders of them goes to its only parser of these forms.
"""

import gzip
import json
import re
import sys
import time
from decimal import Decimal
from pathlib import Path


def text_of(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("windows-1252")


def embedded(text, root):
    """The XML document with that root element inside a submission, or the text itself."""
    found = re.search(r"<\?xml[^>]*>\s*(?:<!--.*?-->\s*)*<(?:\w+:)?" + root + r"\b.*?</(?:\w+:)?" + root + r">", text, re.S)
    return found.group(0) if found else text


def sections(text, form):
    from edgar.documents import HTMLParser, ParserConfig

    return HTMLParser(ParserConfig(form=form)).parse(text).sections


def tenk(text, _name):
    """Risk factors and the set of items; of a 20-F the risk factors are letter D of item 3. The form is the one that the cover names first."""
    cover = re.sub(r"<[^>]*>|&nbsp;|&#160;|&#xa0;", " ", text[:300_000])
    named = re.search(r"\bform\s{0,9}(10\s?-\s?[kq]|20\s?-\s?f)\b", cover, re.I)
    form = re.sub(r"\s", "", named.group(1)).upper() if named else "10-K"
    found = sections(text, form)
    risks = r"(part_i+_)?item_?3_?d|risk_factors" if form == "20-F" else r"(part_i+_)?item_1a|risk_factors"
    key = next((key for key in found if re.fullmatch(risks, key)), None)
    numbers = set()
    for each in found:
        match = re.fullmatch(r"(?:part_(i{1,3}|iv)_)?item_(\d{1,2}[a-z]?)", each)
        if match:
            numbers.add((f"{match.group(1).upper()}." if form == "10-Q" and match.group(1) else "") + match.group(2).upper())
    return {"item_1a_words": None if key is None else len(found[key].text().split()), "items": sorted(numbers)}


def rendered(text, _name):
    from edgar.ownership.ownershipforms import Ownership

    read = Ownership.parse_xml(text)
    return {"doc": read["form"], "period": str(read["reporting_period"])}


def eightk(text, _name):
    found = sections(text, "8-K")
    numbers = [re.search(r"(\d)[._]?(\d\d)$", key) for key in found]
    return {"items": sorted({f"{match.group(1)}.{match.group(2)}" for match in numbers if match})}


def form13f(text, _name):
    from edgar.thirteenf.parsers import parse_infotable_txt, parse_infotable_xml, parse_primary_document_xml

    read = {}
    if "edgarSubmission" in text:
        cover = parse_primary_document_xml(embedded(text, "edgarSubmission"))
        page = cover.summary_page
        read["entryTotal"] = None if page is None or page.total_holdings is None else str(page.total_holdings)
        read["valueTotal"] = None if page is None or page.total_value is None else str(page.total_value)
    table = None
    if "informationTable" in text:
        table = parse_infotable_xml(embedded(text, "informationTable"))
    elif "<S>" in text:
        table = parse_infotable_txt(text)
    if table is not None:
        read["rows"] = len(table)
        read["sumValue"] = float(table["Value"].sum())
        read["cusips"] = int(table["Cusip"].nunique())
    return read


def schedule13(text, name):
    from edgar.beneficial_ownership.schedule13 import Schedule13D, Schedule13G

    parsed = (Schedule13G if "13g" in name else Schedule13D).parse_xml(embedded(text, "edgarSubmission"))
    persons = parsed["reporting_persons"]
    issuer = parsed["issuer_info"]
    return {
        "n": len(persons),
        "cusip": [issuer.cusip],
        "agg": [str(person.aggregate_amount) for person in persons],
        "pct": [str(person.percent_of_class) for person in persons],
        "sv": [str(person.sole_voting_power) for person in persons],
        "shd": [str(person.shared_dispositive_power) for person in persons],
    }


class Recorded:
    """As much of the package's Filing as its prospectus classes ask for, from a document that is at hand."""

    def __init__(self, text, name):
        main = re.search(r"<TEXT>(.*?)</TEXT>", text, re.S)
        self.content = main.group(1) if main else text
        form = re.search(r"CONFORMED SUBMISSION TYPE:\s*(\S.*)", text)
        company = re.search(r"COMPANY CONFORMED NAME:\s*(\S.*)", text)
        self.form = form.group(1).strip() if form else "424B5" if "424b5" in name else "424B4"
        self.company = company.group(1).strip() if company else ""
        self.header = None

    def html(self):
        return self.content

    def parse(self):
        from edgar.documents import HTMLParser, ParserConfig

        return HTMLParser(ParserConfig(form=self.form)).parse(self.content)


def offering(text, name):
    """Names without roles: the package gives none. Of a registration statement it gives names only."""
    from edgar.offerings.prospectus._424b_cover import extract_cover_page_fields
    from edgar.offerings.prospectus.document import Prospectus424B
    from edgar.offerings.prospectus.models import CoverPageData
    from edgar.offerings.prospectus.registration_s1 import RegistrationS1

    filing = Recorded(text, name)
    if filing.form.startswith("424B"):
        document = filing.parse()
        cover = CoverPageData(**extract_cover_page_fields(filing, document=document))
        read = Prospectus424B(filing, cover, None, "low", document=document)
        price = re.search(r"\d[\d,]*(?:\.\d+)?", cover.offering_price or "")
        answer = {"proposed_symbol": cover.exchange_ticker, "price": price.group(0).replace(",", "") if price else None}
    else:
        read = RegistrationS1(filing, None, None, None)
        answer = {}
    info = read.underwriting
    return {**answer, "underwriters": [[entry.name, ""] for entry in info.underwriters] if info else []}


READERS = {"form345": rendered, "offering": offering, "tenk": tenk, "eightk/raw": eightk, "form13f": form13f, "schedule13": schedule13}


def asked(folder, key, entry):
    """Of prospectuses only the entries that say who sells are compared, of Forms 3, 4 and 5 only rendered pages."""
    if folder == "form345":
        return key.endswith(".html")
    return folder != "offering" or "underwriters" in entry or "underwriters_subset_of" in entry


def main():
    docs, facts = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    answers = {}
    began = time.perf_counter()
    for key in facts:
        folder = "eightk/raw" if key.startswith("eightk/raw/") else key.split("/")[0]
        reader = READERS.get(folder)
        if reader is None or not (docs / key).is_file() or not asked(folder, key, facts[key]):
            continue
        try:
            answers[key] = reader(text_of(docs / key), key.lower())
        except Exception as error:  # a peer that fails on a document has read nothing of it, and the report says with what
            answers[key] = {"error": f"{type(error).__name__}: {error}"[:200]}
    json.dump({"seconds": time.perf_counter() - began, "answers": answers}, sys.stdout, default=lambda value: str(value) if isinstance(value, Decimal) else repr(value))


main()
