// The operator's decisions on quarantine: rows in Postgres, and a journal next to the raw documents, so that a rebuild without the
// database has them too.
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Broken } from '#schemas/errors.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { rawFolder } from '#warehouse/store/raw/raw.ts'
import type { Decision, Decisions } from './types.ts'

const journalName = 'decisions.jsonl'
const Entry = z.strictObject({
  fingerprint: z.string(),
  dataset: z.string(),
  subject: z.string(),
  decision: z.enum(['released', 'rejected']),
  at: z.string(),
  note: z.string().nullable(),
})

/** The decisions of operators, without findings that a rule released. */
export async function loadDecisions(db: Db): Promise<Decisions> {
  const rows = await db
    .selectFrom('quarantine')
    .select(['fingerprint', 'dataset', 'subject', 'state', 'decided_at', 'note'])
    .where('state', 'in', ['released', 'rejected'])
    .where('note', 'like', 'operator:%')
    .execute()
  return new Map(
    rows.map(row => [
      row.fingerprint,
      {
        fingerprint: row.fingerprint,
        dataset: row.dataset,
        subject: row.subject,
        decision: row.state === 'rejected' ? ('rejected' as const) : ('released' as const),
        at: row.decided_at ?? '',
        note: row.note,
      },
    ]),
  )
}

/** Appends a decision to the journal with fsync, before it is written to Postgres, so that it cannot be lost. */
export async function journalDecision(data: string, decision: Decision): Promise<void> {
  await mkdir(rawFolder(data), { recursive: true })
  const file = await open(join(rawFolder(data), journalName), 'a')
  try {
    await file.appendFile(`${JSON.stringify(Entry.parse(decision))}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The journal's decisions in order; a torn last line, as left by a power cut, is ignored. */
export async function readJournal(data: string): Promise<Decision[]> {
  return await readJournalOf(rawFolder(data))
}

/** As `readJournal`, of a copy of the folder of raw packs. */
export async function readJournalOf(folder: string): Promise<Decision[]> {
  const text = await readFile(join(folder, journalName), 'utf8').catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  })
  const lines = text.split('\n')
  lines.pop()
  return lines.map((line, at) => {
    try {
      return Entry.parse(JSON.parse(line))
    } catch (cause) {
      throw new Broken(`${journalName}:${at + 1}: not a decision`, { cause, hint: 'restore the journal from a backup' })
    }
  })
}
