-- Corrected rows of the 13F tables of one quarter, with the name and class by which they are matched to a listing.
select distinct h.issuer_name, h.class_title, c.filing, c.dataset, c.row_key
from filing_corrections as c
join holdings as h on h.filing_id = c.filing and c.dataset = 'holdings' and c.row_key = h.line::varchar
where not c.undone and h.quarter = $quarter
order by filing, row_key
