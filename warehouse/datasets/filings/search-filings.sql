-- Finds filings by entity, form, day, items and words, newest first. Each requested word must be in company, form, the form's title and
-- the main document's description, or each in one heading inside the filing (search-words.ts tokenizes identically); items are then the
-- heading's own. An empty list is no filter. For searches over the whole market, the API takes candidates from its index instead
-- (search-index.ts), which finds the same filings.
with titles as (
  select unnest($title_forms) as form, unnest($titles) as title
), asked as (
  select
    f.accession,
    f.cik,
    f.filed_date,
    f.items,
    concat_ws(' ', f.company, f.form, t.title || case when f.form like '%/A' then ', amended' else '' end, f.primary_description) as words
  from filings as f
  left join titles as t on t.form = regexp_replace(f.form, '/A$', '')
  where (
      len($forms) + len($prefixes) = 0
      or list_contains($forms, f.form)
      or len(list_filter($prefixes, lambda prefix: starts_with(f.form, prefix))) > 0
    )
    and ($amendments = 'any' or ($amendments = 'only') = (f.form like '%/A'))
    and f.filed_date between $from::date and $to::date
    and ($after_date is null or (f.filed_date, f.accession, f.cik) < ($after_date::date, $after_accession, $after_cik))
), headings as (
  select accession, cik, item, title from report_items where title is not null
  union all
  select accession, cik, null, heading from risk_factors
), found_inside as (
  select distinct accession, cik
  from headings
  where (len($items) = 0 or list_contains($items, item))
    and list_has_all(regexp_split_to_array(lower(title), '[^\p{L}\p{N}]+'), $words)
)
select accession, cik, filed_date
from asked as a
where (
    (len($items) = 0 or list_has_any(items, $items))
    and (len($words) = 0 or list_has_all(regexp_split_to_array(lower(words), '[^\p{L}\p{N}]+'), $words))
  )
  or exists (select 1 from found_inside as h where h.accession = a.accession and h.cik = a.cik)
order by filed_date desc, accession desc, cik desc
limit $limit
