// Archives as jobs read them: from the fictional EDGAR into raw store and lake, killed on the way, damaged, and read again.
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Packed, tar, zip } from '#fixtures/bulk/archives.ts'
import { jobTools } from '#fixtures/job-tools.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { answerOf, endOf } from '#fixtures/world/upstream.ts'
import { buildWorld } from '#fixtures/world/world.ts'
import { loadConfig } from '#schemas/config.ts'
import { NotFound } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { JobDefinition } from '#schemas/jobs.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { type Claimed, type JobData, openQueue, type Queue } from '#warehouse/store/queue.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { HttpClient } from '../../fetch/http.ts'
import { rebuildFrom } from '../../ingest/rebuild.ts'
import { openRuntime, type Runtime } from '../../ingest/runtime.ts'
import { companyFactsReader } from '../../read/fundamentals/company-facts.ts'
import { runJob } from '../worker/run-job.ts'

const world = buildWorld('tiny')
const now = endOf(world)
const folders: string[] = []
let runtime: Runtime
let queue: Queue
/** Bodies that the upstream gives in place of its own, by address; what it was asked, and under which condition. */
let instead: Map<string, Buffer>
let requested: string[]

const jobOf = (plan: string): JobDefinition & { name: string } => ({
  ...JobDefinition.parse({ title: 'a job', source: 'edgar', plan, datasets: ['filings'], schedule: null, backfill: 'day', freshness_minutes: null }),
  name: plan,
})
const jobs = ['edgar-insider', 'edgar-submissions-archive', 'edgar-companyfacts-archive'].map(jobOf)

beforeEach(async () => {
  const data = await mkdtemp(join(tmpdir(), 'crossfile-archive-'))
  folders.push(data)
  runtime = await openRuntime(loadConfig({ CROSSFILE_DATA: data, DATABASE_URL: await createTestDatabase() }), () => {}, 'crossfile test')
  queue = await openQueue(runtime.postgres.db, false, () => {})
  for (const job of jobs) await queue.define(job.name, { retryLimit: 3, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 60 })
  instead = new Map()
  requested = []
  return async () => {
    await queue.close()
    await runtime.close()
  }
})
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

function answer(url: string) {
  const found = answerOf(world, url, now)
  const body = instead.get(url) ?? found.body
  if (found.status !== 200 && !instead.has(url)) throw new NotFound(`${url} does not exist`)
  const headers = { ...found.headers, etag: `"${sha256Hex(body).slice(0, 8)}"` }
  return { sha256: sha256Hex(body), source: 'edgar', url, retrieved_at: now, status: 200, headers, body }
}
const http: HttpClient = {
  fetchRaw: async (_upstream, { url }) => {
    requested.push(url)
    return answer(url)
  },
  fetchChanged: async (_upstream, { url }) => {
    requested.push(url)
    return { kind: 'document', document: answer(url) }
  },
  fetchFile: async (_upstream, { url }, path, held) => {
    const { body, ...facts } = answer(url)
    requested.push(`${url}${held ? ' if changed' : ''}`)
    if (held?.headers['etag'] === facts.headers['etag']) return { kind: 'unchanged', retrieved_at: now }
    await writeFile(path, body)
    return { kind: 'file', file: { ...facts, bytes: body.length } }
  },
  close: async () => {},
}

/** Runs a window; `crashAt` ends the attempt as a kill would at the n-th such moment. Returns what the run says. */
async function run(plan: string, window: Partial<JobData>, crashAt: readonly [string, number] | null = null) {
  const job = jobs.find(each => each.name === plan) as JobDefinition & { name: string }
  await queue.send(plan, { partition: 'test', from: world.last, to: world.last, symbols: null, backfill_id: null, ...window })
  const [claimed] = await queue.claim(plan, 1)
  let left = crashAt?.[1] ?? 0
  await runJob(
    jobTools(runtime, queue, http, () => Date.parse(now) + 86_400_000, {
      crashPoint: name => {
        if (name === crashAt?.[0] && --left === 0) throw new Error(`killed at ${name}`)
      },
    }),
    job,
    claimed as Claimed,
    new AbortController().signal,
  )
  await runtime.postgres.db.deleteFrom('pgboss.job' as never).execute()
  return await runtime.postgres.db.selectFrom('job_run').selectAll().orderBy('run_id', 'desc').executeTakeFirstOrThrow()
}
async function rowsOf(name: DatasetName, tools = runtime.tools): Promise<Record<string, unknown>[]> {
  const lake = openLake(await loadCatalogue(tools.db), tools.writer.connections, tools.writer.verifier)
  return await lake.query<Record<string, unknown>>(`select * from ${name}`, {}, { [name]: 'all' })
}
const heldBack = async (): Promise<string[]> =>
  (await runtime.postgres.db.selectFrom('quarantine').select(['reason', 'subject']).orderBy('quarantine_id').execute()).map(
    row => `${row.reason} ${row.subject.slice(row.subject.lastIndexOf('/') + 1)}`,
  )

