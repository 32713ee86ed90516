-- Filings of note that became known in a window: annual reports and late notices, amendments of reports, current reports with an item of note.
select accession, min(form) as form, list_sort(list_distinct(flatten(list(items)))) as items
from filings
where known_from > $since::timestamptz
  and known_from <= $until::timestamptz
  and (
    list_contains($forms, form)
    or (list_contains($current_forms, form) and list_has_any(items, $items))
  )
group by accession
order by accession
