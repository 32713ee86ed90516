// The client packages, built as `npm run clients` builds them, against a service of the bundled universe over a real socket.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anotherWitness, aWitness } from '#fixtures/receipts/vectors.ts'
import { worldKey, worldWarehouse, worldWorker } from '#fixtures/warehouse.ts'
import { operations } from '#schemas/operations.ts'
import { COSIGNER_KEY, printVerifierKey } from '#schemas/verifier-key.ts'
import { NoVerdict as OfflineNoVerdict, verifyBundle as verifyOffline } from '#warehouse/store/receipts/verify-offline.mjs'
import { type Server, startServer } from '../api/server.ts'
import { describeClients } from './generate/describe.ts'
import { buildClients } from './generate/main.ts'

const out = mkdtempSync(join(tmpdir(), 'crossfile-clients-'))
const warehouse = await worldWarehouse()
await worldWorker(warehouse)
const key = await worldKey(warehouse)
let server: Server
beforeAll(async () => {
  buildClients(out)
  server = await startServer(warehouse.config)
})
afterAll(async () => {
  await server.close()
  rmSync(out, { recursive: true, force: true })
})

type Eod = { readonly symbol: string; readonly count: number; readonly bars: readonly { readonly date: string; readonly close: number }[] }
type Answer<T> = {
  readonly data: T
  readonly text: string
  readonly release: number | null
  readonly asOf: string | null
  readonly receiptId: string | null
  readonly fromCache: boolean
}
type Client = {
  getEod(params: object, options?: object): Promise<Answer<Eod>>
  listSymbols(params?: object): Promise<Answer<{ readonly symbols: readonly { readonly symbol: string }[]; readonly next_cursor: string | null }>>
  listSymbolsRows(params?: object): AsyncIterable<{ readonly symbol: string }>
  getForm4(params: object): Promise<Answer<{ readonly transactions: readonly unknown[] }>>
  getReceiptBundle(params: object): Promise<Answer<unknown>>
  createAlert(body: object, options?: object): Promise<Answer<unknown>>
  at(moment: object): Client
  current(): Promise<Client>
  file(id: string, params: object, format: string): Promise<Answer<Uint8Array>>
}
type Verdict = { readonly valid: boolean; readonly reason: string | null; readonly checks: object }
type Package = {
  readonly Crossfile: new (options: object) => Client
  readonly exactNumbers: (text: string) => { readonly bars: readonly { readonly adjusted_close: unknown }[] }
  readonly verifyBundle: (bytes: Uint8Array, options?: object) => Promise<Verdict>
}
const load = async (): Promise<Package> => (await import(pathToFileURL(join(out, 'typescript', 'dist', 'index.js')).href)) as Package
const client = async (options: object = {}): Promise<Client> => new (await load()).Crossfile({ baseUrl: server.address, apiKey: key, ...options })

describe('the description of the clients', () => {
  it('has every operation that returns data, and no page of the site', () => {
    const ids = new Set(describeClients().operations.map(each => each.id))
    expect(operations.filter(each => each.curated && each.answer !== null && !ids.has(each.id)).map(each => each.id)).toEqual([])
    expect(operations.filter(each => each.media_type.startsWith('text/html') && ids.has(each.id)).map(each => each.id)).toEqual([])
  })
})