/** The last day on which the fictional EDGAR has at least three whole ownership filings. */
const isWhole = (filing: (typeof world.filings)[number]): boolean => filing.ownership !== null && filing.oddity === null
const day = [...world.sessions.US].reverse().find(date => world.filings.filter(each => each.filed === date && isWhole(each)).length >= 3) as string
const ofDay = world.filings.filter(filing => filing.filed === day)
const quarter = `${day.slice(0, 4)}/QTR${Math.ceil(Number(day.slice(5, 7)) / 3)}`
const feedUrl = `https://www.sec.gov/Archives/edgar/Feed/${quarter}/${day.replaceAll('-', '')}.nc.tar.gz`
const submissionsUrl = 'https://www.sec.gov/Archives/edgar/daily-index/bulkdata/submissions.zip'
const window = { from: day, to: day, partition: day }

describe('a day of the feed', () => {
  test('gives with one request what one request a filing gives; the rest is counted, not kept', async () => {
    await run('edgar-insider', { ...window, route: 'feed' })
    expect(requested).toEqual([feedUrl])
    const facts = async () =>
      (await rowsOf('insider_transactions')).map(({ known_from, known_basis, raw_sha256, release_from, ...rest }) => JSON.stringify(rest)).sort()
    const fromFeed = await facts()
    expect(fromFeed.length).toBeGreaterThan(2)
    const { reader, skipped } = await runtime.postgres.db
      .selectFrom('reading')
      .innerJoin('raw_document', 'raw_document.raw_id', 'reading.raw_id')
      .select(['reader', 'skipped'])
      .where('url', '=', `${feedUrl}#manifest:edgar-insider`)
      .executeTakeFirstOrThrow()
    expect(reader).toBe('edgar.archive')
    expect(Object.values(skipped as Record<string, number>).reduce((sum, count) => sum + count, 0)).toBe(
      ofDay.filter(filing => filing.ownership === null).length,
    )
    // The same again asks for nothing.
    await run('edgar-insider', { ...window, route: 'feed' })
    expect(requested).toHaveLength(1)
    // From the documents themselves: nothing differs, so nothing is written twice.
    await run('edgar-insider', window)
    expect(await facts()).toEqual(fromFeed)
  })
  test('that breaks off gives what came before the break, is held with the reason, and is asked for again', async () => {
    const whole = answerOf(world, feedUrl, now).body
    instead.set(feedUrl, whole.subarray(0, whole.length - 200))
    await run('edgar-insider', { ...window, route: 'feed' })
    expect(await heldBack()).toContainEqual(expect.stringMatching(/^archive_broken_gzip .*\.tar\.gz$/))
    expect(existsSync(join(runtime.config.dataFolder, 'raw', 'quarantine', `${sha256Hex(instead.get(feedUrl) as Buffer)}.tar.gz`))).toBe(true)
    instead.clear()
    await run('edgar-insider', { ...window, route: 'feed' })
    expect(requested).toEqual([feedUrl, feedUrl])
    const read = new Set((await rowsOf('insider_filings')).map(row => row['accession']))
    for (const filing of ofDay.filter(isWhole)) expect(read).toContain(filing.accession)
  })
  test('in which links, devices and evil names stand harms nothing', async () => {
    const [good] = ofDay.filter(isWhole)
    const nc = `<SUBMISSION>\n<ACCESSION-NUMBER>${good?.accession}\n<TYPE>4\n<FILING-DATE>20260102\n`
    const members = [
      { name: '../../../../etc/cron.d/evil.nc', body: nc },
      { name: '/tmp/0000990201-25-000081.nc', body: nc },
      { name: '0000990201-25-000081.nc', body: '/etc/passwd', type: '2' },
      { name: '0000990201-25-000082.nc', body: '<SUBMISSION>\n<ACCESSION-NUMBER>0000990201-25-000082\n<TYPE>8-K\n<FILING-DATE>20260102\n' },
      { name: 'readme.txt', body: 'nothing' },
    ]
    instead.set(feedUrl, gzipSync(tar(members)))
    await run('edgar-insider', { ...window, route: 'feed' })
    expect((await heldBack()).map(each => each.split(' ')[0])).toEqual(['archive_evil_name', 'archive_evil_name', 'archive_not_a_file'])
    expect(await rowsOf('insider_filings')).toEqual([])
  })
})

