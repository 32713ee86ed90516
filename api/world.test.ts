// The service with the bundled universe, over real sockets: an answer of an earlier instant has no later data, a release
// always answers the same, lists and files are complete, and every signed answer can be checked and made again.
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { addDocument } from '#fixtures/warehouse.ts'
import { expectedFilings } from '#fixtures/world/expected.ts'
import { submissionText } from '#fixtures/world/render/submission.ts'
import { operations } from '#schemas/operations.ts'
import { isLakeOperation } from '#warehouse/answers/index.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { payloadOf } from '#warehouse/store/receipts/receipt.ts'

const { key, server, warehouse } = await worldService()

type Json = Readonly<Record<string, unknown>>
const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(path.startsWith('http') ? path : server.address + path, { headers: { authorization: `Bearer ${key}`, ...headers } })
async function json<T = Json>(path: string): Promise<T> {
  const response = await ask(path)
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as T
}
const releaseNow = async (): Promise<number> => Number((await json('/health'))['release'])
/** Ingests a document of the operator and waits until the API answers from the release that it made. */
async function release(url: string, text: string, source?: string): Promise<number> {
  const made = await addDocument(warehouse, url, text, source)
  while ((await releaseNow()) < made) await new Promise(resolve => setTimeout(resolve, 20))
  return made
}

type Bar = { readonly date: string; readonly close: number; readonly adjusted_close: number }
type Eod = { readonly count: number; readonly bars: readonly Bar[]; readonly as_of: string; readonly release: number }
type Transactions = {
  readonly transactions: readonly {
    readonly accession: string
    readonly line: number
    readonly amends: string | null
    readonly amended_by: string | null
  }[]
}

describe('an answer of an earlier instant', () => {
  const eod = '/api/v1/market/eod/NGP.TO?from=2026-11-03&to=2026-11-12'
  it('has no dividend that was not reported yet, and no later bar', async () => {
    const [before, now] = [await json<Eod>(`${eod}&as_of=2026-11-13T20:00:00Z`), await json<Eod>(eod)]
    expect(before.as_of).toBe('2026-11-13T20:00:00Z')
    expect(before.bars.map(bar => bar.close)).toEqual(now.bars.map(bar => bar.close))
    expect(before.bars.every(bar => bar.adjusted_close === bar.close)).toBe(true)
    expect(now.bars.every(bar => bar.adjusted_close < bar.close)).toBe(true)
    const later = await json<Eod>('/api/v1/market/eod/NGP.TO?from=2026-11-03&as_of=2026-11-10T12:00:00Z')
    expect(later.bars.at(-1)?.date).toBe('2026-11-09')
  })
  it('shows the lines of a filing as they stood before its amendment', async () => {
    const form4 = '/api/v1/data/form4?ticker=TRUE&limit=1000'
    const [before, now] = [await json<Transactions>(`${form4}&as_of=2026-10-29T20:00:00Z`), await json<Transactions>(form4)]
    const of = ({ transactions }: Transactions, accession: string) => transactions.filter(each => each.accession === accession)
    expect(of(before, '0009990001-26-000034')).toEqual([])
    expect(of(before, '0009990001-26-000031').map(each => each.amended_by)).toEqual([null, null])
    expect(of(now, '0009990001-26-000034').map(each => each.amends)).toEqual(['0009990001-26-000031'])
    expect(
      of(now, '0009990001-26-000031')
        .map(each => each.amended_by)
        .sort(),
    ).toEqual(['0009990001-26-000034', null])
  })
  it('lists the symbols of that day', async () => {
    const symbols = async (asOf: string) =>
      (await json<{ symbols: { symbol: string }[] }>(`/api/v1/market/symbols?limit=1000${asOf}`)).symbols.map(each => each.symbol)
    const [before, now] = [await symbols('&as_of=2025-06-30'), await symbols('')]
    expect([before.includes('CPLM'), before.includes('VLTC'), before.includes('SWU.V')]).toEqual([true, false, true])
    expect([now.includes('CPLM'), now.includes('VLTC'), now.includes('SWU.V')]).toEqual([false, true, false])
  })
})

/** A symbol of no directory, whose bar makes a release of its own. */
const unlisted = 'WALK.TO'