describe('the TypeScript client', () => {
  it('answers with types, release and the text as received', async () => {
    const { data, text, release, asOf } = await (await client()).getEod({ symbol: 'TSX:GLPR', from: '2026-05-15', to: '2026-05-19' })
    expect(data).toMatchObject({ symbol: 'GLPR.TO', count: 2 })
    expect(data.bars.map(each => each.close)).toEqual([223.97, 111.38])
    expect([release === null, asOf === null]).toEqual([false, false])
    const { exactNumbers } = await load()
    expect(exactNumbers(text).bars[0]?.adjusted_close).toBe(/"adjusted_close":([0-9.]+)/.exec(text)?.[1])
  })
  it('walks all pages, and gives every row once', async () => {
    const crossfile = await client()
    const walked: string[] = []
    for await (const row of crossfile.listSymbolsRows({ limit: 7 })) walked.push(row.symbol)
    const whole = (await crossfile.listSymbols({ limit: 1000 })).data.symbols.map(each => each.symbol)
    expect(whole.length).toBeGreaterThan(14)
    expect(walked).toEqual(whole)
  })
  it('asks again with the ETag, and repeats the stored answer on 304', async () => {
    const crossfile = await client()
    const params = { symbol: 'GLPR.TO', from: '2026-11-01' }
    const [first, second] = [await crossfile.getEod(params), await crossfile.getEod(params)]
    expect([first.fromCache, second.fromCache]).toEqual([false, true])
    expect(second.data).toEqual(first.data)
  })
  it('pins an instant or a release for every question', async () => {
    const crossfile = await client()
    const pinned = await crossfile.current()
    const { release } = await pinned.getEod({ symbol: 'GLPR.TO', limit: 1 })
    expect((await crossfile.at({ release }).getEod({ symbol: 'GLPR.TO', limit: 1 })).release).toBe(release)
    const early = await crossfile.at({ asOf: '2026-11-10T12:00:00Z' }).getEod({ symbol: 'NGP.TO', from: '2026-11-03' })
    expect([early.asOf, early.data.bars.at(-1)?.date]).toEqual(['2026-11-10T12:00:00Z', '2026-11-09'])
  })
  it('gives the error of the service with its hint', async () => {
    await expect((await client()).getEod({ symbol: 'GLPR.TO', from: 'yesterday' })).rejects.toMatchObject({
      name: 'CrossfileError',
      status: 400,
      code: 'bad_request',
      hint: expect.stringMatching(/\S/),
      requestId: expect.stringMatching(/\S/),
    })
    await expect((await client({ apiKey: undefined })).getForm4({ ticker: 'BRLX' })).rejects.toMatchObject({ status: 401 })
    await expect((await client()).getEod({})).rejects.toThrow('symbol is missing')
  })
  it('returns files of another format as bytes', async () => {
    const { data } = await (await client()).file('get_eod', { symbol: 'GLPR.TO', from: '2026-05-15', to: '2026-05-19' }, 'csv')
    expect(new TextDecoder().decode(data).trim().split('\n')).toHaveLength(3)
  })
  it('verifies a receipt that the service made, and refuses every changed byte', async () => {
    const crossfile = await client()
    const { receiptId } = await crossfile.getEod({ symbol: 'GLPR.TO', from: '2026-11-16' }, { receipt: true })
    const { text } = await crossfile.getReceiptBundle({ receipt_id: receiptId })
    const { verifyBundle } = await load()
    const bytes = new TextEncoder().encode(text)
    expect(await verifyBundle(bytes)).toMatchObject({ valid: true, reason: null })
    expect(await verifyBundle(bytes)).toEqual(verifyOffline(Buffer.from(bytes)))
    for (let at = 0; at < bytes.length; at += 97) {
      const changed = bytes.slice()
      changed[at] = (changed[at] as number) ^ 1
      const verdict = await verifyBundle(changed).catch((error: Error) => error.name)
      expect([at, verdict === 'NoVerdict' || !(verdict as Verdict).valid]).toEqual([at, true])
    }
  })
})

describe('a service that refuses for a while', () => {
  /** Answers the given statuses one after the other, then 200; remembers what was sent. */
  async function refusing(statuses: readonly number[], retryAfter: string | null) {
    const seen: { method: string | undefined; key: string | undefined }[] = []
    const left = [...statuses]
    const http = createServer((request, response) => {
      seen.push({ method: request.method, key: request.headers['idempotency-key'] as string | undefined })
      const status = left.shift()
      response.writeHead(status ?? 200, {
        'content-type': 'application/json',
        ...(status && retryAfter !== null ? { 'retry-after': retryAfter } : {}),
      })
      response.end(status === undefined ? '{"count":0,"bars":[]}' : '{"detail":"wait","code":"rate_limited"}')
    })
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
    const close = () => new Promise(resolve => http.close(resolve))
    return { baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, seen, close }
  }
  it('is asked again after Retry-After, with the same Idempotency-Key', async () => {
    const { baseUrl, seen, close } = await refusing([429, 503], '0')
    const crossfile = await client({ baseUrl })
    await crossfile.createAlert({ ticker: 'GLPR.TO', condition: 'below', threshold: 1 })
    expect(seen.map(each => each.method)).toEqual(['POST', 'POST', 'POST'])
    expect(new Set(seen.map(each => each.key)).size).toBe(1)
    expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
    await close()
  })
  it('is not waited for longer than allowed, nor asked again after 400', async () => {
    const slow = await refusing([429, 429], '3600')
    await expect((await client({ baseUrl: slow.baseUrl })).getEod({ symbol: 'A' })).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3600 })
    expect(slow.seen).toHaveLength(1)
    await slow.close()
    const wrong = await refusing([400], null)
    await expect((await client({ baseUrl: wrong.baseUrl })).getEod({ symbol: 'A' })).rejects.toMatchObject({ status: 400 })
    expect(wrong.seen).toHaveLength(1)
    await wrong.close()
  })
})

