// The operator's decisions on quarantine: rows in Postgres, and a journal next to the raw documents, so that a rebuild without the
// database has them too.
import { hash } from 'node:crypto'
import { z } from 'zod'
import { Broken } from '#schemas/errors.ts'
import type { Objects } from '#warehouse/store/lake/remote.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { appendToJournal, journalName, readJournalText } from '#warehouse/store/raw/journal.ts'
import type { RawPlace } from '#warehouse/store/raw/place.ts'
import type { Decision, Decisions } from './types.ts'

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

/** Appends a decision to the journal durably, before it is written to Postgres, so that it cannot be lost. */
export async function journalDecision(place: RawPlace, decision: Decision): Promise<void> {
  const line = JSON.stringify(Entry.parse(decision))
  const { at, fingerprint } = decision
  await appendToJournal(place, `${at.replace(/[-:.]/g, '')}-${hash('sha256', fingerprint).slice(0, 16)}`, line)
}

/** Uploads the decisions of a folder into the bucket. Returns their number. */
export async function uploadJournal(objects: Objects, folder: string): Promise<number> {
  const decisions = await readJournal({ folder, objects: null })
  for (const decision of decisions) await journalDecision({ folder, objects }, decision)
  return decisions.length
}

/** The journal's decisions in order; a torn last line, as left by a power cut, is ignored. */
export async function readJournal(place: RawPlace): Promise<Decision[]> {
  const lines = (await readJournalText(place)).split('\n')
  lines.pop()
  return lines.map((line, at) => {
    try {
      return Entry.parse(JSON.parse(line))
    } catch (cause) {
      throw new Broken(`${journalName}:${at + 1}: not a decision`, { cause, hint: 'restore the journal from a backup' })
    }
  })
}
