// Documents that were kept and never read: what a process that was killed between the two leaves behind. Answers that were refused
// (`refused:REASON:ADDRESS`, pipelines/http.ts) are kept for the operator and are not meant to be read.
import { sql } from 'kysely'
import { count } from '../output.ts'
import { ok, withDb, wrong } from './check.ts'

export const documentsCheck = withDb('documents', async db => {
  const { rows } = await sql<{ documents: number; unread: number; example: string | null }>`
    select count(*)::int as documents, (count(*) filter (where unread))::int as unread, min(url) filter (where unread) as example
    from (select url, status = 200 and url not like 'refused:%' and not exists (select from reading where reading.raw_id = raw_document.raw_id) as unread from raw_document) as each`.execute(
    db,
  )
  const { documents = 0, unread = 0, example = null } = rows[0] ?? {}
  if (unread === 0) return [ok(`${count(documents)} kept, all of them read`)]
  return [
    wrong(
      `${count(unread)} of ${count(documents)} are kept and were never read, such as ${example}`,
      'crossfile rebuild reads every kept document again',
    ),
  ]
})
