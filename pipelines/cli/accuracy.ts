// `npm run accuracy`: compares what the parsers read with a facts file (rules: FACTS.md, next to the recorded documents).
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { makeFolder } from '#warehouse/store/start-check/start-check.ts'
import type { RawDocument } from '../read/parsed.ts'
import { readers } from '../read/register.ts'
import type { Entry, Evaluator, Found, Outcome, SlowEvaluator } from './accuracy/compare.ts'
import { type EvaluatedDocument, renderReport } from './accuracy/page.ts'
import { evaluates } from './accuracy-comparisons.ts'
import { some } from './output.ts'

/** One fact that differs. `got` is the value read, or a sentence if the document could not be read. */
export type Difference = { readonly document: string; readonly field: string; readonly expected: unknown; readonly got: unknown }
/** `unread`: documents that yielded nothing; their facts count as unequal. */
type Tally = { documents: number; unread: number; facts: number; equal: number; unequal: number }
export type AccuracyReport = {
  readonly equal: boolean
  readonly folders: Readonly<Record<string, Tally>>
  /** The same by folder and form, if a folder's documents are of several forms. */
  readonly forms: Readonly<Record<string, Tally>>
  readonly differences: readonly Difference[]
  /** Reported but not counted: where sections begin and end, and how similar another program's texts are. */
  readonly hints: readonly string[]
  /** Documents of folders that FACTS.md does not name. */
  readonly not_judged: Readonly<Record<string, number>>
}

/** Keys of an entry that FACTS.md excludes from the comparison. */
const neverEvaluated = new Set([
  'first_words_sha12',
  'last_words_sha12',
  'file',
  'text',
  'label',
  'reason',
  'placeholder',
  'section',
  'headings',
  'item_1a_words_toc',
  'item_1a_words_recounted',
  'recounted',
  'read',
  'expected',
  'words',
  'sentences',
])

type Options = { readonly docs: string; readonly facts: string; readonly json: boolean; readonly report: string | null }

/** Runs the command; 0: every compared fact is equal, 1: not. Throws `BadRequest` for a missing option or an unreadable facts file. */
export async function accuracy(argv: readonly string[], io: { out(line: string): void }): Promise<number> {
  const options = optionsOf(argv)
  const documents: EvaluatedDocument[] = []
  const report = await evaluate(options, document => {
    if (options.report !== null) documents.push(document)
  })
  if (options.json) io.out(JSON.stringify(report))
  else for (const line of render(report)) io.out(line)
  if (options.report !== null) {
    const path = await writeReport(options.report, report, documents)
    if (!options.json) io.out(`every fact with its place in the document: ${path}`)
  }
  return report.equal ? 0 : 1
}

/** Writes the page of every fact; returns where it is. */
async function writeReport(folder: string, report: AccuracyReport, documents: readonly EvaluatedDocument[]): Promise<string> {
  await makeFolder(resolve(folder), '--report')
  const path = join(folder, 'index.html')
  writeFileSync(path, renderReport(report, documents))
  return path
}

function optionsOf(argv: readonly string[]): Options {
  const hint = 'accuracy --docs DIR --facts FILE [--report DIR] [--json]'
  const named = new Map<string, string>()
  const flags = new Set<string>()
  for (let at = 0; at < argv.length; at++) {
    const [name = '', inline] = (argv[at] ?? '').split(/=(.*)/s, 2)
    if (name === '--json') flags.add(name)
    else if (name === '--docs' || name === '--facts' || name === '--report') {
      const value = inline ?? argv[++at]
      if (value === undefined || value === '') throw new BadRequest(`accuracy: ${name} is empty`, { hint })
      named.set(name, value)
    } else throw new BadRequest(`accuracy: unknown argument ${JSON.stringify(argv[at])}`, { hint })
  }
  const [docs, facts] = [named.get('--docs'), named.get('--facts')]
  if (docs === undefined || facts === undefined) throw new BadRequest(`accuracy: --docs and --facts are required`, { hint })
  if (!existsSync(docs) || !statSync(docs).isDirectory()) throw new BadRequest(`accuracy: --docs ${docs} is not a folder`, { hint })
  const report = named.get('--report') ?? null
  if (report !== null && existsSync(report) && !statSync(report).isDirectory())
    throw new BadRequest(`accuracy: --report ${report} is a file`, { hint: 'name a folder: the page is index.html in it' })
  return { docs, facts, json: flags.has('--json'), report }
}

