// `npm run accuracy`: what the parsers read, compared with a facts file (the rules are in FACTS.md beside the recorded documents).
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { readers } from '../index.ts'
import type { RawDocument } from '../parsed.ts'
import type { Entry, Found, Judge } from './accuracy/compare.ts'
import { judges } from './accuracy-judges.ts'

/** One fact that differs. `got` is what was read; a sentence where the document could not be read. */
export type Difference = { readonly document: string; readonly field: string; readonly expected: unknown; readonly got: unknown }
type Tally = { documents: number; facts: number; equal: number; unequal: number }
export type AccuracyReport = {
  readonly equal: boolean
  readonly folders: Readonly<Record<string, Tally>>
  readonly differences: readonly Difference[]
  /** Documents of kinds that this version does not read: counted here, in no tally. */
  readonly not_judged_yet: Readonly<Record<string, number>>
  /** Documents of folders that FACTS.md does not name. */
  readonly not_judged: Readonly<Record<string, number>>
}

/** Keys of an entry that FACTS.md never judges. */
const neverJudged = new Set([
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
const unread = new Set(['form13f', 'schedule13', 'tenk', 'offering', 'eightk/raw', 'companyfacts', 'diff'])

type Options = { readonly docs: string; readonly facts: string; readonly json: boolean; readonly all: boolean }

/** Runs the command; 0: every judged fact is equal, 1: not. Throws `BadRequest` for a missing option or an unreadable facts file. */
export async function accuracy(argv: readonly string[], io: { out(line: string): void }): Promise<number> {
  const options = optionsOf(argv)
  const report = judge(options)
  if (options.json) io.out(JSON.stringify(report))
  else for (const line of render(report)) io.out(line)
  return report.equal ? 0 : 1
}

function optionsOf(argv: readonly string[]): Options {
  const hint = 'accuracy --docs DIR --facts FILE [--json] [--all]'
  const named = new Map<string, string>()
  const flags = new Set<string>()
  for (let at = 0; at < argv.length; at++) {
    const [name = '', inline] = (argv[at] ?? '').split(/=(.*)/s, 2)
    if (name === '--json' || name === '--all') flags.add(name)
    else if (name === '--docs' || name === '--facts') {
      const value = inline ?? argv[++at]
      if (value === undefined || value === '') throw new BadRequest(`accuracy: ${name} has no value`, { hint })
      named.set(name, value)
    } else throw new BadRequest(`accuracy: unknown argument ${JSON.stringify(argv[at])}`, { hint })
  }
  const [docs, facts] = [named.get('--docs'), named.get('--facts')]
  if (docs === undefined || facts === undefined) throw new BadRequest(`accuracy: --docs and --facts are both needed`, { hint })
  if (!existsSync(docs) || !statSync(docs).isDirectory()) throw new BadRequest(`accuracy: --docs ${docs} is not a folder`, { hint })
  return { docs, facts, json: flags.has('--json'), all: flags.has('--all') }
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
    if (!isObject(entry)) throw new BadRequest(`accuracy: facts of ${JSON.stringify(key)} are no object`)
    return [key, entry] as const
  })
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The table of FACTS.md that a key falls under. */
const folderOf = (key: string): string => (key.startsWith('eightk/raw/') ? 'eightk/raw' : key.slice(0, Math.max(0, key.indexOf('/'))))

function judge(options: Options): AccuracyReport {
  const folders: Record<string, Tally> = {}
  const differences: Difference[] = []
  const notYet: Record<string, number> = {}
  const notJudged: Record<string, number> = {}
  for (const [key, entry] of factsFile(options.facts)) {
    const folder = folderOf(key)
    const judgeOf = Object.hasOwn(judges, folder) ? judges[folder] : undefined
    if (judgeOf === undefined && !unread.has(folder)) {
      notJudged[folder] = (notJudged[folder] ?? 0) + 1
      continue
    }
    if (judgeOf === undefined && !options.all) {
      notYet[folder] = (notYet[folder] ?? 0) + 1
      continue
    }
    folders[folder] ??= { documents: 0, facts: 0, equal: 0, unequal: 0 }
    const tally = folders[folder]
    tally.documents += 1
    const fields = Object.keys(entry).filter(field => !neverJudged.has(field) && !isProse(field, entry[field]))
    const found =
      judgeOf === undefined
        ? 'this kind of document is not read yet'
        : folder === 'diff'
          ? pairOf(options.docs, key)
          : readDocument(options.docs, key)
    const results = judgeOf === undefined || typeof found === 'string' ? null : judged(judgeOf, found, entry, fields)
    // A document without a judged field must still be readable: that is one fact.
    const outcomes =
      results === null || typeof results === 'string'
        ? (fields.length === 0 ? ['document'] : fields).map(field => ({
            field,
            equal: false,
            expected: entry[field] ?? 'readable',
            got: results ?? found,
          }))
        : results
    for (const outcome of outcomes) {
      tally.facts += 1
      if (outcome.equal) tally.equal += 1
      else {
        tally.unequal += 1
        differences.push({ document: key, field: outcome.field, expected: outcome.expected, got: outcome.got ?? null })
      }
    }
  }
  return { equal: differences.length === 0, folders, differences, not_judged_yet: notYet, not_judged: notJudged }
}

/** Issuer and owners are lists; as one text they are a note for the reader of the facts. */
const isProse = (field: string, value: unknown): boolean => (field === 'issuer' || field === 'owners') && typeof value === 'string'

function judged(judgeOf: Judge, found: Found, entry: Entry, fields: readonly string[]) {
  try {
    return judgeOf(found, entry, fields)
  } catch (error) {
    // One document must not hide the verdict on the others: whatever it broke is its difference.
    return error instanceof CrossfileError ? error.message : `internal error: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A `diff/` key names no document: its entry names two, which the judge asks for. */
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

/** A document below the folder, with the reader that recognises it; a sentence where there is none. */
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
    return `the document is no gzip file: ${error instanceof Error ? error.message : String(error)}`
  }
  const head = body.subarray(0, 65_536).toString('utf8')
  const reader = readers.find(candidate => candidate.source === 'edgar' && candidate.recognise(key, head) !== null) ?? null
  const document: RawDocument = {
    sha256: createHash('sha256').update(body).digest('hex'),
    source: 'edgar',
    url: reader?.recognise(key, head) ?? `recorded:${key}`,
    retrieved_at: '1970-01-01T00:00:00Z', // judged facts do not depend on it
    status: 200,
    headers: {},
    body,
  }
  return { document, reader, other: another => readDocument(folder, another) }
}

function render(report: AccuracyReport): string[] {
  const rows = Object.entries(report.folders).map(([folder, tally]) => [folder, tally.documents, tally.facts, tally.equal, tally.unequal].map(String))
  const table = [['folder', 'documents', 'facts', 'equal', 'unequal'], ...rows]
  const widths = [0, 1, 2, 3, 4].map(column => Math.max(...table.map(row => row[column]?.length ?? 0)))
  const lines = table.map(row =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
  )
  for (const { document, field, expected, got } of report.differences) {
    lines.push(`${document}: ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
  }
  const listed = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([folder, documents]) => `${folder === '' ? '(no folder)' : folder} ${documents}`)
      .join(', ')
  if (Object.keys(report.not_judged_yet).length > 0) lines.push(`not judged yet (--all counts them as unequal): ${listed(report.not_judged_yet)}`)
  if (Object.keys(report.not_judged).length > 0) lines.push(`not judged (no such folder in FACTS.md): ${listed(report.not_judged)}`)
  lines.push(report.equal ? 'every judged fact is equal' : `${report.differences.length} facts differ`)
  return lines
}
