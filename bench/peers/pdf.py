# Reads PDF documents with pdfplumber (text and tables) and pypdf (text); one JSON line per file.
# Tables are looked for by ruled lines, and by the places of words on pages where no ruled table is found.
import json
import sys
import time

import pdfplumber
import pypdf

by_text = {"vertical_strategy": "text", "horizontal_strategy": "text"}
for path in sys.argv[1:]:
    started = time.perf_counter()
    with pdfplumber.open(path) as pdf:
        texts = [page.extract_text() or "" for page in pdf.pages]
        found = [(page.page_number, page.extract_tables() or page.extract_tables(by_text)) for page in pdf.pages]
    tables = [{"page": number, "rows": table} for number, page_tables in found for table in page_tables]
    plumber = {"seconds": time.perf_counter() - started, "page_text": texts, "tables": tables}
    started = time.perf_counter()
    reader = pypdf.PdfReader(path)
    texts = [page.extract_text() or "" for page in reader.pages]
    print(json.dumps({"pdfplumber": plumber, "pypdf": {"seconds": time.perf_counter() - started, "page_text": texts}}))
