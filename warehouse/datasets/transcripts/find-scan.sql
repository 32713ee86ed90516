-- Every current chunk that a search may have to look at: of some subjects, days and languages. A chunk is current if it is of the same
-- captions as chunk 0 of its call.
with current as (
  select subject, video_id, captions_sha256 from transcript_chunks where chunk_idx = 0
)
select c.subject, c.video_id, c.chunk_idx, c.upload_date, c.language, c.text
from transcript_chunks as c
join current as f on f.subject = c.subject and f.video_id = c.video_id and f.captions_sha256 = c.captions_sha256
where ($language is null or c.language = $language)
  and ($from is null or c.upload_date >= $from::date)
  and ($to is null or c.upload_date <= $to::date)
order by c.subject, c.video_id, c.chunk_idx