describe('receipts in the browser', () => {
  const folder = new URL('../fixtures/receipts/', import.meta.url)
  it.each(readdirSync(folder).filter(name => name.endsWith('.receipt.json')))(
    '%s has the verdict of verify-offline.mjs, also with single bits changed',
    async name => {
      const { verifyBundle } = await load()
      const bytes = readFileSync(new URL(name, folder))
      const offline = (given: Buffer): unknown => {
        try {
          return verifyOffline(given)
        } catch (error) {
          if (error instanceof OfflineNoVerdict) return 'NoVerdict'
          throw error
        }
      }
      const web = (given: Buffer): Promise<unknown> => verifyBundle(new Uint8Array(given)).catch((error: Error) => error.name)
      expect(await web(bytes)).toEqual(offline(bytes))
      for (let bit = 0; bit < bytes.length * 8; bit += 331) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
        expect([bit, await web(flipped)]).toEqual([bit, offline(flipped)])
      }
    },
  )
})

const verifierKeyOfNoOne = printVerifierKey({ name: 'witness.example/three', algorithm: COSIGNER_KEY, x: Buffer.alloc(32, 9).toString('base64url') })
/** Witnesses that a reader may name, for the receipt `cosigned` of fixtures/receipts. */
const quorums = [
  { keys: [] },
  { keys: [aWitness.vkey] },
  { keys: [aWitness.vkey, anotherWitness.vkey] },
  { keys: [aWitness.vkey, verifierKeyOfNoOne] },
  { keys: [aWitness.vkey, verifierKeyOfNoOne], count: 1 },
]
describe('cosignatures in the browser', () => {
  const folder = new URL('../fixtures/receipts/', import.meta.url)
  it.each(quorums)('have the verdict of verify-offline.mjs with %j', async witnesses => {
    const { verifyBundle } = await load()
    for (const name of ['cosigned', 'logged', 'form4']) {
      const bytes = readFileSync(new URL(`${name}.receipt.json`, folder))
      expect(await verifyBundle(new Uint8Array(bytes), { witnesses })).toEqual(verifyOffline(bytes, { witnesses }))
    }
    const wrong = { witnesses: { keys: [aWitness.vkey.replace('+', '+0')] } }
    await expect(verifyBundle(new Uint8Array(readFileSync(new URL('cosigned.receipt.json', folder))), wrong)).rejects.toThrow('verifier key')
  })
})

const python = spawnSync('python3', ['-c', 'import httpx, typing_extensions, cryptography'], { encoding: 'utf8' }).status === 0
const hasPandas = python && spawnSync('python3', ['-c', 'import pandas, polars'], { encoding: 'utf8' }).status === 0
if (!python) console.log('the Python client is not tested: python3 with httpx and cryptography is absent')

