// `crossfile quarantine release|reject`: the operator's decision on findings. It is written to the journal next to the raw documents, then to the
// row. Then the documents are read again, so that it takes effect now and in every rebuild.
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { journalDecision, loadDecisions } from '../ingest/decisions.ts'
import { type HeldDocument, ingest } from '../ingest/ingest.ts'
import type { Runtime } from '../ingest/runtime.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { count, printJson, some } from './output.ts'
import { findDocument, findingId } from './quarantine.ts'
import { rewriteWarehouseFile } from './warehouse-file.ts'

type Word = 'released' | 'rejected'
/** Identifies an operator's decision for loadDecisions. */
const operatorNote = (note: string | undefined): string => (note === undefined ? 'operator:' : `operator: ${note}`)

type Effect = {
  readonly url: string | null
  readonly findings: readonly number[]
  readonly release: number | null
  readonly rows: Readonly<Record<string, number>>
  /** Findings that first appear in this reading. */
  readonly newly_held: number
}

export async function decide(word: Word, argv: readonly string[], io: Io): Promise<number> {
  const name = word === 'released' ? 'quarantine release' : 'quarantine reject'
  const { values, rest } = readArguments(name, commands[name].options, argv, { least: 1, most: 1000, what: 'the id of a finding' })
  const ids = [...new Set(rest.map(findingId))]
  const note = operatorNote(values.note)
  if (note.length > 1000) throw new BadRequest(`--note has ${note.length} characters, at most 990 are kept`)
  const effects = await withRuntime(io, async runtime => {
    const { db } = runtime.postgres
    const findings = await findHeld(db, ids, word)
    const at = io.now().toISOString()
    for (const { fingerprint, dataset, subject } of findings)
      await journalDecision(runtime.config.dataFolder, { fingerprint, dataset, subject, decision: word, at, note })
    await db
      .updateTable('quarantine')
      .set({ state: word, decided_at: at, note })
      .where(
        'quarantine_id',
        'in',
        findings.map(finding => finding.quarantine_id),
      )
      .execute()
    const done = await readAgain(runtime, findings)
    if (done.some(effect => effect.release !== null)) await rewriteWarehouseFile(runtime)
    return done
  })
  if (values.json) printJson(io, { decision: word, findings: ids, note, documents: effects })
  else for (const line of render(word, ids, effects)) io.out(line)
  return 0
}

/** The findings, checked before anything is written. A decision may be changed, but not repeated. */
async function findHeld(db: Db, ids: readonly number[], word: Word) {
  const findings = await db
    .selectFrom('quarantine')
    .select(['quarantine_id', 'fingerprint', 'dataset', 'subject', 'raw_sha256', 'url', 'state', 'decided_at', 'note'])
    .where('quarantine_id', 'in', ids)
    .execute()
  const missing = ids.filter(id => !findings.some(finding => finding.quarantine_id === id))
  if (missing.length > 0) throw new NotFound(`no finding ${missing.join(', ')}; nothing was changed`, { hint: 'crossfile quarantine shows the ids' })
  const already = findings.filter(finding => finding.state === word && finding.note?.startsWith('operator:'))
  if (already.length > 0) throw new BadRequest(`${already.map(finding => finding.quarantine_id).join(', ')}: ${word} already; nothing was changed`)
  return findings
}

type Finding = Awaited<ReturnType<typeof findHeld>>[number]

/** Reads every document that the findings came from again, with the decisions as they are now. */
async function readAgain(runtime: Runtime, findings: readonly Finding[]): Promise<Effect[]> {
  const { db } = runtime.postgres
  const decisions = await loadDecisions(db)
  const byDocument = new Map<number, { document: HeldDocument; findings: number[] }>()
  const effects: Effect[] = []
  for (const finding of findings) {
    const row = await findDocument(db, finding)
    if (!row) {
      effects.push({ url: null, findings: [finding.quarantine_id], release: null, rows: {}, newly_held: 0 })
      continue
    }
    const known = byDocument.get(row.raw_id)
    if (known) known.findings.push(finding.quarantine_id)
    else {
      const kept = await runtime.raw.read(row.sha256)
      // The same bytes may have come from several addresses at several times: use the reading of the finding.
      byDocument.set(row.raw_id, {
        document: { raw_id: row.raw_id, document: { ...kept, url: row.url, source: row.source, retrieved_at: row.retrieved_at } },
        findings: [finding.quarantine_id],
      })
    }
  }
  for (const { document, findings: ids } of byDocument.values()) {
    const before = await newestFinding(db)
    const outcome = await ingest(runtime.tools, { job: 'decision', partition: ids.join(','), documents: [document], decisions, fence: null })
    effects.push({
      url: document.document.url,
      findings: ids,
      release: outcome.release,
      rows: outcome.rows,
      newly_held: await countAfter(db, before),
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

function render(word: Word, ids: readonly number[], effects: readonly Effect[]): string[] {
  return [
    `${some(ids.length, 'finding')} ${word}`,
    ...effects.map(({ url, findings, release, rows, newly_held }) => {
      const which = ids.length === findings.length ? '' : ` (${findings.join(', ')})`
      if (url === null) return `  no stored document for ${findings.join(', ')}: nothing could be read again`
      const changed = Object.entries(rows).map(([dataset, number]) => `${dataset} ${count(number)}`)
      if (release !== null)
        return `  ${url}${which}: release ${release} has the new rows: ${changed.join(', ')}${newly_held > 0 ? `; ${some(newly_held, 'new finding')} held` : ''}`
      return word === 'rejected'
        ? `  ${url}${which}: read again, nothing changes: it was never applied`
        : `  ${url}${which}: read again, but no row follows from it: this kind of finding is only noted as seen`
    }),
  ]
}
