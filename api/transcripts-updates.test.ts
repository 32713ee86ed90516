// Search over calls and daily updates, asked of the whole service over the bundled universe: both ways of searching agree, every figure of an update
// is in the answer that its receipt signs, and a remake gives the same bytes.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { addDocument } from '#fixtures/warehouse.ts'
import { rewriteDay } from '#pipelines/jobs/updates/write-days.ts'
import { bundleOf } from '#pipelines/read/transcripts/bundle.ts'
import type { DailyUpdateFull } from '#schemas/updates.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { transcriptIndexOn } from '#warehouse/datasets/transcripts/search-index.ts'
import { readAnswer, valueAt } from '#warehouse/updates/reference.ts'
import { digestOf } from '#warehouse/updates/write.ts'

const { db, get: ask, warehouse } = await worldService()

type Hit = {
  ticker: string
  video_id: string
  video_url: string
  chunk_idx: number
  start_ms: number
  end_ms: number
  timed: boolean
  text: string
  score: number
  language: string
  format: string
}
type Found = { hits: Hit[]; total: number; next_cursor: string | null; receipt_id?: string }
const json = async <T>(path: string): Promise<T> => (await (await ask(path)).json()) as T
const search = (parameters: Record<string, string>): Promise<Found> => json(`/api/v1/concalls/search?${new URLSearchParams(parameters)}`)

