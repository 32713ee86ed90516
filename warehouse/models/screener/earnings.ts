// When companies reported last, and when they announced their next report: by the rules of the earnings operation.
import type { EarningsEvidence } from '#schemas/fundamentals.ts'
import { nextReport } from '../../datasets/fundamentals/earnings.ts'
import { dayAt } from '../../datasets/fundamentals/session.ts'
import type { ScratchDatabase } from '../../store/lake/scratch-database.ts'
import type { Listed } from './listings.ts'
import type { Moment } from './moment.ts'
import { sqlOf } from './sql.ts'

type Release = { readonly cik: string; readonly accession: string; readonly filed_date: string; readonly known_from: string }

/** Fills `earnings`: one row per CIK that released results or named a day. */
export async function fillEarnings(shop: ScratchDatabase, listed: readonly Listed[], { date, asOf }: Moment): Promise<void> {
  const [releases, announcements] = [
    await shop.query<Release>(sqlOf('releases'), { date, as_of: asOf }, { filings: 'all', earnings_evidence: 'all' }),
    await shop.query<EarningsEvidence>(sqlOf('announcements'), { date, as_of: asOf }, { earnings_evidence: 'all' }),
  ]
  const released = Map.groupBy(releases, row => row.cik)
  const announced = Map.groupBy(announcements, row => row.cik)
  const exchanges = new Map(listed.flatMap(row => (row.cik === null ? [] : [[row.cik, row.exchange] as const])))
  const rows = [...new Set([...released.keys(), ...announced.keys()])].sort().map(cik => {
    const own = released.get(cik) ?? []
    const exchange = exchanges.get(cik) ?? 'US'
    const next = nextReport(announced.get(cik) ?? [], own, date, instant => dayAt(exchange, instant))
    return { cik, last_report_date: own.at(-1)?.filed_date ?? null, next_report_date: next?.announced_date ?? null }
  })
  await shop.fill('earnings', { cik: 'VARCHAR', last_report_date: 'DATE', next_report_date: 'DATE' }, rows)
}
