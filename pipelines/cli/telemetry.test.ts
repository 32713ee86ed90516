// `crossfile telemetry` as its reader sees it: figures with their grades on 80 columns, and the same as JSON.
import { expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { aggregateVitals, countViolations, keepVitals } from '#warehouse/people/telemetry/store.ts'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

const { db, url } = await testDatabase()
const env = { DATABASE_URL: url }

async function run(...argv: readonly string[]): Promise<string> {
  const io = keptIo(env)
  expect([await main(argv, io, env), io.output.err]).toEqual([0, []])
  return io.output.out.join('\n')
}

it('says what was reported, with grades, or that nothing was', async () => {
  expect(await run('telemetry')).toMatch(/none reported[\s\S]*none reported/)
  const day = new Date('2026-11-20T10:00:00Z')
  await keepVitals(
    db,
    [
      { page: '/docs', metric: 'LCP', value: 4100 },
      { page: '/docs', metric: 'FID', value: 3 },
    ],
    day,
  )
  await aggregateVitals(db)
  await countViolations(db, [{ directive: 'img-src', blocked: 'cdn.example.net' }], day)
  const reported = await run('telemetry', '--days', '1')
  expect(reported).toMatch(/2026-11-20 +\/docs +LCP +4100 ms +poor +1/)
  expect(reported).toMatch(/FID +3 ms +not graded +1/)
  expect(reported).toMatch(/2026-11-20 +img-src +cdn\.example\.net +1/)
  expect(reported.split('\n').every(line => line.length <= 80)).toBe(true)
  expect(JSON.parse(await run('telemetry', '--json'))).toMatchObject({
    days: 7,
    vitals: [
      { metric: 'FID', grade: null },
      { metric: 'LCP', grade: 'poor' },
    ],
    violations: [{ directive: 'img-src', blocked: 'cdn.example.net', reports: 1 }],
  })
})
