// Documents that were stored but never read, because a process was killed between the two steps.
import { countUnread } from '../../ingest/read-held.ts'
import { count } from '../output.ts'
import { ok, withDb, wrong } from './check.ts'

export const documentsCheck = withDb('documents', async db => {
  const { documents, unread, example } = await countUnread(db)
  if (unread === 0) return [ok(`${count(documents)} stored, all of them read`)]
  return [
    wrong(
      `${count(unread)} of ${count(documents)} ${unread === 1 ? 'is stored but was' : 'are stored but were'} never read, such as ${example}`,
      'crossfile read-held reads them',
    ),
  ]
})
