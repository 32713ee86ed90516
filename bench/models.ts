// The nightly models over the generated market: how long the worker's share takes, and what it holds of memory.
import type { ReleaseContexts } from './contexts.ts'
import { type Figure, figure, type Report } from './measure.ts'
import { residentMemory, startProgram } from './processes.ts'
import { fullSymbols } from './universe.ts'

export async function nightlyModels(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const rounds = Math.min(contexts.options.rounds, 3)
  const [seconds, peaks]: [number[], number[]] = [[], []]
  let rows = 0
  let bytes = 0
  for (let round = 0; round < rounds; round += 1) {
    const worker = await startProgram('bench/models-process.ts', market.env)
    try {
      const done = await worker.ask<{ ms: number; rows: number; bytes: number }>({ build: 'screener' })
      seconds.push(done.ms / 1000)
      ;({ rows, bytes } = done)
      peaks.push(residentMemory(worker.pid).peak ?? Number.NaN)
    } finally {
      await worker.stop()
    }
  }
  const whole = fullSymbols / Math.max(1, market.universe.symbols.length)
  const figures: Figure[] = [
    figure('the screener, computed and sealed', 's', seconds, { of: 'value', most: 120 / whole }),
    figure('memory of the worker, most held', 'MB', peaks, { of: 'value', most: 2_500 }),
    figure('its file', 'MB', [bytes / 1e6]),
  ]
  return {
    figures,
    notes: [
      `${rows.toLocaleString('en-US')} listings over ${market.universe.bars.toLocaleString('en-US')} bars, of which the last five years are read; the market has no filings, so that no statements are computed; the aim is two minutes at 51,000 listings`,
    ],
  }
}
