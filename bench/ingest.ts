// Ingest: Forms 4 from a local server to a committed release, and a year of EDGAR's index. Each beside what the bare work costs.
import { createHash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dailyIndex } from '#fixtures/world/render/edgar.ts'
import { submissionText } from '#fixtures/world/render/submission.ts'
import { buildWorld } from '#fixtures/world/world.ts'
import { parseFiling } from '#pipelines/read/edgar/full-submission.ts'
import type { ReleaseContexts } from './contexts.ts'
import { figure, type Report } from './measure.ts'
import { residentMemory, startProgram } from './processes.ts'

type Outcome = Pick<Report, 'figures' | 'notes'>
type Day = { readonly date: string; readonly documents: Record<string, string>; readonly forms: readonly Buffer[] }
const formsOfADay = 3000

const indexUrl = (day: string): string =>
  `https://www.sec.gov/Archives/edgar/daily-index/${day.slice(0, 4)}/QTR${Math.ceil(Number(day.slice(5, 7)) / 3)}/form.${day.replaceAll('-', '')}.idx`

/** Days of a fictional market with as many whole Forms 3, 4 and 5 each, and the index that names them. */
function daysOf(count: number, formsOfADay: number): Day[] {
  const world = buildWorld({
    name: 'bench',
    sessions: 1,
    lastSession: '2026-11-19',
    listings: 3000,
    filings: Math.ceil(count * formsOfADay * 1.6),
    actions: 0,
  })
  const whole = world.filings.filter(filing => filing.ownership !== null && filing.oddity === null)
  return Array.from({ length: count }, (_, at) => {
    const date = new Date(Date.UTC(2026, 0, 5 + at + 2 * Math.floor(at / 5))).toISOString().slice(0, 10) // weekdays
    const filings = whole
      .slice(at * formsOfADay, (at + 1) * formsOfADay)
      .map(filing => ({ ...filing, filed: date, accepted: `${date}${filing.accepted.slice(10)}` }))
    const index = dailyIndex(filings, 'form', date) ?? ''
    const documents: Record<string, string> = { [indexUrl(date)]: index }
    const named = new Map(
      index
        .split('\n')
        .flatMap(line => [/(edgar\/data\/\d+\/(\d{10}-\d\d-\d{6})\.txt)/.exec(line)])
        .flatMap(found => (found ? [[found[2] ?? '', found[1] ?? '']] : []))
        .toReversed() as [string, string][],
    )
    const forms = filings.map(filing => submissionText(filing))
    filings.forEach((filing, each) => {
      documents[`https://www.sec.gov/Archives/${named.get(filing.accession)}`] = (forms[each] as Buffer).toString('latin1')
    })
    return { date, documents, forms }
  })
}

/** Fetching from the same server and writing each document with its own sync: what raw first costs before anything is understood. */
async function fetchAndWrite(origin: string, day: Day, path: string): Promise<number> {
  const urls = Object.keys(day.documents)
  const file = openSync(path, 'w')
  const begun = performance.now()
  for (const url of urls) {
    const answer = await fetch(`${origin}/${url.slice('https://'.length)}`)
    writeSync(file, Buffer.from(await answer.arrayBuffer()))
    fdatasyncSync(file)
  }
  closeSync(file)
  return (urls.length / (performance.now() - begun)) * 1000
}

function parseOnly(day: Day): number {
  const documents = day.forms.map(body => ({
    sha256: createHash('sha256').update(body).digest('hex'),
    source: 'edgar',
    url: 'https://www.sec.gov/Archives/edgar/data/1/0000000001-26-000001.txt',
    retrieved_at: '2026-01-01T00:00:00Z',
    status: 200,
    headers: {},
    body,
  }))
  const begun = performance.now()
  for (const document of documents) parseFiling(document)
  return (documents.length / (performance.now() - begun)) * 1000
}

