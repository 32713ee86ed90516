// The operator's decision on findings of the quarantine. It is written to the journal next to the raw documents, then to the row. Then the
// documents are read again, so that it takes effect now and in every rebuild.
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { findFindingDocument } from '#warehouse/store/quarantine.ts'
import { journalDecision, loadDecisions } from '#warehouse/store/raw/decisions.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type IngestTools, ingest } from './ingest.ts'
import type { HeldDocument } from './read-document.ts'

export type DecisionWord = 'released' | 'rejected'
/** Identifies an operator's decision for loadDecisions. */
export function operatorNote(note: string | null): string {
  const text = note === null ? 'operator:' : `operator: ${note}`
  if (text.length > 1000) throw new BadRequest(`the note has ${text.length - 10} characters, at most 990 are kept`)
  return text
}

export type DecisionEffect = {
  readonly url: string | null
  readonly findings: readonly number[]
  readonly release: number | null
  readonly rows: Readonly<Record<string, number>>
  /** Findings that first appear in this reading. */
  readonly newly_held: number
  /** Findings that this reading refused again: a release changed nothing for them. */
  readonly refused_again: readonly number[]
}
type Tools = { readonly db: Db; readonly raw: RawStore; readonly ingest: IngestTools }

/** The findings, checked before anything is written. A decision may be changed, but not repeated, unless `again`. */
async function findUndecided(db: Db, ids: readonly number[], word: DecisionWord, again: boolean) {
  const findings = await db
    .selectFrom('quarantine')
    .select(['quarantine_id', 'fingerprint', 'dataset', 'subject', 'raw_sha256', 'url', 'state', 'decided_at', 'note'])
    .where('quarantine_id', 'in', ids)
    .execute()
  const missing = ids.filter(id => !findings.some(finding => finding.quarantine_id === id))
  if (missing.length > 0) throw new NotFound(`no finding ${missing.join(', ')}; nothing was changed`, { hint: 'crossfile quarantine shows the ids' })
  const already = again ? [] : findings.filter(finding => finding.state === word && finding.note?.startsWith('operator:'))
  if (already.length > 0) throw new BadRequest(`${already.map(finding => finding.quarantine_id).join(', ')}: ${word} already; nothing was changed`)
  return findings
}
type Finding = Awaited<ReturnType<typeof findUndecided>>[number]

/**
 * Decides findings and reads their documents again. `again`: a second attempt of the same decision, whose first one was interrupted. Throws
 * `NotFound` for an unknown finding, `BadRequest` for one with this decision; then nothing is changed.
 */
export async function decideFindings(
  tools: Tools,
  ids: readonly number[],
  { word, note, at, again = false }: { readonly word: DecisionWord; readonly note: string; readonly at: string; readonly again?: boolean },
): Promise<DecisionEffect[]> {
  const { db, raw } = tools
  const findings = await findUndecided(db, ids, word, again)
  for (const { fingerprint, dataset, subject } of findings)
    await journalDecision(raw.place, { fingerprint, dataset, subject, decision: word, at, note })
  await db
    .updateTable('quarantine')
    .set({ state: word, decided_at: at, note })
    .where(
      'quarantine_id',
      'in',
      findings.map(finding => finding.quarantine_id),
    )
    .execute()
  return await readAgain(tools, findings)
}

/** Reads every document that the findings came from again, with the decisions as they are now. */
async function readAgain({ db, raw, ingest: tools }: Tools, findings: readonly Finding[]): Promise<DecisionEffect[]> {
  const decisions = await loadDecisions(db)
  const byDocument = new Map<number, { document: HeldDocument; findings: number[]; fingerprints: Map<string, number> }>()
  const effects: DecisionEffect[] = []
  for (const finding of findings) {
    const row = await findFindingDocument(db, finding)
    if (!row) {
      effects.push({ url: null, findings: [finding.quarantine_id], release: null, rows: {}, newly_held: 0, refused_again: [] })
      continue
    }
    const known = byDocument.get(row.raw_id)
    if (known) {
      known.findings.push(finding.quarantine_id)
      known.fingerprints.set(finding.fingerprint, finding.quarantine_id)
    } else {
      const kept = await raw.read(row.sha256)
      // The same bytes may have come from several addresses at several times: use the reading of the finding.
      byDocument.set(row.raw_id, {
        document: { raw_id: row.raw_id, document: { ...kept, url: row.url, source: row.source, retrieved_at: row.retrieved_at } },
        findings: [finding.quarantine_id],
        fingerprints: new Map([[finding.fingerprint, finding.quarantine_id]]),
      })
    }
  }
  for (const { document, findings: ids, fingerprints } of byDocument.values()) {
    const before = await newestFinding(db)
    const outcome = await ingest(tools, { job: 'decision', partition: ids.join(','), documents: [document], decisions, fence: null })
    const again = outcome.refused.flatMap(each => fingerprints.get(fingerprintOf(each, document.document.sha256)) ?? [])
    effects.push({
      url: document.document.url,
      findings: ids,
      release: outcome.release,
      rows: outcome.rows,
      newly_held: await countAfter(db, before),
      refused_again: [...new Set(again)].sort((a, b) => a - b),
    })
  }
  return effects
}

async function newestFinding(db: Db): Promise<number> {
  const row = await db
    .selectFrom('quarantine')
    .select(({ fn }) => fn.max('quarantine_id').as('id'))
    .executeTakeFirst()
  return row?.id ?? 0
}

async function countAfter(db: Db, id: number): Promise<number> {
  const row = await db
    .selectFrom('quarantine')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('quarantine_id', '>', id)
    .executeTakeFirstOrThrow()
  return row.count
}