describe('the nightly archive', () => {
  test('is read member by member; the next night only what changed is kept and read', async () => {
    await run('edgar-submissions-archive', {})
    const filings = await rowsOf('filings')
    expect(filings.length).toBeGreaterThan(50)
    expect(filings.some(row => row['known_basis'] === 'accepted')).toBe(true)
    const documents = async () => (await runtime.postgres.db.selectFrom('raw_document').select('url').where('url', 'like', '%#CIK%').execute()).length
    const first = await documents()
    const again = await run('edgar-submissions-archive', {})
    expect(requested).toEqual([submissionsUrl, `${submissionsUrl} if changed`])
    expect(again).toMatchObject({ state: 'done', fetched: 0, rows: 0 })
    const cik = String(filings[0]?.['cik'])
    const changed = JSON.parse(answerOf(world, `https://data.sec.gov/submissions/CIK${cik}.json`, now).body.toString()) as { name: string }
    const other = [...new Set(filings.map(row => String(row['cik'])))].filter(each => each !== cik).slice(0, 3)
    const members: Packed[] = [cik, ...other].map(each => ({
      name: `CIK${each}.json`,
      body:
        each === cik
          ? Buffer.from(JSON.stringify({ ...changed, name: 'Renamed Corp' }))
          : answerOf(world, `https://data.sec.gov/submissions/CIK${each}.json`, now).body,
    }))
    instead.set(submissionsUrl, zip(members, { zip64: true }))
    await run('edgar-submissions-archive', {})
    expect(await documents()).toBe(first + 1)
    expect(await readdir(join(runtime.config.dataFolder, 'raw', 'incoming'))).toEqual([])
  })
  test.each(['archive-fetched', 'archive-members', 'before-commit', 'archive-manifest'])(
    'killed at %s, it goes on from its file and gives the same',
    async point => {
      await run('edgar-submissions-archive', {}, [point, 1])
      await run('edgar-submissions-archive', {})
      expect(requested.filter(url => url === submissionsUrl)).toHaveLength(1)
      const killed = (await rowsOf('filings')).map(({ release_from, ...rest }) => JSON.stringify(rest)).sort()
      const unread = await runtime.postgres.db
        .selectFrom('raw_document')
        .leftJoin('reading', 'reading.raw_id', 'raw_document.raw_id')
        .select('url')
        .where('reading.raw_id', 'is', null)
        .execute()
      expect(unread).toEqual([])
      expect(killed.length).toBe(new Set(world.filings.flatMap(each => each.entities.map(entity => `${each.accession} ${entity.cik}`))).size)
    },
  )
  test('loses the members that lie, keeps the others, and tells the operator which and where the bytes are', async () => {
    const body = (cik: string): Buffer => answerOf(world, `https://data.sec.gov/submissions/CIK${cik}.json`, now).body
    const [one = '', two = '', three = '', four = ''] = [...new Set(world.filings.flatMap(filing => filing.entities.map(entity => entity.cik)))]
    instead.set(
      submissionsUrl,
      zip([
        { name: `CIK${one}.json`, body: body(one) },
        { name: `CIK${two}.json`, body: body(two), crc: 1 },
        { name: `CIK${three}.json`, body: body(three), flags: 1 },
        { name: `CIK${one}.json`, body: Buffer.from('{}') },
        { name: `../CIK${four}.json`, body: body(four) },
        { name: `CIK${four}.json`, body: Buffer.alloc(3_000_000, ' ') },
        { name: `CIK${four}\0.json`, body: body(four) },
      ]),
    )
    await run('edgar-submissions-archive', {})
    expect(new Set((await rowsOf('filings')).map(row => row['cik']))).toEqual(new Set([one]))
    expect((await heldBack()).map(each => each.split(' ')[0])).toEqual([
      'archive_wrong_crc',
      'archive_encrypted',
      'archive_duplicate_name',
      'archive_evil_name',
      'archive_bomb',
      'archive_evil_name',
    ])
    const { detail } = await runtime.postgres.db.selectFrom('quarantine').select('detail').limit(1).executeTakeFirstOrThrow()
    const kept = /kept as (raw\/quarantine\/[0-9a-f]{64}\.zip)$/.exec(detail)?.[1] ?? ''
    expect(existsSync(join(runtime.config.dataFolder, kept))).toBe(true)
  })
  test('without its directory is refused whole, since nothing in it can be trusted, and is not taken for done', async () => {
    const whole = answerOf(world, submissionsUrl, now).body
    instead.set(submissionsUrl, whole.subarray(0, whole.length - 100))
    await run('edgar-submissions-archive', {})
    expect(await rowsOf('filings')).toEqual([])
    expect(await heldBack()).toEqual(['archive_truncated submissions.zip'])
    instead.clear()
    await run('edgar-submissions-archive', {})
    expect(requested).toEqual([submissionsUrl, submissionsUrl])
    expect((await rowsOf('filings')).length).toBeGreaterThan(50)
  })
  test('is rebuilt from the raw store alone, findings and all', async () => {
    await run('edgar-insider', { ...window, route: 'feed' })
    await run('edgar-submissions-archive', {})
    const before = (await rowsOf('filings')).map(({ release_from, ...rest }) => JSON.stringify(rest)).sort()
    const data = await mkdtemp(join(tmpdir(), 'crossfile-archive-'))
    folders.push(data)
    const other = await openRuntime(loadConfig({ CROSSFILE_DATA: data, DATABASE_URL: await createTestDatabase() }), () => {}, 'crossfile test')
    try {
      const { default: fs } = await import('node:fs')
      fs.cpSync(join(runtime.config.dataFolder, 'raw'), join(data, 'raw'), { recursive: true })
      await other.raw.recover()
      await rebuildFrom(other.tools, other.raw, () => {}, new AbortController().signal)
      expect((await rowsOf('filings', other.tools)).map(({ release_from, ...rest }) => JSON.stringify(rest)).sort()).toEqual(before)
    } finally {
      await other.close()
    }
  })
})