describe('a release', () => {
  it('is walked page by page under its number, also when its first page was stored by an earlier release', async () => {
    const now = await release('file:walk.csv', `symbol,date,open,high,low,close,volume\n${unlisted},2026-11-18,1,1,1,1,100\n`)
    const whole = (await json<{ symbols: { symbol: string }[] }>(`/api/v1/market/symbols?limit=1000&release=${now}`)).symbols
    const walked: { symbol: string }[] = []
    let cursor = ''
    do {
      const page = await json<{ symbols: { symbol: string }[]; next_cursor: string | null }>(
        `/api/v1/market/symbols?limit=9&release=${now}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      walked.push(...page.symbols)
      cursor = page.next_cursor ?? ''
    } while (cursor !== '')
    expect(walked).toEqual(whole)
  })
  it('always answers the same bytes, a newer one what became known since, and the ledger lists the changes', async () => {
    const path = '/api/v1/market/eod/QT.TO?from=2026-11-01'
    const old = await releaseNow()
    const pinned = await ask(`${path}&release=${old}`)
    expect(pinned.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    const [bytes, tag] = [await pinned.text(), pinned.headers.get('etag')]
    const made = await release('file:actions-november.csv', 'symbol,ex_date,kind,amount,currency\nQT.TO,2026-11-18,dividend,0.10,CAD\n')
    const again = await ask(`${path}&release=${old}`)
    expect([await again.text(), again.headers.get('etag')]).toEqual([bytes, tag])
    const [before, now] = [JSON.parse(bytes) as Eod, await json<Eod>(path)]
    expect([before.release <= old, now.release]).toEqual([true, made])
    const changed = now.bars.filter((bar, at) => bar.adjusted_close !== before.bars[at]?.adjusted_close)
    expect(changed.map(bar => bar.date)).toEqual(now.bars.map(bar => bar.date).filter(date => date < '2026-11-18'))
    const { revisions } = await json<{ revisions: Json[] }>('/api/v1/market/eod/QT.TO/revisions')
    expect(revisions[0]).toMatchObject({
      ex_date: '2026-11-18',
      release: made,
      reason: 'action',
      cash_amount: 0.1,
      last_date: '2026-11-17',
      withdrawn: false,
    })
    // What the release of now knows was not known at an instant of last week.
    expect((await json<Eod>(`${path}&as_of=2026-11-19T23:59:00Z`)).bars.every(bar => bar.adjusted_close === bar.close)).toBe(true)
  })
  it('is named by a list that goes on: pages are complete and stable while newer releases come', async () => {
    const found: string[] = []
    const filters = 'exchange=TO&limit=7'
    let path: string | null = `/api/v1/market/symbols?${filters}`
    const whole = (await json<{ symbols: { symbol: string }[] }>('/api/v1/market/symbols?exchange=TO&limit=1000')).symbols.map(each => each.symbol)
    for (let page = 1; path !== null; page += 1) {
      const response: Response = await ask(path)
      const body = (await response.json()) as { symbols: { symbol: string }[]; count: number; next_cursor: string | null }
      expect(body.count).toBe(body.symbols.length)
      found.push(...body.symbols.map(each => each.symbol))
      const link = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? null
      expect(link === null).toBe(body.next_cursor === null)
      if (page === 2) {
        await release('file:symbols-new.csv', 'symbol,name\nZZYX.TO,Zinnober Yxine Corp.\n')
        const other = await ask(`/api/v1/market/symbols?exchange=V&limit=7&cursor=${body.next_cursor}`)
        expect(other.status).toBe(400)
      }
      path = link
    }
    expect(found).toEqual(whole)
    expect((await json<{ symbols: { symbol: string }[] }>('/api/v1/market/symbols?exchange=TO&limit=1000')).symbols.map(each => each.symbol)).toEqual(
      [...whole, 'ZZYX.TO'],
    )
  })
  it('lists every filing once, page by page', async () => {
    const found: string[] = []
    let cursor = ''
    do {
      const page = await json<{ filings: { accession: string; cik: string }[]; next_cursor: string | null }>(
        `/api/v1/data/filings/search?limit=37${cursor}`,
      )
      found.push(...page.filings.map(filing => `${filing.accession} ${filing.cik}`))
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    } while (cursor !== '')
    expect(found.sort()).toEqual(
      expectedFilings(warehouse.world)
        .map(filing => `${filing.accession} ${filing.cik}`)
        .sort(),
    )
    expect((await ask('/api/v1/data/filings/search?limit=5000')).headers.get('x-clamped')).toBe('limit=1000')
  })
})

describe('a page', () => {
  type Actions = { readonly actions: readonly { readonly ex_date: string }[] }
  const days = async (path: string): Promise<string[]> => (await json<Actions>(path)).actions.map(action => action.ex_date)
  it('follows every change of its content, under each symbol of the instrument and with every filter', async () => {
    const paths = ['SWU.TO', 'SWU.V', 'SWU.TO?type=dividend'].map(each => `/api/v1/market/corporate-actions/${each}`)
    for (const path of paths) expect(await days(path)).not.toContain('2026-11-17')
    await release('file:actions-uranium.csv', 'symbol,ex_date,kind,amount,currency\nSWU.TO,2026-11-17,dividend,0.01,CAD\n')
    for (const path of paths) expect([path, await days(path)]).toEqual([path, expect.arrayContaining(['2026-11-17'])])
  })
  it('follows a rename: the actions of the old symbol are those of the instrument', async () => {
    expect(await days('/api/v1/market/corporate-actions/KCX.V?type=split')).toEqual([])
    await release('file:renames.csv', 'from,to,date\nKCX.V,KCG.V,2026-04-15\n')
    expect(await days('/api/v1/market/corporate-actions/KCX.V?type=split')).toEqual(['2026-04-15'])
    expect((await json<Json>('/api/v1/market/symbols/KCX.V'))['successor']).toBe('KCG.V')
  })
  it('of Form 4 shows a new filing under every ticker of the issuer, and from any day on', async () => {
    const filing = warehouse.world.filings.find(each => each.oddity === 'truncated')
    if (!filing) throw new TypeError('the universe has a filing that was cut short')
    const paths = ['ticker=RDGT', 'ticker=RDGTW', 'ticker=RDGT&since=2026-11-01', `cik=${filing.issuer?.cik}`].map(
      each => `/api/v1/data/form4?${each}`,
    )
    const accessions = async (path: string): Promise<string[]> => (await json<Transactions>(path)).transactions.map(each => each.accession)
    for (const path of paths) expect(await accessions(path)).not.toContain(filing.accession)
    // The same filing from another entity's folder, whole this time.
    const url = `https://www.sec.gov/Archives/edgar/data/${Number(filing.issuer?.cik)}/${filing.accession}.txt`
    await release(url, String(submissionText({ ...filing, oddity: null })), 'edgar')
    for (const path of paths) expect([path, await accessions(path)]).toEqual([path, expect.arrayContaining([filing.accession])])
  })
})

describe('what Canada has not', () => {
  it('is an empty list with the reason, not a failure', async () => {
    expect(await json('/api/v1/data/form4?ticker=NA.TO')).toMatchObject({
      ticker: 'NA.TO',
      count: 0,
      transactions: [],
      coverage_note: expect.stringContaining('SEDI'),
    })
    expect(await json('/api/v1/data/filings/search?ticker=NA.TO')).toMatchObject({ count: 0, filings: [], next_cursor: null })
  })
  it('is not stated for a Canadian issuer whose insiders file, or for one without transactions', async () => {
    type Covered = {
      readonly count: number
      readonly coverage: { readonly status: string; readonly from: string | null }
      readonly coverage_note?: string
    }
    const canadian = new Set(warehouse.world.listings.filter(line => line.exchange === 'TO' && line.issuer.cik !== null).map(line => line.issuer.cik))
    const own = warehouse.world.filings.find(filing => filing.ownership !== null && filing.oddity === null && canadian.has(filing.issuer?.cik ?? ''))
    const ticker = warehouse.world.listings.find(line => line.exchange === 'TO' && line.issuer.cik === own?.issuer?.cik)?.symbol
    expect(ticker).toBeDefined()
    const filed = await json<Covered>(`/api/v1/data/form4?ticker=${ticker}`)
    expect([filed.count > 0, filed.coverage.status, filed.coverage_note]).toEqual([true, 'read', undefined])
    const unknown = await json<Covered>('/api/v1/data/form4?cik=7654321')
    expect([unknown.count, unknown.coverage.status, unknown.coverage_note]).toEqual([0, 'not_loaded', undefined])
    expect(unknown.coverage.from).toMatch(/^\d{4}-\d\d-\d\d$/)
  })
})

describe('a search of filings', () => {
  type Found = {
    readonly filings: readonly { readonly accession: string; readonly cik: string; readonly form: string; readonly filed_date: string }[]
    readonly next_cursor: string | null
  }
  const search = '/api/v1/data/filings/search'
  it('of the whole market goes on over pages in one order, in the release in which it began', async () => {
    const seen: string[] = []
    let path = `${search}?form=4&amendments=include&limit=50`
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Found = await json<Found>(cursor === '' ? path : `${path}&cursor=${cursor}`)
      seen.push(...page.filings.map(filing => `${filing.filed_date} ${filing.accession} ${filing.cik}`))
      cursor = page.next_cursor
    }
    expect(seen.length).toBeGreaterThan(100)
    expect(seen).toEqual([...new Set(seen)].sort().reverse())
    path = `${search}?form=4/A&limit=1000`
    const amended = await json<Found>(path)
    expect(amended.filings.length).toBeGreaterThan(0)
    expect((await json<Found>(`${search}?form=4&amendments=only&limit=1000`)).filings).toEqual(amended.filings)
    expect((await json<Found>(`${search}?form=4&limit=1000`)).filings.every(filing => filing.form === '4')).toBe(true)
  })
  it('takes days that are open on one side, and an instant before the newest', async () => {
    const [from, to] = await Promise.all([json<Found>(`${search}?from=2026-11-01&limit=1000`), json<Found>(`${search}?to=2026-10-31&limit=1000`)])
    expect(from.filings.length * to.filings.length).toBeGreaterThan(0)
    expect(from.filings.every(filing => filing.filed_date >= '2026-11-01') && to.filings.every(filing => filing.filed_date <= '2026-10-31')).toBe(
      true,
    )
    const before = await json<Found>(`${search}?as_of=2026-10-15&limit=1000`)
    expect(before.filings[0]?.filed_date).toMatch(/^2026-10-1[0-5]$/)
  })
  it('links to the page of the filing, its main document and its full text', async () => {
    const { filings } = await json<{ filings: Record<string, string | null>[] }>(`${search}?q=insider&limit=5`)
    for (const filing of filings) {
      expect(filing['index_url']).toMatch(new RegExp(`^https://www\\.sec\\.gov/Archives/edgar/data/\\d+/\\d{18}/${filing['accession']}-index\\.htm$`))
      expect(filing['url']).toMatch(/\.txt$/)
      expect(filing['form_title']).toMatch(/insider/)
    }
  })
})

describe('bulk files', () => {
  type File = {
    readonly dataset: string
    readonly url: string
    readonly sha256: string
    readonly bytes: number
    readonly rows: number
    readonly release_from: number | null
  }
  const listed = async (dataset: string) => (await json<{ files: File[] }>(`/api/v1/data/bulk?dataset=${dataset}`)).files
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

  it('come whole and by range, with the listed size and hash, and DuckDB reads them', async () => {
    const files = await listed('bars')
    const paths: string[] = []
    for (const file of files) {
      const whole = Buffer.from(await (await ask(file.url)).arrayBuffer())
      expect([whole.length, sha256(whole)]).toEqual([file.bytes, file.sha256])
      const middle = Math.floor(file.bytes / 2)
      const parts = await Promise.all([`bytes=0-${middle - 1}`, `bytes=${middle}-`].map(range => ask(file.url, { range })))
      expect(parts.map(part => [part.status, part.headers.get('accept-ranges')])).toEqual([
        [206, 'bytes'],
        [206, 'bytes'],
      ])
      expect(Buffer.concat(await Promise.all(parts.map(async part => Buffer.from(await part.arrayBuffer())))).equals(whole)).toBe(true)
      const path = join(warehouse.config.dataFolder, `downloaded-${file.sha256.slice(0, 8)}.parquet`)
      writeFileSync(path, whole)
      paths.push(path)
    }
    expect((await ask(files[0]?.url ?? '', { range: `bytes=${files[0]?.bytes}-` })).status).toBe(416)
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const [counted] = await queryRows<{ n: number; symbols: number }>(
      connection,
      `select count(*) as n, count(distinct symbol) as symbols from read_parquet([${paths.map(path => `'${path}'`).join(', ')}])`,
    )
    connection.closeSync()
    instance.closeSync()
    expect(counted?.n).toBe(files.reduce((sum, file) => sum + file.rows, 0))
    expect(counted?.symbols).toBe(new Set([...warehouse.world.listings.map(line => line.symbol), unlisted]).size)
  })
  it('stream as text with every row, and the release in each', async () => {
    for (const dataset of ['bars', 'insider_transactions', 'filings']) {
      for (const file of await listed(dataset)) {
        const text = await (await ask(`${file.url}?format=csv`)).text()
        const { data, meta } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
        expect([dataset, data.length]).toEqual([dataset, file.rows])
        expect(meta.fields?.at(-1)).toBe('release_from')
        if (file.release_from !== null) expect(new Set(data.map(row => row['release_from']))).toEqual(new Set([String(file.release_from)]))
      }
    }
  })
})

/** Signed answers of every kind that is made from raw documents. */
const signedAnswers = [
  '/api/v1/market/symbols/GLPR.TO',
  '/api/v1/market/symbols/MPT.V',
  '/api/v1/market/corporate-actions/BRLC.TO',
  '/api/v1/data/form4?ticker=TRUE',
  '/api/v1/data/form4?ticker=NA.TO&receipt=1',
  '/api/v1/data/form4?ticker=GLPR.TO&receipt=1',
  '/api/v1/data/form4?ticker=CBC.TO&receipt=1',
  '/api/v1/data/filing-diff/BRLX?form=10-K',
  '/api/v1/data/filing-diff/STRH?receipt=1',
  '/api/v1/data/filing-diff/QT?form=10-Q&receipt=1',
  '/api/v1/data/filings/s1/SLTK?receipt=1',
  '/api/v1/data/filings/s1/GLPR?receipt=1',
  '/api/v1/data/13f/managers?receipt=1',
  '/api/v1/data/13f/manager/0009980001?receipt=1',
  '/api/v1/data/13f/manager/0009980001/changes?receipt=1',
  '/api/v1/data/13f/issuer/BRLX?receipt=1',
  '/api/v1/data/activist-13d?as_of=2026-11-18T12:00:00Z&receipt=1',
  '/api/v1/data/activist-13d?receipt=1',
  '/api/v1/data/passive-13g?days=60&receipt=1',
  '/api/v1/market/fundamentals/MPLS',
  '/api/v1/market/earnings/GLPR.TO?receipt=1',
  '/api/v1/data/filings/search?q=insider&limit=20&receipt=1',
  '/api/v1/data/form4?since=2026-10-01&receipt=1',
  '/api/v1/market/eod/GLPR.TO?receipt=1',
  '/api/v1/market/eod/CPP-UN.TO?from=2026-11-05&receipt=1',
  '/api/v1/market/eod/SWU.V?receipt=1',
  '/api/v1/market/eod/GLPR.TO?as_of=2026-11-05&receipt=1',
  '/api/v1/market/eod/NOPE?receipt=1',
  '/api/v1/market/eod/CFB/revisions?receipt=1',
  '/api/v1/chart/GLPR.TO?timeframe=max&receipt=1',
  '/api/v1/market/quotes?symbols=GLPR.TO,CFB,NOPE&receipt=1',
  '/api/v1/market/quote/GLPR?receipt=1',
  '/api/v1/market/exchanges?year=2026&receipt=1',
  '/api/v1/market/symbols?exchange=V&receipt=1',
  '/api/v1/data/filings/search?ticker=BRLX&receipt=1',
  '/api/v1/data/filings/0009990001-26-000034?receipt=1',
]
type Verified = {
  readonly valid: boolean
  readonly reproduced: boolean | null
  readonly reproduced_reason: string | null
  readonly reproduction: string
  readonly checks: Json
}
const verify = (id: string): Promise<Verified> => json<Verified>(`/api/v1/data/receipts/${id}/verify`)

describe('a part of a dataset that is held in memory', () => {
  it('never passes for the whole', async () => {
    const lake = await warehouse.lake()
    const count = (from: typeof lake, range: 'all' | readonly string[]) =>
      from.query<{ n: number }>('select count(*) as n from filings', {}, { filings: range })
    const held = ['0009900004']
    for (const range of ['all', held, [...held, '0009900007']] as const)
      expect(await lake.holding({ filings: held }, part => count(part, range))).toEqual(await count(lake, range))
  })
})

/** The example of every operation that is built from rows or rulesets, signed. */
const examplesOfLake = operations
  .filter(each => each.method === 'GET' && isLakeOperation(each.id))
  .map(({ example: { request } }) => (request.includes('receipt=1') ? request : `${request}${request.includes('?') ? '&' : '?'}receipt=1`))

describe('a receipt', () => {
  it.each(examplesOfLake)('of the example %s is valid, and the answer was made again as its statement allows', async path => {
    const response = await ask(path)
    expect(response.status).toBe(200)
    const verdict = await verify(response.headers.get('x-receipt-id') ?? '')
    expect(verdict).toMatchObject({ valid: true, checks: { payload_available: true, payload_hash: true } })
    expect(verdict).toMatchObject({ reproduced: true, reproduced_reason: null, reproduced_from: verdict.reproduction })
  })
  it.each(signedAnswers)('of %s is valid, and the answer was made again from raw bytes', async path => {
    const response = await ask(path)
    const body = Buffer.from(await response.arrayBuffer())
    const { payload, receipt_id } = payloadOf(body)
    expect(receipt_id).toBe(response.headers.get('x-receipt-id'))
    expect(await verify(receipt_id ?? '')).toMatchObject({
      valid: true,
      reproduced: true,
      reproduced_reason: null,
      reason: null,
      checks: { payload_available: true, payload_hash: true },
    })
    const { statement } = await json<{ statement: { subject: { digest: { sha256: string } }[] } }>(`/api/v1/data/receipts/${receipt_id}`)
    expect(statement.subject[0]?.digest.sha256).toBe(createHash('sha256').update(payload).digest('hex'))
  })
  it('is the same for the same question to the same release, with and without a key', async () => {
    const path = '/api/v1/market/eod/CBC.TO?from=2026-11-01&receipt=1'
    const [first, second] = [await ask(path), await fetch(server.address + path)]
    expect(await second.text()).toBe(await first.text())
    const id = first.headers.get('x-receipt-id') ?? ''
    // The verification changes once, when the worker gives the receipt its place in the log.
    while ((await fetch(`${server.address}/api/v1/data/receipts/proof/${id}`)).status === 404) await new Promise(resolve => setTimeout(resolve, 50))
    const [keyed, open] = [await ask(`/api/v1/data/receipts/${id}/verify`), await fetch(`${server.address}/api/v1/lineage/verify/${id}`)]
    expect(await open.text()).toBe(await keyed.text())
  })
  it('is verified without the stored page', async () => {
    const { receipt_id } = await json<{ receipt_id: string }>('/api/v1/market/corporate-actions/CFB')
    await warehouse.runtime.postgres.db.deleteFrom('page').execute()
    expect(await verify(receipt_id)).toMatchObject({ valid: true, reproduced: true, checks: { payload_available: false, payload_hash: null } })
  })
  it('is not reproduced when one byte of the raw documents changed on this server, and stays valid', async () => {
    const { receipt_id } = await json<{ receipt_id: string }>('/api/v1/data/form4?ticker=TRUE')
    const [source] = (await json<{ sources: { sha256: string }[] }>(`/api/v1/data/receipts/${receipt_id}`)).sources
    expect(await verify(receipt_id)).toMatchObject({ valid: true, reproduced: true })
    const place = await warehouse.runtime.postgres.db
      .selectFrom('raw_document')
      .select(['pack', 'pack_offset', 'bytes'])
      .where('sha256', '=', source?.sha256 ?? '')
      .where('holds_body', '=', true)
      .executeTakeFirstOrThrow()
    const folder = join(warehouse.config.dataFolder, 'raw')
    expect(readdirSync(folder)).toContain(place.pack)
    const file = openSync(join(folder, place.pack), 'r+')
    const byte = Buffer.alloc(1)
    const at = place.pack_offset + 600 // behind the record's first line, inside header or body
    readSync(file, byte, 0, 1, at)
    writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
    closeSync(file)
    expect(await verify(receipt_id)).toMatchObject({
      valid: true,
      reproduced: null,
      reproduced_reason: expect.stringContaining(`${source?.sha256} is damaged`),
    })
  })
})
