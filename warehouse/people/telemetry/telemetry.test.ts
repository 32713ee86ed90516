// What is read from browsers' reports, what remains of addresses in them, and the figures of a day.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { gradeOf, vitalRules } from '../../rulesets/telemetry/vitals.ts'
import { readViolations, readVitals } from './read.ts'
import { aggregateVitals, countViolations, findViolations, findVitals, keepVitals, others, sweepTelemetry } from './store.ts'
import { blockedOf, pageOf } from './strip.ts'

const { db, pool } = await testDatabase()
const now = new Date('2026-11-20T21:05:00Z')
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000)

describe('an address', () => {
  test.each<[unknown, string | null]>([
    ['https://crossfile.example.org/api/v1/public/docs?token=secret#top', '/api/v1/public/docs'],
    ['/market/RY.TO?apikey=cf_live_x', '/market/RY.TO'],
    ['https://user:pass@crossfile.example.org/a', '/a'],
    ['/filings/0000320193-24-000001', '/filings/0000320193-24-000001'],
    ['/alerts/a_k3mQ7x2aVt0w/edit', '/alerts/:id/edit'],
    ['/reset/8Zr1uX0cMbqe8Zr1uX0cMbqe8Zr1uX0cMbqe', '/reset/:id'],
    ['/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301', '/u/:id'],
    ['/invite/jane.roe%40example.org', '/invite/:id'],
    ['/cf_sess_abc', '/:id'],
    ['/13f/manager/0001067983', '/13f/manager/:id'],
    ['/%ff%fe', '/:id'],
    ['/<script>', '/:id'],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    [`/${'a/'.repeat(3000)}`, null],
    [42, null],
    [undefined, null],
  ])('%s is the page %s', (address, page) => expect(pageOf(address)).toBe(page))
  test.each<[unknown, string]>([
    ['https://cdn.example.net/x.js?token=secret', 'cdn.example.net'],
    ['inline', 'inline'],
    ['data', 'data'],
    ['data:image/png;base64,AAAA', 'data'],
    ['blob:https://x.example/3f2504e0', 'blob'],
    ['chrome-extension://abcdefghijklmnop/x.js', 'extension'],
    ['moz-extension', 'unknown'],
    ['nonsense <script>', 'unknown'],
    ['', 'unknown'],
    [null, 'unknown'],
  ])('%s that was blocked is counted as %s', (address, blocked) => expect(blockedOf(address)).toBe(blocked))
  it('loses every token in its query, its fragment and its path', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9_-]{24,43}$/).filter(text => /\d/.test(text) && /[A-Z]/.test(text))
    fc.assert(
      fc.property(secret, fc.constantFrom('?t=', '#', '/', '/reset/', '?a=b&apikey='), (token, before) => {
        expect(pageOf(`https://crossfile.example.org/page${before}${token}`)).not.toContain(token)
        expect(blockedOf(`https://cdn.example.net/page${before}${token}`)).toBe('cdn.example.net')
      }),
    )
  })
})