export async function ingestForm4(contexts: ReleaseContexts): Promise<Outcome> {
  const rounds = Math.max(3, contexts.options.rounds)
  const days = daysOf(rounds, formsOfADay)
  const folder = await contexts.folder('ingest')
  const served = join(folder, 'documents.json')
  await writeFile(served, JSON.stringify(Object.assign({}, ...days.map(day => day.documents))))
  const server = await startProgram('bench/edgar-server.ts', {}, 1, [served])
  const origin = String(server.ready['origin'])
  const env = { CROSSFILE_DATA: join(folder, 'data'), CROSSFILE_UPSTREAM_BASE: origin, CROSSFILE_LOG: 'warn', PORT: '0' }
  const worker = await startProgram('bench/ingest-process.ts', env)
  try {
    const rates: number[] = []
    const memory: number[] = []
    const plain: number[] = []
    const parsing: number[] = []
    const processor: number[] = []
    for (const day of days) {
      parsing.push(parseOnly(day))
      plain.push(await fetchAndWrite(origin, day, join(folder, 'plain')))
      const { ms, cpuMs, documents, rss } = await worker.ask<{ ms: number; cpuMs: number; documents: number; rss: number }>({
        job: ['insider', day.date, day.date],
      })
      if (documents < formsOfADay) throw new Error(`${day.date}: ${documents} documents of ${formsOfADay}`)
      rates.push((documents / ms) * 1000)
      processor.push((documents / cpuMs) * 1000)
      memory.push(rss)
    }
    return {
      figures: [
        figure('Forms 3, 4 and 5, fetched to committed', 'documents/s', rates, { of: 'value', least: 500 }),
        figure("the same, by processor time of the worker's process", 'documents/s', processor),
        figure('the same documents, fetched one by one and synced', 'documents/s', plain),
        figure('the same documents, parsed only', 'documents/s', parsing),
        figure('resident memory after each round', 'MB', memory),
        figure('the most it ever held', 'MB', [residentMemory(worker.pid).peak ?? Number.NaN]),
      ],
      notes: [
        `${rounds} days of ${formsOfADay.toLocaleString('en-US')} filings into one growing lake: index, fetch, raw store, parse, commit, marked pages and search index; no politeness limit`,
        'worker, its Postgres and the server share two cores',
        `memory after the rounds in order: ${memory.map(each => each.toFixed(0)).join(', ')} MB`,
      ],
    }
  } finally {
    await worker.stop()
    await server.stop()
  }
}

const forms = ['4', '8-K', '424B2', '10-Q', '13F-HR', 'SC 13G/A', '3', 'D', '6-K', '497', 'N-PX', 'CORRESP']
const linesOfAQuarter = 300_000

/** `master.idx` of a quarter: two lines a filing, as most filings have two parties, in the order of the CIK. */
function masterIndex(year: number, quarter: number): string {
  let state = quarter * 7919 + year
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state % below
  }
  const lines = Array.from({ length: linesOfAQuarter }, (_, at) => {
    const cik = 1000 + Math.floor((at / linesOfAQuarter) * 2_000_000)
    const date = new Date(Date.UTC(year, (quarter - 1) * 3, 1 + random(90))).toISOString().slice(0, 10)
    const accession = `${String(1_000_000 + random(9_000_000)).padStart(10, '0')}-${String(year).slice(2)}-${String(random(1_000_000)).padStart(6, '0')}`
    return `${cik}|Company ${cik} of the Index Inc|${forms[random(forms.length)]}|${date}|edgar/data/${cik}/${accession}.txt`
  })
  return `Description:           Master Index of EDGAR Dissemination Feed\n\nCIK|Company Name|Form Type|Date Filed|Filename\n${'-'.repeat(80)}\n${lines.join('\n')}\n`
}

export async function indexYear(contexts: ReleaseContexts): Promise<Outcome> {
  const folder = await contexts.folder('index')
  const worker = await startProgram('bench/ingest-process.ts', {
    CROSSFILE_DATA: join(folder, 'data'),
    CROSSFILE_UPSTREAM_BASE: 'http://127.0.0.1:9',
    CROSSFILE_LOG: 'warn',
    PORT: '0',
  })
  try {
    let ms = 0
    let rows = 0
    const plain: number[] = []
    const seconds: number[] = []
    for (const quarter of [1, 2, 3, 4]) {
      const text = masterIndex(2025, quarter)
      const path = join(folder, `${quarter}.idx`)
      writeFileSync(path, text)
      const begun = performance.now()
      let cells = 0
      for (const line of text.split('\n')) cells += line.split('|').length
      plain.push(((performance.now() - begun) / 1000) * (cells > 0 ? 1 : 0))
      const answer = await worker.ask<{ ms: number; rows: number }>({
        document: [path, `https://www.sec.gov/Archives/edgar/full-index/2025/QTR${quarter}/master.idx`],
      })
      ms += answer.ms
      rows += answer.rows
      seconds.push(answer.ms / 1000)
    }
    return {
      figures: [
        figure('a year of the index, read to committed', 's', [ms / 1000], { of: 'value', most: 300 }),
        figure('one quarter of it', 's', seconds),
        figure('its lines cut at their bars and thrown away', 's', plain),
        figure('the most memory it ever held', 'MB', [residentMemory(worker.pid).peak ?? Number.NaN]),
      ],
      notes: [
        `${rows.toLocaleString('en-US')} rows of 4 x ${linesOfAQuarter.toLocaleString('en-US')} lines: raw store, checked rows, sealed Parquet and the search index of filings in Postgres; commits of 50,000 lines`,
      ],
    }
  } finally {
    await worker.stop()
  }
}