function factsFile(path: string): readonly (readonly [string, Entry])[] {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new BadRequest(`accuracy: --facts ${path} cannot be read as JSON`, { cause, hint: 'one object: path of a document -> its facts' })
  }
  if (!isObject(json)) throw new BadRequest(`accuracy: --facts ${path} is not one object`, { hint: 'path of a document -> its facts' })
  return Object.entries(json).map(([key, entry]) => {
    if (!isObject(entry)) throw new BadRequest(`accuracy: facts of ${JSON.stringify(key)} are not an object`)
    return [key, entry] as const
  })
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The table of FACTS.md that a key falls under. */
const folderOf = (key: string): string => (key.startsWith('eightk/raw/') ? 'eightk/raw' : key.slice(0, Math.max(0, key.indexOf('/'))))

async function evaluate(options: Options, onDocument: (document: EvaluatedDocument) => void): Promise<AccuracyReport> {
  const folders: Record<string, Tally> = {}
  const forms: Record<string, Tally> = {}
  const differences: Difference[] = []
  const hints: string[] = []
  const notEvaluated: Record<string, number> = {}
  for (const [key, entry] of factsFile(options.facts)) {
    const folder = folderOf(key)
    const evaluatorOf = Object.hasOwn(evaluates, folder) ? evaluates[folder] : undefined
    if (evaluatorOf === undefined) {
      notEvaluated[folder] = (notEvaluated[folder] ?? 0) + 1
      continue
    }
    const fields = Object.keys(entry).filter(field => !neverEvaluated.has(field) && !isProse(field, entry[field]))
    const found = folder === 'diff' ? pairOf(options.docs, key) : readDocument(options.docs, key)
    const results = typeof found === 'string' ? found : await evaluated(evaluatorOf, found, entry, fields)
    // A document without a compared field must still be readable: that counts as one fact.
    const outcomes: readonly Outcome[] =
      typeof results === 'string'
        ? (fields.length === 0 ? ['document'] : fields).map(field => ({ field, equal: false, expected: entry[field] ?? 'readable', got: results }))
        : results
    const form = formOf(entry, outcomes)
    onDocument({ key, form, outcomes, body: typeof found === 'string' ? null : found.document.body })
    for (const [tallies, name] of [[folders, folder] as const, ...(form === null ? [] : [[forms, `${folder}  ${form}`] as const])]) {
      tallies[name] ??= { documents: 0, unread: 0, facts: 0, equal: 0, unequal: 0 }
      const tally = tallies[name]
      const counted = outcomes.filter(outcome => !outcome.hint)
      const equal = counted.filter(outcome => outcome.equal).length
      tally.documents += 1
      if (typeof results === 'string') tally.unread += 1
      tally.facts += counted.length
      tally.equal += equal
      tally.unequal += counted.length - equal
    }
    for (const { field, equal, expected, got, hint } of outcomes) {
      if (hint) hints.push(`${key}: ${field}: ${typeof got === 'string' ? got : JSON.stringify(got)}`)
      else if (!equal) differences.push({ document: key, field, expected, got: got ?? null })
    }
  }
  return { equal: differences.length === 0, folders, forms, differences, hints, not_judged: notEvaluated }
}

/** The form of a document: as its facts state it, else as it was read. */
function formOf(entry: Entry, outcomes: readonly Outcome[]): string | null {
  const cover = isObject(entry['cover']) ? entry['cover']['type'] : null
  const stated = [entry['doc'], entry['type'], cover, outcomes.find(outcome => outcome.form)?.form].find(each => typeof each === 'string')
  return typeof stated === 'string' ? stated : null
}

