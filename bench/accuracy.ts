// What the product and Python's edgartools read of the recorded filings, judged by the same facts and the same tolerances
// (FACTS.md beside them). Facts that the peer has a public parser for; a document on which a parser fails counts as unequal.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { realFolder, realPresent } from '#fixtures/real.ts'
import { within } from '#pipelines/cli/accuracy/compare.ts'
import { namesOnly, sameReading } from '#pipelines/cli/accuracy/offering.ts'
import { type AccuracyReport, accuracy } from '#pipelines/cli/accuracy.ts'
import { isEqual, isEqualAmount } from '#pipelines/cli/accuracy-equality.ts'
import { compared, type Report } from './measure.ts'

type Values = Readonly<Record<string, unknown>>
type Peer = { readonly seconds: number; readonly answers: Readonly<Record<string, Values>> }
type Fact = {
  readonly field: string
  readonly expected: unknown
  readonly ours: RegExp
  readonly equal: (expected: unknown, got: unknown) => boolean
}

const personColumns = ['agg', 'pct', 'sv', 'shd'] as const
const column = (entry: Values, name: string): unknown => (entry['persons'] as readonly Values[] | undefined)?.map(person => person[name])
const sorted = (items: unknown): unknown => (typeof items === 'object' && items !== null ? Object.keys(items).toSorted() : items)

/** Item sets are equal in any order. */
const inAnyOrder = (expected: unknown, got: unknown): boolean => {
  const plain = (items: unknown): unknown => (Array.isArray(items) ? items.map(String).toSorted() : items)
  return isEqual(plain(expected), plain(got))
}
/** Facts of a rendered Form 3, 4 or 5 that a program which reads the page would give. */
const renderedFields = ['doc', 'period', 'issuer', 'ndT', 'ndH', 'dT', 'dH', 'tx', 'footnotes'] as const

/** The facts of an entry that both are asked for; `ours` names the fields by which our own report tells a difference. */
function factsOf(folder: string, entry: Values): Fact[] {
  const fact = (field: string, expected: unknown, ours: RegExp, equal = isEqual): Fact => ({ field, expected, ours, equal })
  if (folder === 'tenk') {
    const sections = [fact('item_1a_words', entry['item_1a_words'], /^item_1a_words$/, within(0.01, 5))]
    return Array.isArray(entry['items']) ? [...sections, fact('items', entry['items'], /^items$/, inAnyOrder)] : sections
  }
  if (folder === 'form345') return renderedFields.map(name => fact(name, entry[name], new RegExp(`^${name}$`)))
  if (folder === 'eightk/raw') return [fact('items', sorted(entry['items']), /^items$/)]
  if (folder === 'schedule13') {
    return [
      fact('n', entry['n'], /^n$/),
      fact('cusip', entry['cusip'], /^cusip$/),
      ...personColumns.map(name => fact(name, column(entry, name), new RegExp(`^persons\\[\\d+\\]\\.${name}$`))),
    ]
  }
  // The peer gives names without roles, so that names alone are compared; ours must have the roles right too.
  if (folder === 'offering') {
    return ['underwriters', 'underwriters_subset_of', 'proposed_symbol', 'proposed_symbol_any', 'price', 'price_any']
      .filter(name => name in entry)
      .map(name => fact(name, namesOnly(entry[name]), new RegExp(`^${name}$`), (expected, got) => sameReading(entry, name, expected, got)))
  }
  const { cover = null, table = null } = entry as { readonly cover?: Values | null; readonly table?: Values | null }
  return [
    ...(cover === null ? [] : ['entryTotal', 'valueTotal'].map(name => fact(name, cover[name], new RegExp(`^cover\\.${name}$`)))),
    ...(table === null
      ? []
      : ['rows', 'sumValue', 'cusips'].map(name =>
          fact(name, table[name], new RegExp(`^table\\.${name}$`), name === 'sumValue' ? isEqualAmount : isEqual),
        )),
  ]
}

