// PDF documents of the corpus (fixtures/pdf), beside Python's pdfplumber and pypdf if they are installed: how much of the text and of
// the tables is read in the right order, and how long a document takes.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corpus } from '#fixtures/pdf/corpus.ts'
import { readFacts, tableScore, textScore } from '#pipelines/cli/accuracy/pdf.ts'
import type { ReleaseContexts } from './contexts.ts'
import { type Figure, figure, type Report } from './measure.ts'

type PeerText = { readonly seconds: number; readonly page_text: readonly string[] }
type PeerTable = { readonly page: number; readonly rows: (string | null)[][] }
type Peer = { readonly pdfplumber: PeerText & { readonly tables: readonly PeerTable[] }; readonly pypdf: PeerText }
const percent = (values: readonly number[]): string => `${((100 * values.reduce((sum, value) => sum + value, 0)) / values.length).toFixed(2)} %`

export async function pdfDocuments(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfile-bench-pdf-'))
  try {
    const made = corpus()
    const files = made.map(({ name }) => join(folder, name))
    await Promise.all(made.map(({ bytes }, at) => writeFile(files[at] as string, bytes)))
    const times: number[] = []
    const [texts, tables]: [number[], number[]] = [[], []]
    for (let round = 0; round < contexts.options.rounds; round++) {
      const begun = performance.now()
      const read = []
      for (const { bytes } of made) read.push(await readFacts(bytes))
      times.push((performance.now() - begun) / made.length)
      if (round > 0) continue
      for (const [at, { truth }] of made.entries()) {
        texts.push(textScore(truth.pages.join('\n'), (read[at] as (typeof read)[0]).page_text.join('\n')))
        if (truth.tables.length > 0) tables.push(tableScore(truth.tables, (read[at] as (typeof read)[0]).tables))
      }
    }
    const figures: Figure[] = [figure('a document, its process included', 'ms', times)]
    const notes = [`ours: words ${percent(texts)}, cells ${percent(tables)} of ${made.length} documents`]
    const peers = readPeers(files)
    if (peers === null)
      return { figures, notes: [...notes, 'pdfplumber and pypdf are not installed (python3 -m pip install pdfplumber pypdf): no comparison'] }
    for (const name of ['pdfplumber', 'pypdf'] as const) {
      const scores = made.map(({ truth }, at) => textScore(truth.pages.join('\n'), (peers[at] as Peer)[name].page_text.join('\n')))
      notes.push(
        `${name}: words ${percent(scores)}, ${((1000 * peers.reduce((sum, peer) => sum + peer[name].seconds, 0)) / made.length).toFixed(0)} ms a document without its start`,
      )
    }
    const cells = made.flatMap(({ truth }, at) =>
      truth.tables.length === 0 ? [] : [tableScore(truth.tables, (peers[at] as Peer).pdfplumber.tables.map(asTable))],
    )
    notes.push(`pdfplumber: cells ${percent(cells)}, the first row of a table taken as its head`)
    return { figures, notes }
  } finally {
    await rm(folder, { recursive: true })
  }
}

const asTable = ({ page, rows }: PeerTable) => ({ page, title: null, columns: (rows[0] ?? []).map(cell => cell ?? ''), rows: rows.slice(1) })

/** What the peers read of the files; null if Python or one of them is not installed. */
function readPeers(files: readonly string[]): Peer[] | null {
  const done = spawnSync('python3', [join(import.meta.dirname, 'peers', 'pdf.py'), ...files], { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (done.status !== 0) return null
  return done.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Peer)
}
