-- Every version of every correction, newest first; of one filing if it is named.
select filing, dataset, row_key, field, filed, value, undone, follows, reason, evidence, known_from, raw_sha256, release_from
from filing_corrections_history
where $filing is null or filing = $filing
order by known_from desc, filing, dataset, row_key, field
