// A split becomes known: from the CSV in the drop-in folder of a running worker until the running API answers with it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openQueue } from '#warehouse/store/queue.ts'
import type { ReleaseContexts } from './contexts.ts'
import { figure, type Report } from './measure.ts'

type Bar = { readonly date: string; readonly adjusted_close: number }
const patienceMs = 60_000

export async function restatement(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const { runtime } = market
  const { csvFolder } = runtime.config
  await mkdir(csvFolder, { recursive: true })
  await market.worker()
  const address = String((await market.api()).ready['address'])
  const queue = await openQueue(runtime.postgres.db, false, contexts.say)
  const whole: number[] = []
  const served: number[] = []
  try {
    for (let round = 0; round < contexts.options.rounds; round += 1) {
      const split = await unreported(address, market.universe.unreportedSplits)
      const earlier = `${address}/api/v1/market/eod/${split.symbol}?to=${split.exDate}`
      const first = async (): Promise<Bar> => ((await (await fetch(`${earlier}&limit=1`)).json()) as { bars: Bar[] }).bars[0] as Bar
      const before = await first()
      await writeFile(
        join(csvFolder, `split-${split.symbol}.csv`),
        `symbol,ex_date,kind,numerator,denominator,amount,currency\n${split.symbol},${split.exDate},split,2,1,,\n`,
      )
      const begun = Date.now()
      const data = { partition: `bench ${begun}`, from: null, to: null, symbols: null, backfill_id: null }
      await queue.send('drop-in', data)
      let after = before
      while (after.adjusted_close === before.adjusted_close) {
        if (Date.now() - begun > patienceMs) throw new Error(`the split of ${split.symbol} was not served within ${patienceMs / 1000} s`)
        await new Promise(resolve => setTimeout(resolve, 5))
        after = await first()
      }
      const answered = Date.now()
      if (Math.abs(after.adjusted_close / before.adjusted_close - 0.5) > 1e-6)
        throw new Error(`${split.symbol}: adjusted_close went from ${before.adjusted_close} to ${after.adjusted_close}, expected half of it`)
      const { committed_at } = await runtime.postgres.db
        .selectFrom('release')
        .select('committed_at')
        .orderBy('release', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      whole.push(answered - begun)
      served.push(answered - Date.parse(committed_at))
    }
  } finally {
    await queue.close()
  }
  return {
    figures: [
      figure('from the job (file in the folder) to the answer', 'ms', whole, { of: 'value', most: 1000 }),
      figure('of it, from the release to the answer', 'ms', served),
    ],
    notes: [
      `one 2:1 split of one symbol among ${market.universe.symbols.length}; the answer is asked for every 5 ms, the worker and the API run as in service`,
    ],
  }
}

/** A symbol whose split was not told in an earlier run on the same data. */
async function unreported(
  address: string,
  splits: readonly { readonly symbol: string; readonly exDate: string }[],
): Promise<{ readonly symbol: string; readonly exDate: string }> {
  for (const split of splits) {
    const { bars } = (await (await fetch(`${address}/api/v1/market/eod/${split.symbol}?to=${split.exDate}&limit=1`)).json()) as {
      bars: (Bar & { close: number })[]
    }
    if (bars[0] && bars[0].adjusted_close === bars[0].close) return split
  }
  throw new Error('every split of this market was told already; generate it anew')
}
