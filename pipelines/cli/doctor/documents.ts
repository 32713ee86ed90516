// Documents that were kept and never read: what a process that was killed between the two leaves behind.
import { countUnread } from '../../ingest/read-held.ts'
import { count } from '../output.ts'
import { ok, withDb, wrong } from './check.ts'

export const documentsCheck = withDb('documents', async db => {
  const { documents, unread, example } = await countUnread(db)
  if (unread === 0) return [ok(`${count(documents)} kept, all of them read`)]
  return [wrong(`${count(unread)} of ${count(documents)} are kept and were never read, such as ${example}`, 'crossfile read-held reads them')]
})