function askPeer(docs: string, facts: string): Peer | string {
  const { status, stdout, stderr } = spawnSync('python3', [join(import.meta.dirname, 'peers/edgartools.py'), docs, facts], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 600_000,
  })
  if (status === 0) {
    const peer = JSON.parse(stdout) as Peer
    const missing = Object.values(peer.answers).every(answer => String(answer['error'] ?? '').startsWith('ModuleNotFoundError'))
    return missing ? 'edgartools is not installed for python3: nothing to compare with' : peer
  }
  return `the peer did not run: ${(stderr ?? '').trim().split('\n').at(-1) ?? 'no python3'}`
}

/** The recorded folders with their facts; of the second set the folders that the peer is asked for here. */
const sets: readonly { readonly docs: string; readonly facts: string; readonly folders: readonly string[] | null }[] = [
  { docs: 'edgar', facts: 'edgar/facts.json', folders: null },
  { docs: 'edgar', facts: 'edgar2/facts-edgar-offering.json', folders: ['offering'] },
  { docs: 'edgar2', facts: 'edgar2/facts.json', folders: ['offering', 'tenk', 'form345', 'form13f'] },
]
type FolderTally = { facts: number; ours: number; peers: number }

/** One set: adds to the tallies; the seconds that both took, or why the peer did not run. */
async function compareSet(
  set: (typeof sets)[number],
  tallies: Map<string, FolderTally>,
  missed: string[],
): Promise<{ ours: number; peer: number } | string> {
  const docs = join(realFolder, set.docs)
  const facts = join(realFolder, set.facts)
  const peer = askPeer(docs, facts)
  if (typeof peer === 'string') return peer
  const lines: string[] = []
  const began = performance.now()
  await accuracy(['--docs', docs, '--facts', facts, '--json'], { out: line => lines.push(line) })
  const seconds = (performance.now() - began) / 1000
  const { differences } = JSON.parse(lines.join('\n')) as AccuracyReport
  const entries = JSON.parse(readFileSync(facts, 'utf8')) as Readonly<Record<string, Values>>
  for (const [key, answer] of Object.entries(peer.answers)) {
    const folder = key.startsWith('eightk/raw/') ? 'eightk/raw' : (key.split('/')[0] as string)
    if (set.folders !== null && !set.folders.includes(folder)) continue
    const tally = tallies.get(folder) ?? { facts: 0, ours: 0, peers: 0 }
    tallies.set(folder, tally)
    for (const { field, expected, ours, equal } of factsOf(folder, entries[key] as Values)) {
      // Of a registration statement the peer reads no symbol and no price.
      if (folder === 'offering' && answer['error'] === undefined && !(field.replace(/_(?:any|subset_of)$/, '') in answer)) continue
      tally.facts += 1
      const got = answer[field.replace(/_(?:any|subset_of)$/, '')]
      if (got !== undefined && equal(expected, got)) tally.peers += 1
      else missed.push(`${key}: ${field}`)
      if (!differences.some(difference => difference.document === key && ours.test(difference.field))) tally.ours += 1
    }
  }
  return { ours: seconds, peer: peer.seconds }
}

/** Facts equal of those that both are asked for, folder by folder, and the seconds both took. */
export async function accuracyBesidePeer(): Promise<Pick<Report, 'figures' | 'notes'>> {
  if (!realPresent) return { figures: [], notes: ['the recorded documents are not beside the project: nothing to judge'] }
  const tallies = new Map<string, FolderTally>()
  const missed: string[] = []
  const seconds = { ours: 0, peer: 0 }
  for (const set of sets) {
    const took = await compareSet(set, tallies, missed)
    if (typeof took === 'string') return { figures: [], notes: [took] }
    seconds.ours += took.ours
    seconds.peer += took.peer
  }
  return {
    figures: [
      ...[...tallies].map(([folder, { facts: all, ours, peers }]) =>
        compared(`${folder}: facts equal of ${all}`, 'facts', [ours], 'edgartools', [peers], { of: 'ratio', least: 1 }),
      ),
      compared('all documents of the facts files (ours: every folder, the peer: these)', 's', [seconds.ours], 'edgartools', [seconds.peer]),
    ],
    notes: missed.length === 0 ? [] : [`unequal or unread by edgartools: ${missed.join('; ')}`],
  }
}
