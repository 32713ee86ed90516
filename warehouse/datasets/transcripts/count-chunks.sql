-- Current chunks and calls of each subject.
with current as (
  select subject, video_id, captions_sha256 from transcript_chunks where chunk_idx = 0
)
select c.subject, any_value(c.cik order by c.video_id, c.chunk_idx) as cik, count(*) as chunks, count(distinct c.video_id) as calls
from transcript_chunks as c
join current as f on f.subject = c.subject and f.video_id = c.video_id and f.captions_sha256 = c.captions_sha256
group by c.subject
order by c.subject