describe('search over calls', () => {
  it('finds a word in all its forms, by its stem', async () => {
    const [one, other] = [await search({ q: 'commissioned' }), await search({ q: 'commissioning' })]
    expect(one.hits.map(hit => [hit.ticker, hit.format])).toEqual([['BRLX', 'srt']])
    expect(one.hits[0]?.text).toMatch(/second mill line is being commissioned/)
    expect(other.hits).toEqual(one.hits)
  })
  it('finds a phrase only where its words follow each other', async () => {
    const phrase = await search({ q: '"free cash flow"', limit: '100' })
    expect(phrase.hits.length).toBeGreaterThan(5)
    for (const hit of phrase.hits) expect(hit.text.toLowerCase()).toMatch(/free cash flow/)
    expect((await search({ q: '"cash free flow"' })).total).toBe(0)
    expect((await search({ q: 'cash free flow' })).total).toBe(phrase.total)
  })
  it('finds French words without their accents and in other forms', async () => {
    const found = await search({ q: 'investissement fibre' })
    expect(found.hits.map(hit => [hit.ticker, hit.language])).toEqual([['QT.TO', 'fr']])
    expect((await search({ q: 'telephonique' })).hits[0]?.ticker).toBe('QT.TO')
    expect((await search({ q: '"flux de trésorerie disponibles"' })).total).toBe(1)
  })
  it('links to the second of the recording at which the passage begins', async () => {
    const [youtube] = (await search({ q: 'foundry', ticker: 'LNTF' })).hits
    expect(youtube?.video_url).toBe(`https://youtu.be/LnTf-q3-26x?t=${Math.floor((youtube?.start_ms ?? 0) / 1000)}s`)
    const [file] = (await search({ q: 'mill' })).hits
    expect(file?.video_url).toBe(`https://media.borealis-copper.example/calls/2026-q3.mp4#t=${Math.floor((file?.start_ms ?? 0) / 1000)}`)
  })
  it('keeps each word of rolling captions once', async () => {
    const { hits } = await search({ q: 'welcome', ticker: 'GLPR.TO' })
    expect(hits[0]?.text).toMatch(
      /^good morning and welcome to the great lakes and prairie railway third quarter earnings conference call all lines have been placed/,
    )
  })
  it('finds a transcript that was furnished with an 8-K, without times, under the symbol of its filer', async () => {
    const { hits } = await search({ q: 'insurance freight' })
    expect(hits[0]).toMatchObject({ format: 'exhibit', timed: false, start_ms: 0, end_ms: 0, speaker: 'Conrad Bexley' })
    expect(hits[0]?.video_url).toMatch(/^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/9900027\/\d{18}\/bxh-ex992\.htm$/)
    expect((await search({ q: 'insurance freight', ticker: 'BXH.A' })).hits).toEqual(hits)
  })
  it('takes every spelling and line of a company, and leaves others out', async () => {
    const toronto = await search({ q: 'grain', ticker: 'TSX:GLPR' })
    expect(toronto.total).toBe(1)
    expect((await search({ q: 'grain', ticker: 'GLPR' })).hits).toEqual(toronto.hits)
    expect((await search({ q: 'grain', ticker: 'BRLX' })).total).toBe(0)
    expect((await ask('/api/v1/concalls/search?q=x&ticker=GLRP.TO')).status).toBe(404)
  })
  it('pages through all hits in one order, each once', async () => {
    const all = await search({ q: 'quarter', limit: '100' })
    const paged: Hit[] = []
    let cursor: string | null = null
    do {
      const page: Found = await search({ q: 'quarter', limit: '3', ...(cursor === null ? {} : { cursor }) })
      paged.push(...page.hits)
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(all.total).toBe(all.hits.length)
    expect(paged).toEqual(all.hits)
    const scores = all.hits.map(hit => hit.score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })
  it('gives the same bytes by the index and by the lake alone, at every release', async () => {
    const lake = await warehouse.lake()
    const context = await contextOf(lake, null)
    const questions = [
      { q: 'quarter' },
      { q: '"free cash flow" guidance' },
      { q: 'the' },
      { q: 'résultats', language: 'fr' },
      { q: 'call', ticker: 'GLPR.TO' },
      { q: 'guidance', from: '2026-11-01' },
      { q: 'opérat* "mode écoute"' },
    ]
    let found = 0
    for (const release of [lake.release, lake.release - 1, 1]) {
      const at = { ...context, lake: await warehouse.lake(release) }
      for (const question of questions) {
        const requested = { limit: 20, ...question } as never
        const alone = await buildPayload('search_concalls', at, requested, '2026-11-20T09:30:00Z')
        const indexed = await buildPayload('search_concalls', { ...at, transcriptIndex: transcriptIndexOn(db) }, requested, '2026-11-20T09:30:00Z')
        expect(indexed?.payload.toString('utf8')).toBe(alone?.payload.toString('utf8'))
        found += (JSON.parse(alone?.payload.toString('utf8') ?? '{}') as Found).total
      }
    }
    expect(found).toBeGreaterThan(20)
  })
  it('is signed when asked, and the receipt is reproduced from raw documents', async () => {
    const { receipt_id } = await search({ q: '"second mill line"', receipt: '1' })
    expect(receipt_id).toMatch(/^r1_/)
    expect(await json(`/api/v1/lineage/verify/${receipt_id}`)).toMatchObject({ valid: true, reproduced: true })
  })
  it('refuses a question without words, and finds nothing before it was known', async () => {
    expect((await ask('/api/v1/concalls/search?q=%22%22%20--')).status).toBe(400)
    expect((await search({ q: 'mill', as_of: '2026-11-03T12:00:00Z' })).total).toBe(0)
    expect((await search({ q: 'mill', as_of: '2026-11-04T12:00:00Z' })).total).toBeGreaterThan(0)
  })
  it('counts passages by company', async () => {
    const stats = await json<{ by_ticker: { ticker: string; chunk_count: number }[]; total_chunks: number; total_tickers: number }>(
      '/api/v1/concalls/stats',
    )
    expect(stats.total_tickers).toBe(7)
    expect(stats.by_ticker.map(each => each.ticker).sort()).toEqual(['BRLX', 'BXH-A', 'GLPR.TO', 'LNTF', 'PMBF', 'QT.TO', 'RDGT'])
    expect(stats.total_chunks).toBe(stats.by_ticker.reduce((sum, each) => sum + each.chunk_count, 0))
  })
})

it('a transcript that is replaced by a shorter one is found as each release has it, by the index and by the lake', async () => {
  const entry = {
    file: 'walrus.vtt',
    ticker: 'BRLX',
    date: '2026-11-12',
    video_id: 'walrus-1',
    video_url: 'https://x.example/w',
    title: null,
    uploader: null,
    language: 'en' as const,
  }
  const file = (...texts: string[]): string =>
    bundleOf(entry, Buffer.from(`WEBVTT\n\n${texts.map((text, at) => `${at * 20}:00.000 --> ${at * 20}:05.000\n${text}`).join('\n\n')}\n`)).toString(
      'utf8',
    )
  const first = await addDocument(warehouse, 'transcripts:walrus.vtt', file('walrus one', 'walrus two', 'walrus three'), 'transcripts')
  const second = await addDocument(warehouse, 'transcripts:walrus.vtt', file('walrus four'), 'transcripts')
  const context = await contextOf(await warehouse.lake(), null)
  const found = async (release: number, indexed: boolean, as_of?: string): Promise<string[]> => {
    const at = {
      ...context,
      lake: await warehouse.lake(release),
      ...(indexed ? { transcriptIndex: transcriptIndexOn(warehouse.runtime.postgres.db) } : {}),
    }
    const payload = await buildPayload(
      'search_concalls',
      at,
      { q: 'walrus', limit: 20, ...(as_of ? { as_of } : {}) } as never,
      '2026-11-20T09:30:00Z',
    )
    return (JSON.parse(payload?.payload.toString('utf8') ?? '{}') as Found).hits.map(hit => hit.text).sort()
  }
  for (const indexed of [true, false]) {
    expect(await found(first, indexed)).toEqual(['walrus one', 'walrus three', 'walrus two'])
    expect(await found(second, indexed)).toEqual(['walrus four'])
    expect(await found(second, indexed, '2026-11-13T00:00:00Z')).toEqual(['walrus four'])
    expect(await found(second, indexed, '2026-11-12T00:00:00Z')).toEqual([])
  }
})

describe('daily updates', () => {
  const get = (slug: string): Promise<DailyUpdateFull> => json(`/api/v1/updates/${slug}`)
  it('state nothing that the answer behind the receipt does not hold, at the place that the claim names', async () => {
    const { updates } = await json<{ updates: { slug: string }[]; total: number }>('/api/v1/updates?limit=100')
    expect(updates.length).toBeGreaterThan(4)
    let claims = 0
    for (const { slug } of updates) {
      const update = await get(slug)
      for (const statement of update.statements) {
        const response = await ask(statement.request)
        expect([statement.request, response.status]).toEqual([statement.request, 200])
        const answer = readAnswer(Buffer.from(await response.arrayBuffer()))
        for (const claim of statement.claims) {
          claims += 1
          if (claim.pointer !== null) expect(valueAt(answer, claim.pointer)).toBe(claim.value)
          else if (claim.computed === 'count') expect(claim.value).toBe(String(claim.operands?.length))
          else
            expect(Number(claim.value)).toBeCloseTo(
              (claim.operands ?? []).reduce((sum, each) => sum + Number(valueAt(answer, each)), 0),
              6,
            )
          for (const operand of claim.operands ?? []) expect(valueAt(answer, operand)).toBeTypeOf('string')
        }
        expect(
          statement.template.replaceAll(/\{(\d+)\}/g, (_, at: string) => statement.claims[Number(at)]?.value ?? '').replaceAll(',', ''),
        ).toHaveLength(statement.text.replaceAll(',', '').length)
        expect((await ask(`/api/v1/data/receipts/${statement.receipt_id}`)).status).toBe(200)
        expect(update.body).toContain(statement.receipt_id)
      }
    }
    expect(claims).toBeGreaterThan(40)
  })
  it('hold no word of advice', async () => {
    const { updates } = await json<{ updates: { slug: string }[] }>('/api/v1/updates?limit=100')
    for (const { slug } of updates) {
      const { title, summary, statements } = await get(slug)
      expect([title, summary, ...statements.map(each => each.template)].join(' ')).not.toMatch(
        /\b(?:buy|sell|hold|recommend\w*|should|attractive|undervalued|overvalued|bullish|bearish|opportunit\w+|strong|weak|because|upside|downside)\b/i,
      )
    }
  })
  it('are written again from the same release with the same bytes', async () => {
    const stored = await db.selectFrom('daily_update').select(['slug', 'date', 'release', 'sha256', 'body']).orderBy('slug').execute()
    expect(stored.length).toBeGreaterThan(4)
    for (const date of new Set(stored.map(row => row.date))) {
      const rows = stored.filter(row => row.date === date)
      const again = await rewriteDay(warehouse.runtime.tools, date, rows[0]?.release ?? 0)
      expect(again.map(each => each.slug).sort()).toEqual(rows.map(row => row.slug))
      for (const row of rows) {
        const made = again.find(each => each.slug === row.slug)
        expect(made?.body).toBe(row.body)
        expect(made && digestOf(made)).toEqual(row.sha256)
      }
    }
  })
  it('report an insider cluster where two owners reported within ten days, and count and add what the lines hold', async () => {
    const [day] = await rewriteDay(warehouse.runtime.tools, '2026-05-27', (await warehouse.lake()).release)
    const [cluster] = day?.statements.filter(each => each.rule === 'insider_cluster') ?? []
    expect(cluster?.text).toMatch(
      /: 2 insiders reported open-market purchases \(code P\) of [\d,.]+ shares from 2026-05-19 to 2026-05-22, in 2 lines of Forms 3, 4 and 5\.$/,
    )
    expect(cluster?.claims.filter(each => each.computed === 'count').map(each => each.value)).toEqual(['2', '2'])
  })
  it('report filings and schedules of their day', async () => {
    const { updates } = await json<{ updates: { slug: string }[] }>('/api/v1/updates?limit=100&category=daily')
    const rules = new Set((await Promise.all(updates.map(({ slug }) => get(slug)))).flatMap(each => each.statements.map(statement => statement.rule)))
    expect([...rules].sort()).toEqual(expect.arrayContaining(['filing', 'schedule_13d']))
  })
  it('are listed by pages, counted by day, and given as Markdown and Atom', async () => {
    const all = await json<{ updates: { slug: string }[]; total: number; limit: number; offset: number }>('/api/v1/updates?limit=2&offset=1')
    expect(all).toMatchObject({ limit: 2, offset: 1 })
    expect(all.total).toBeGreaterThan(3)
    const [first] = all.updates
    const markdown = await ask(`/api/v1/updates/${first?.slug}/markdown`)
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await markdown.text()).toMatch(/^# /)
    const feed = await (await ask('/api/v1/updates.atom')).text()
    expect(feed).toMatch(/<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom" xml:base="http[^"]+\/">/)
    // RFC 4287: an entry keeps its id when it is revised.
    expect(feed).toMatch(/<id>urn:crossfile:update:\d{4}-\d\d-\d\d<\/id>/)
    const stats = await json<{ last_30_days: { date: string; count: number }[]; total_all_time: number }>('/api/v1/updates/stats')
    expect(stats.total_all_time).toBe(all.total)
    expect((await ask('/api/v1/updates/1999-01-01')).status).toBe(404)
    expect((await ask('/api/v1/updates/not-a-slug')).status).toBe(400)
  })
  it('count readings in batches, and keep nothing but the number', async () => {
    const { countViews } = await import('./updates/updates.ts')
    const views = countViews(db, () => {}, 60_000)
    for (let at = 0; at < 5; at += 1) views.note('2001-01-01')
    await views.close()
    const { rows } = await sql<Record<string, unknown>>`select * from daily_update_view where slug = '2001-01-01'`.execute(db)
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual(['slug', 'views'])
    expect(Number(rows[0]?.['views'])).toBe(1)
  })
})