describe.skipIf(!python)('the Python client', () => {
  /** The service answers from this process, so the script runs next to it. */
  const run = async (source: string, given: Readonly<Record<string, string>> = {}): Promise<string> => {
    const script = join(out, 'script.py')
    writeFileSync(script, source)
    const env = { ...process.env, PYTHONPATH: join(out, 'python'), PYTHONDONTWRITEBYTECODE: '1', BASE: server.address, KEY: key, ...given }
    return (await promisify(execFile)('python3', [script], { env, maxBuffer: 16_777_216 })).stdout
  }
  const head = 'import os, json, asyncio\nfrom crossfile import *\nclient = Crossfile(os.environ["BASE"], os.environ["KEY"])\n'
  it('answers with decimals, pages, pins, caches, and gives the hint of an error', async () => {
    const printed = await run(`${head}
bars = client.get_eod("GLPR.TO", from_="2026-05-15", to="2026-05-19")
again = client.get_eod("GLPR.TO", from_="2026-05-15", to="2026-05-19")
walked = [row["symbol"] for row in client.list_symbols_rows(limit=7)]
whole = [row["symbol"] for row in client.list_symbols(limit=1000).rows]
early = client.at(as_of="2026-11-10T12:00:00Z").get_eod("NGP.TO", from_="2026-11-03")
try:
    client.get_eod("GLPR.TO", from_="yesterday")
except CrossfileError as error:
    caught = [error.status, error.code, bool(error.hint)]
async def later():
    async with AsyncCrossfile(os.environ["BASE"], os.environ["KEY"]) as other:
        fixed = await other.current()
        rows = [row["symbol"] async for row in fixed.list_symbols_rows(limit=9)]
        return rows == whole
print(json.dumps({"closes": [str(bar["close"]) for bar in bars.data["bars"]], "cached": [bars.from_cache, again.from_cache, again.data == bars.data],
  "walked": walked == whole and len(whole) > 14, "early": early.data["bars"][-1]["date"], "caught": caught, "later": asyncio.run(later()),
  "file": len(client.file("get_eod", {"symbol": "GLPR.TO", "from": "2026-05-15", "to": "2026-05-19"}, "csv").data.splitlines())}))
`)
    expect(JSON.parse(printed)).toEqual({
      closes: ['223.97', '111.38'],
      cached: [false, true, true],
      walked: true,
      early: '2026-11-09',
      caught: [400, 'bad_request', true],
      later: true,
      file: 3,
    })
  })
  it('gives the verdict of verify-offline.mjs on receipts, also with single bits changed', async () => {
    const folder = join(import.meta.dirname, '..', 'fixtures', 'receipts')
    const verdicts = JSON.parse(
      await run(
        `${head}
def verdict(data):
    try:
        found = verify_bundle(data)
        return [found.valid, found.reason]
    except NoVerdict:
        return None
out = {}
for name in sorted(os.listdir(os.environ["FOLDER"])):
    if not name.endswith(".receipt.json"):
        continue
    data = open(os.path.join(os.environ["FOLDER"], name), "rb").read()
    out[name] = [verdict(data)] + [verdict(data[:bit >> 3] + bytes([data[bit >> 3] ^ (1 << (bit & 7))]) + data[(bit >> 3) + 1:]) for bit in range(0, len(data) * 8, 173)]
print(json.dumps(out))
`,
        { FOLDER: folder },
      ),
    ) as Record<string, readonly ([boolean, string | null] | null)[]>
    expect(Object.keys(verdicts).length).toBeGreaterThan(3)
    for (const [name, [whole, ...flipped]] of Object.entries(verdicts)) {
      const bytes = readFileSync(join(folder, name))
      const { valid, reason } = verifyOffline(bytes) as Verdict
      expect([name, whole]).toEqual([name, [valid, reason]])
      expect([name, flipped.filter(each => each?.[0] === true)]).toEqual([name, []])
    }
  })
  it('gives the verdict of verify-offline.mjs on cosignatures', async () => {
    const folder = join(import.meta.dirname, '..', 'fixtures', 'receipts')
    const printed = await run(
      `${head}
out = []
for name in ["cosigned", "logged", "form4"]:
    data = open(os.path.join(os.environ["FOLDER"], name + ".receipt.json"), "rb").read()
    for each in json.loads(os.environ["QUORUMS"]):
        found = verify_bundle(data, witnesses=each["keys"], quorum=each.get("count"))
        out.append([found.reason, found.checks["cosignatures"], list(found.cosignatures)])
print(json.dumps(out))
`,
      { FOLDER: folder, QUORUMS: JSON.stringify(quorums) },
    )
    const expected = ['cosigned', 'logged', 'form4'].flatMap(name =>
      quorums.map(witnesses => {
        const { reason, checks, cosignatures } = verifyOffline(readFileSync(join(folder, `${name}.receipt.json`)), { witnesses })
        return [reason, checks.cosignatures, cosignatures]
      }),
    )
    expect(JSON.parse(printed)).toEqual(expected)
  })
  it.skipIf(!hasPandas)('makes data frames of pandas and polars with days and numbers', async () => {
    const printed = await run(`${head}
bars = client.get_eod("GLPR.TO", from_="2026-05-15", to="2026-05-19")
frame, exact, polars = bars.to_pandas(), bars.to_pandas(exact=True), bars.to_polars()
print(json.dumps([str(frame["date"].dtype)[:10], str(frame["close"].dtype), str(frame["volume"].dtype), str(exact["close"][0]), str(polars.schema["date"]), str(polars.schema["close"]), polars.height]))
`)
    expect(JSON.parse(printed)).toEqual(['datetime64', 'float64', 'Int64', '223.97', 'Date', 'Float64', 2])
  })
})

describe('the packages', () => {
  it('hold what a registry needs', () => {
    const manifest = JSON.parse(readFileSync(join(out, 'typescript', 'package.json'), 'utf8')) as { dependencies?: object; files: readonly string[] }
    expect(manifest.dependencies).toBeUndefined()
    for (const file of manifest.files) expect([file, existsSync(join(out, 'typescript', file))]).toEqual([file, true])
    for (const file of ['pyproject.toml', 'README.md', 'LICENSE', 'crossfile/py.typed', 'crossfile/types.py'])
      expect([file, existsSync(join(out, 'python', file))]).toEqual([file, true])
  })
})