/** Issuer and owners are lists; given as one text they are a note for people. */
const isProse = (field: string, value: unknown): boolean => (field === 'issuer' || field === 'owners') && typeof value === 'string'

async function evaluated(
  evaluatorOf: Evaluator | SlowEvaluator,
  found: Found,
  entry: Entry,
  fields: readonly string[],
): Promise<readonly Outcome[] | string> {
  try {
    return await evaluatorOf(found, entry, fields)
  } catch (error) {
    // A failure in one document must not hide the results of the others: report it as that document's difference.
    return error instanceof CrossfileError ? error.message : `internal error: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A `diff/` key names no document: its entry names two, which the comparison requests. */
function pairOf(folder: string, key: string): Found {
  const body = Buffer.alloc(0)
  const document: RawDocument = {
    sha256: '',
    source: 'edgar',
    url: `recorded:${key}`,
    retrieved_at: '1970-01-01T00:00:00Z',
    status: 200,
    headers: {},
    body,
  }
  return { document, reader: null, other: another => readDocument(folder, another) }
}

/** A document below the folder with the reader that recognises it, or a sentence if there is none. */
function readDocument(folder: string, key: string): Found | string {
  const path = join(folder, key)
  const below = relative(folder, path)
  if (below === '..' || below.startsWith(`..${sep}`)) return `the key leads out of ${folder}`
  if (!existsSync(path) || !statSync(path).isFile()) return 'the document is missing'
  const stored = readFileSync(path)
  let body: Buffer
  try {
    body = key.endsWith('.gz') ? gunzipSync(stored) : stored
  } catch (error) {
    return `the document is not a gzip file: ${error instanceof Error ? error.message : String(error)}`
  }
  const head = body.subarray(0, 65_536).toString('utf8')
  const reader = readers.find(candidate => candidate.source === 'edgar' && candidate.recognise(key, head) !== null) ?? null
  const document: RawDocument = {
    sha256: createHash('sha256').update(body).digest('hex'),
    source: 'edgar',
    url: reader?.recognise(key, head) ?? `recorded:${key}`,
    retrieved_at: '1970-01-01T00:00:00Z', // the compared facts do not depend on it
    status: 200,
    headers: {},
    body,
  }
  return { document, reader, other: another => readDocument(folder, another) }
}

function render(report: AccuracyReport): string[] {
  const row = (name: string, { documents, unread, facts, equal, unequal }: Tally): string[] =>
    [name, documents, unread, facts, equal, unequal].map(String)
  const rows = Object.entries(report.folders).flatMap(([folder, tally]) => {
    const own = Object.entries(report.forms).filter(([name]) => name.startsWith(`${folder}  `))
    return [row(folder, tally), ...own.map(([name, each]) => row(`  ${name.slice(folder.length + 2)}`, each))]
  })
  const table = [['form', 'documents', 'unread', 'facts', 'equal', 'unequal'], ...rows]
  const widths = [0, 1, 2, 3, 4, 5].map(column => Math.max(...table.map(each => each[column]?.length ?? 0)))
  const lines = table.map(each =>
    each.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
  )
  for (const { document, field, expected, got } of report.differences) {
    lines.push(`${document}: ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
  }
  const listed = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([folder, documents]) => `${folder === '' ? '(no folder)' : folder} ${documents}`)
      .join(', ')
  if (report.hints.length > 0) lines.push('reported, not counted:', ...report.hints.map(hint => `  ${hint}`))
  if (Object.keys(report.not_judged).length > 0) lines.push(`not compared (no such folder in FACTS.md): ${listed(report.not_judged)}`)
  lines.push(report.equal ? 'every compared fact is equal' : some(report.differences.length, 'fact differs', 'facts differ'))
  return lines
}