describe('Web Vitals', () => {
  test.each<[string, unknown, unknown]>([
    ['all of a page', { url: '/docs', LCP: 1200.5, fid: 3, CLS: 0, INP: 40 }, 'LCP 1200.5, INP 40, CLS 0, FID 3'],
    ['one as the library has it', { name: 'LCP', value: 900, rating: 'good', id: 'v3', url: 'https://x.example/docs?a' }, 'LCP 900'],
    [
      'a list under metrics',
      {
        page: '/docs',
        metrics: [
          { name: 'INP', value: 1 },
          { name: 'cls', value: 0.2 },
        ],
      },
      'INP 1, CLS 0.2',
    ],
    [
      'a list',
      [
        { url: '/docs', LCP: 1 },
        { url: '/docs', LCP: 2 },
      ],
      'LCP 1, LCP 2',
    ],
    ['figures that are none', { url: '/docs', LCP: -1, INP: 'fast', CLS: 1e9, FID: null }, ''],
    ['no page', { LCP: 1 }, ''],
    ['nothing', null, ''],
  ])('%s', (_name, body, read) => {
    const found = readVitals(JSON.stringify(body))
    expect(found.map(({ metric, value }) => `${metric} ${value}`).join(', ')).toBe(read)
    expect(found.every(each => each.page === '/docs')).toBe(true)
  })
  test.each<[string, number, string, string | null]>([
    ['LCP', 2500, '2026-11-20', 'good'],
    ['LCP', 2500.1, '2026-11-20', 'needs improvement'],
    ['LCP', 4000, '2026-11-20', 'needs improvement'],
    ['LCP', 4000.1, '2026-11-20', 'poor'],
    ['INP', 200, '2026-11-20', 'good'],
    ['INP', 501, '2026-11-20', 'poor'],
    ['CLS', 0.1, '2026-11-20', 'good'],
    ['CLS', 0.26, '2026-11-20', 'poor'],
    ['FID', 5, '2026-11-20', null],
    ['FID', 5, '2024-03-11', 'good'],
  ])('%s of %d on %s is %s', (metric, value, day, grade) => expect(gradeOf(metric, value, day)).toBe(grade))
  it('are kept as the 75th percentile by day and page; single ones for two weeks', async () => {
    await keepVitals(
      db,
      [100, 400, 200, 300, 5000].map(value => ({ page: '/docs', metric: 'LCP' as const, value })),
      now,
    )
    await keepVitals(db, [{ page: '/other', metric: 'CLS', value: 0.3 }], later(1))
    expect(await aggregateVitals(db)).toBe(2)
    await keepVitals(db, [{ page: '/other', metric: 'CLS', value: 0.05 }], later(1))
    await aggregateVitals(db)
    const figures = [
      { day: '2026-11-21', page: '/other', metric: 'CLS', samples: 2, p75: 0.3, grade: 'poor' },
      { day: '2026-11-20', page: '/docs', metric: 'LCP', samples: 5, p75: 400, grade: 'good' },
    ]
    expect(await findVitals(db, 30, later(2))).toEqual(figures)
    await sweepTelemetry(db, later(15))
    expect((await pool.query('select page from vital_sample')).rows).toEqual([{ page: '/other' }, { page: '/other' }])
    await aggregateVitals(db)
    expect(await findVitals(db, 30, later(15))).toEqual(figures)
  })
  it('beyond the pages of a day are counted together', async () => {
    const day = later(20)
    const pages = Array.from({ length: vitalRules.pages_per_day + 3 }, (_, n) => ({ page: `/p${n}`, metric: 'INP' as const, value: n }))
    await keepVitals(db, [...pages, ...pages.slice(0, vitalRules.pages_per_day)], day)
    await aggregateVitals(db)
    const found = (await findVitals(db, 1, day)).filter(each => each.page === others)
    expect(found).toMatchObject([{ samples: 3 }])
  })
})

describe('violations', () => {
  const legacy = {
    'csp-report': {
      'document-uri': 'https://x.example/?t=secret',
      'violated-directive': "script-src 'self'",
      'blocked-uri': 'https://cdn.example.net/a.js',
    },
  }
  const modern = [
    { type: 'csp-violation', age: 1, url: 'https://x.example/', body: { effectiveDirective: 'img-src', blockedURL: 'data' } },
    { type: 'deprecation', body: { id: 'x' } },
    { type: 'csp-violation', body: { effectiveDirective: '<img src=x>', blockedURL: 'inline' } },
  ]
  it('are read in both formats', () => {
    expect(readViolations(JSON.stringify(legacy))).toEqual([{ directive: 'script-src', blocked: 'cdn.example.net' }])
    expect(readViolations(JSON.stringify(modern))).toEqual([
      { directive: 'img-src', blocked: 'data' },
      { directive: 'other', blocked: 'inline' },
    ])
  })
  it('are counted by day, directive and host, exactly, and forgotten after thirty days', async () => {
    await Promise.all(Array.from({ length: 200 }, () => countViolations(db, readViolations(JSON.stringify(legacy)), now)))
    await countViolations(db, readViolations(JSON.stringify(modern)), now)
    expect(await findViolations(db, 30, now)).toEqual([
      { day: '2026-11-20', directive: 'script-src', blocked: 'cdn.example.net', reports: 200 },
      { day: '2026-11-20', directive: 'img-src', blocked: 'data', reports: 1 },
      { day: '2026-11-20', directive: 'other', blocked: 'inline', reports: 1 },
    ])
    await sweepTelemetry(db, later(31))
    expect(await findViolations(db, 400, later(31))).toEqual([])
  })
  it('of many hosts fill no more than the rows of a day', async () => {
    const day = later(40)
    const many = Array.from({ length: vitalRules.csp_rows_per_day + 20 }, (_, n) => ({ directive: 'img-src', blocked: `h${n}.example` }))
    await countViolations(db, many, day)
    const rows = await findViolations(db, 1, day)
    expect(rows).toHaveLength(vitalRules.csp_rows_per_day + 1)
    expect(rows[0]).toMatchObject({ blocked: others, reports: 20 })
  })
})

it('nothing that is sent makes an error, and nothing but words, hosts and pages comes out', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.object().map(value => JSON.stringify(value)),
      ),
      text => {
        for (const { directive, blocked } of readViolations(text)) expect(`${directive} ${blocked}`).toMatch(/^[a-z-]+ [\w.:[\]-]+$/)
        for (const { page, value } of readVitals(text)) expect([/^[\x21-\x7e]{1,200}$/.test(page), Number.isFinite(value)]).toEqual([true, true])
      },
    ),
  )
})