describe('the nightly archive of company facts', () => {
  test('gives of each company what its own file gives', async () => {
    await run('edgar-companyfacts-archive', {})
    const documents = await runtime.postgres.db
      .selectFrom('raw_document')
      .select(['url', 'sha256'])
      .where('url', 'like', '%companyfacts.zip#CIK%')
      .execute()
    expect(documents.length).toBeGreaterThan(1)
    let facts = 0
    for (const { url, sha256 } of documents) {
      const { body } = answerOf(world, `https://data.sec.gov/api/xbrl/companyfacts/${url.slice(url.indexOf('#') + 1)}`, now)
      expect(sha256Hex(body)).toBe(sha256)
      const parsed = companyFactsReader.parse({ ...answer(submissionsUrl), url, body })
      facts += parsed.facts.company_facts?.length ?? 0
    }
    expect(facts).toBeGreaterThan(0)
    expect(await rowsOf('company_facts')).toHaveLength(facts)
  })
})

describe('a data set and the filings that it repeats', () => {
  const first = `${day.slice(0, 4)}-${String(Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`
  const setUrl = `https://www.sec.gov/files/structureddata/data/insider-transactions-data-sets/${quarter.replace('/QTR', 'q')}_form345.zip`
  const bySet = { from: first, to: day, partition: 'the quarter', route: 'datasets' }
  const sourcesOf = async (): Promise<Map<string, Set<string>>> => {
    const sources = new Map<string, Set<string>>()
    for (const row of await rowsOf('insider_transactions'))
      sources.set(String(row['accession']), (sources.get(String(row['accession'])) ?? new Set()).add(String(row['source'])))
    return sources
  }
  const dataSet = async (): Promise<Buffer> => {
    const { insiderDataSet } = await import('#fixtures/world/render/bulk.ts')
    return insiderDataSet(world, day.slice(0, 4), Math.ceil(Number(day.slice(5, 7)) / 3)) as Buffer
  }

  test('a data set fills what is missing and touches nothing that was read itself', async () => {
    await run('edgar-insider', window)
    const before = (await rowsOf('insider_transactions')).map(row => JSON.stringify(row)).sort()
    instead.set(setUrl, await dataSet())
    await run('edgar-insider', bySet)
    const rows = await rowsOf('insider_transactions')
    expect(
      rows
        .filter(row => row['source'] === 'edgar')
        .map(row => JSON.stringify(row))
        .sort(),
    ).toEqual(before)
    expect(rows.length).toBeGreaterThan(before.length)
    for (const [accession, sources] of await sourcesOf()) expect([accession, sources.size]).toEqual([accession, 1])
  })
  test('a filing that comes itself takes the place of its rows, and leaves none of them behind', async () => {
    instead.set(setUrl, await dataSet())
    await run('edgar-insider', bySet)
    const fromSet = await sourcesOf()
    for (const filing of ofDay.filter(isWhole))
      if (fromSet.has(filing.accession)) expect(fromSet.get(filing.accession)).toEqual(new Set(['edgar-data-set']))
    await run('edgar-insider', window)
    const itself = await rowsOf('insider_transactions')
    for (const filing of ofDay.filter(isWhole)) {
      const lines = filing.ownership?.lines.filter(line => line.transaction).length ?? 0
      const rows = itself.filter(row => row['accession'] === filing.accession)
      expect([filing.accession, rows.length, new Set(rows.map(row => row['source']))]).toEqual([
        filing.accession,
        lines,
        lines === 0 ? new Set() : new Set(['edgar']),
      ])
      for (const row of rows) expect(row['known_basis']).toBe('accepted')
    }
  })
  test('that is not published yet fails with its address, instead of passing for an empty quarter', async () => {
    const outcome = await run('edgar-insider', bySet)
    expect(outcome.state).toBe('failed')
    expect(outcome.error).toContain(setUrl)
  })
})
