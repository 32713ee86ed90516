// The operator's decisions on quarantine: rows in Postgres, and a journal next to the raw documents, so that a rebuild without the
// database has them too. What is lost or damaged in the journal is written again from the rows.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { Broken } from '#schemas/errors.ts'
import type { Objects } from '../lake/remote.ts'
import type { Db } from '../postgres.ts'
import { replaceFile } from '../sync-folder.ts'
import { appendToJournal, decisionsUnder, journalName, readJournalEntries } from './journal.ts'
import type { RawPlace } from './place.ts'

const Entry = z.strictObject({
  fingerprint: z.string(),
  dataset: z.string(),
  subject: z.string(),
  decision: z.enum(['released', 'rejected']),
  at: z.string().refine(at => !Number.isNaN(Date.parse(at)), 'expected an instant'),
  note: z.string().nullable(),
})
/** An operator's decision on something held in quarantine; `fingerprint` identifies the finding. */
export type Decision = Readonly<z.infer<typeof Entry>>
export type Decisions = ReadonlyMap<string, Decision>

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

const lineOf = (decision: Decision): string => JSON.stringify(Entry.parse(decision))
const keyOf = ({ at, fingerprint }: Decision): string => `${at.replace(/[-:.]/g, '')}-${hash('sha256', fingerprint).slice(0, 16)}`

/** Appends a decision to the journal durably, before it is written to Postgres, so that it cannot be lost. */
export async function journalDecision(place: RawPlace, decision: Decision): Promise<void> {
  await appendToJournal(place, keyOf(decision), lineOf(decision))
}

/** Uploads the decisions of a folder into the bucket. Returns their number. */
export async function uploadJournal(objects: Objects, folder: string): Promise<number> {
  const decisions = await readJournal({ folder, objects: null })
  for (const decision of decisions) await journalDecision({ folder, objects }, decision)
  return decisions.length
}

function decisionOf(text: string): Decision | null {
  try {
    return Entry.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** The journal's decisions in order. Throws `Broken` that names the first line, or object, that is not a decision. */
export async function readJournal(place: RawPlace): Promise<Decision[]> {
  return (await readJournalEntries(place)).map(({ name, text }) => {
    const decision = decisionOf(text)
    if (decision === null)
      throw new Broken(`${name}: not a decision`, {
        hint: 'crossfile repair writes it again from the database; if the database is lost, restore the journal from a backup',
      })
    return decision
  })
}

export type WholeJournal = {
  readonly text: string
  /** The damaged lines or objects, which `text` lacks. */
  readonly damaged: readonly string[]
  /** Decisions of the database that the journal lacks; `text` has them. */
  readonly lacking: readonly Decision[]
}

/**
 * The journal with each decision of the database, and without what is not a decision. A damaged line whose decision the database lacks as
 * well had been replaced by a later decision, or had not taken effect.
 */
export async function findWholeJournal(db: Db, place: RawPlace): Promise<WholeJournal> {
  const entries = (await readJournalEntries(place)).map(entry => ({ ...entry, decision: decisionOf(entry.text) }))
  const held = entries.flatMap(({ decision }) => (decision === null ? [] : [decision]))
  const identityOf = ({ fingerprint, decision, at }: Decision): string => JSON.stringify([fingerprint, decision, Date.parse(at)])
  const known = new Set(held.map(identityOf))
  // Postgres prints an instant without the zeros at its end, and the names of objects have them.
  const lacking = [...(await loadDecisions(db)).values()]
    .filter(decision => !known.has(identityOf(decision)))
    .map(decision => ({ ...decision, at: new Date(decision.at).toISOString() }))
  // The last decision on a finding is the one that holds.
  const all = lacking.length === 0 ? held : [...held, ...lacking].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const damaged = entries.filter(({ decision }) => decision === null).map(({ name }) => name)
  return { text: all.map(decision => `${lineOf(decision)}\n`).join(''), damaged, lacking }
}

/** Writes the journal whole, if it is not. Returns what was wrong with it. */
export async function rewriteJournal(db: Db, place: RawPlace): Promise<Pick<WholeJournal, 'damaged' | 'lacking'>> {
  const { text, damaged, lacking } = await findWholeJournal(db, place)
  const { folder, objects } = place
  if (damaged.length + lacking.length === 0) return { damaged, lacking }
  if (objects === null) {
    const journal = join(folder, journalName)
    await replaceFile(journal, `${journal}.draft`, text, 0o644)
    return { damaged, lacking }
  }
  const written = new Set<string>()
  for (const decision of lacking) {
    const name = `${decisionsUnder}${keyOf(decision)}.json`
    await objects.write(name, Buffer.from(`${lineOf(decision)}\n`))
    written.add(name)
  }
  for (const name of damaged) if (!written.has(name)) await objects.remove(name)
  return { damaged, lacking }
}
