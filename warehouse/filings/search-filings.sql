-- Filings by entity, form, day and words, newest first.
select *
from filings
where ($form is null or form = $form)
  and filed_date between $from::date and $to::date
  and ($words is null or contains(lower(concat_ws(' ', company, form, primary_description)), lower($words)))
  and ($after_date is null or (filed_date, accession, cik) < ($after_date::date, $after_accession, $after_cik))
order by filed_date desc, accession desc, cik desc
limit $limit
