-- The corrections of some filings that apply: of each field the newest one, unless it is undone.
select filing, dataset, row_key, field, filed, value, reason, evidence, known_from
from filing_corrections
where list_contains($filings, filing) and not undone
order by filing, dataset, row_key, field
