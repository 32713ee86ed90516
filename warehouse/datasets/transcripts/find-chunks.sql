-- The chunks of a page of hits, by recording and place.
select
  subject, video_id, chunk_idx, chunks, start_ms, end_ms, speaker, text, language, format, ticker, cik, accession,
  video_url, video_title, uploader, upload_date, source, known_from, raw_sha256
from transcript_chunks
where list_contains($videos, video_id) and list_contains($places, video_id || ' ' || chunk_idx::varchar)
order by subject, video_id, chunk_idx