/** A Python that has openbb-core: that of CROSSFILE_OPENBB_PYTHON, else python3. */
const openbbPython = process.env['CROSSFILE_OPENBB_PYTHON'] ?? 'python3'
const hasOpenbb = spawnSync(openbbPython, ['-c', 'import openbb_core, httpx, typing_extensions'], { encoding: 'utf8' }).status === 0
if (!hasOpenbb) console.log('the provider of OpenBB is not tested: python3 with openbb-core and httpx is absent')

describe.skipIf(!hasOpenbb)('the provider of OpenBB', () => {
  type Outcome = {
    readonly rows?: readonly Record<string, unknown>[]
    readonly meta?: Record<string, unknown>
    readonly error?: string
    readonly message?: string
  }
  it('answers the models that it lists through the executor of OpenBB, and states errors in its words', async () => {
    const questions = [
      ['EquityHistorical', { symbol: 'GLPR.TO', start_date: '2026-05-15', end_date: '2026-05-19' }],
      ['EquityQuote', { symbol: 'GLPR.TO' }],
      ['EquitySearch', { query: 'great lakes' }],
      ['CompanyFilings', { symbol: 'BRLX', limit: 2 }],
      ['InsiderTrading', { symbol: 'BRLX', limit: 150 }],
      ['HistoricalDividends', { symbol: 'GLPR.TO', start_date: '2026-06-01', end_date: '2026-06-30' }],
      ['HistoricalSplits', { symbol: 'GLPR.TO' }],
      ['CalendarEarnings', { status: 'all' }],
      ['CalendarIpo', {}],
      ['EquityHistorical', { symbol: 'NOPE.TO' }],
      ['EquityHistorical', { symbol: 'GLPR.TO', as_of: '2020-01-01T00:00:00Z' }],
    ]
    const env = {
      ...process.env,
      PYTHONPATH: `${join(out, 'python')}:${join(out, 'openbb')}`,
      PYTHONDONTWRITEBYTECODE: '1',
      BASE: server.address,
      KEY: key,
      QUESTIONS: JSON.stringify(questions),
    }
    const { stdout } = await promisify(execFile)(openbbPython, [join(out, 'openbb', 'check.py')], { env, maxBuffer: 16_777_216 })
    const [eod, quote, search, filings, insiders, dividends, splits, reports, offerings, unknown, before, badKey, noKey] = JSON.parse(
      stdout,
    ) as Outcome[]
    // Stories of the universe: a split of two for one on 2026-05-19, dividends of 0.4375 CAD.
    expect(eod?.rows?.map(row => [row['date'], row['close'], row['currency']])).toEqual([
      ['2026-05-15', 223.97, 'CAD'],
      ['2026-05-19', 111.38, 'CAD'],
    ])
    expect(eod?.meta?.['release']).toEqual(expect.any(Number))
    const { quotes } = JSON.parse(
      await (await fetch(`${server.address}/api/v1/market/quotes?symbols=GLPR.TO`, { headers: { 'x-api-key': key } })).text(),
    ) as {
      quotes: { price: number; change_pct: number }[]
    }
    expect(quote?.rows?.[0]).toMatchObject({ symbol: 'GLPR.TO', last_price: quotes[0]?.price, change_percent: (quotes[0]?.change_pct ?? 0) / 100 })
    expect(search?.rows?.map(row => row['symbol'])).toEqual(expect.arrayContaining(['GLPR', 'GLPR.TO']))
    expect(filings?.rows).toHaveLength(2)
    expect(new Set(insiders?.rows?.map(row => row['symbol']))).toEqual(new Set(['BRLX']))
    expect(dividends?.rows?.map(row => [row['ex_dividend_date'], row['amount']])).toEqual([['2026-06-09', 0.4375]])
    expect(splits?.rows?.map(row => [row['date'], row['split_ratio']])).toEqual([['2026-05-19', '2:1']])
    expect([(reports?.rows?.length ?? 0) > 0, (offerings?.rows?.length ?? 0) > 0]).toEqual([true, true])
    expect([unknown?.error, before?.error, badKey?.error, noKey?.error]).toEqual([
      'EmptyDataError',
      'EmptyDataError',
      'UnauthorizedError',
      'OpenBBError',
    ])
    expect(badKey?.message).toContain('no API key of this service')
  })
})
