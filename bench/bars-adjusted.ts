// Five closes of one symbol from warehouse.duckdb as an analyst opens it: adjusted through the macro and through the view, and unadjusted
// from the view of bars.
import { DuckDBInstance } from '@duckdb/node-api'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { lakePath } from '#warehouse/store/lake/open.ts'
import { warehouseFile, writeWarehouseFile } from '#warehouse/store/lake/views.ts'
import type { ReleaseContexts } from './contexts.ts'
import { shuffled } from './eod.ts'
import { compared, figure, interleave, type Report, spanOf } from './measure.ts'

const perRound = 5

export async function barsAdjusted(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const { dataFolder } = market.runtime.config
  const catalogue = await loadCatalogue(market.runtime.postgres.db)
  await writeWarehouseFile(dataFolder, catalogue)
  const instance = await DuckDBInstance.create(warehouseFile(dataFolder), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const next = shuffled(market.universe.symbols)
  const processor: number[] = []
  const paths = (catalogue.files.get('bars') ?? []).map(file => lakePath(dataFolder, file).replaceAll("'", "''"))
  const list = `['${paths.join("','")}']`
  /** The median of some symbols, each asked once. */
  const timeOf = async (from: (symbol: string) => string, columns = 'date, close, adjusted_close'): Promise<number> => {
    const times: number[] = []
    for (const symbol of next(perRound)) {
      const begun = performance.now()
      await connection.runAndReadAll(`select ${columns} from ${from(symbol)} order by date desc limit 5`)
      times.push(performance.now() - begun)
    }
    return spanOf(times).median
  }
  try {
    const values = await interleave(
      [
        {
          name: 'macro',
          run: async () => {
            const before = process.cpuUsage()
            const median = await timeOf(symbol => `bars_adjusted_of('${symbol}')`)
            const used = process.cpuUsage(before)
            processor.push((used.user + used.system) / 1000 / perRound)
            return median
          },
        },
        { name: 'view', run: () => timeOf(symbol => `bars_adjusted where symbol = '${symbol}'`) },
        { name: 'bars', run: () => timeOf(symbol => `bars where symbol = '${symbol}'`, 'date, close') },
        { name: 'list', run: () => timeOf(symbol => `read_parquet(${list}) where symbol = '${symbol}'`, 'date, close') },
      ],
      contexts.options.rounds,
    )
    return {
      figures: [
        compared('five rows of bars_adjusted_of', 'ms', values.get('macro') ?? [], 'the same from the view bars_adjusted', values.get('view') ?? [], {
          of: 'value',
          most: 50,
        }),
        figure('processor time of one', 'ms', processor),
        compared('five rows of the view bars', 'ms', values.get('bars') ?? [], 'the same from one list of all files', values.get('list') ?? [], {
          of: 'ratio',
          most: 1,
        }),
      ],
      notes: [
        `${market.universe.bars.toLocaleString('en-US')} bars in ${(catalogue.files.get('bars') ?? []).length} files; random symbols, each asked once`,
      ],
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
