-- The filings of given keys as of the release: the newest version of each.
select *
from filings_history
where accession in (select unnest($accessions))
  and cik in (select unnest($ciks))
  and filed_date between $from::date and $to::date
qualify row_number() over (partition by accession, cik order by release_from desc, known_from desc, raw_sha256) = 1
order by filed_date desc, accession desc, cik desc
