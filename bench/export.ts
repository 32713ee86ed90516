// The analyst's export: all bars with adjusted_close, against copying the same rows and as many columns without adjusting.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { lakePath } from '#warehouse/store/lake/open.ts'
import { warehouseFile } from '#warehouse/store/lake/views.ts'
import type { ReleaseContexts } from './contexts.ts'
import { compared, interleave, type Report } from './measure.ts'

const columns = 'symbol, date, open, high, low, close, volume, currency'
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

export async function exportBars(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const { dataFolder } = market.runtime.config
  const folder = await contexts.folder('export')
  const instance = await DuckDBInstance.create(warehouseFile(dataFolder), { access_mode: 'READ_ONLY', memory_limit: '4GB', temp_directory: folder })
  const connection = await instance.connect()
  const catalogue = await market.catalogue()
  const files = (catalogue.files.get('bars') ?? []).map(file => text(lakePath(dataFolder, file))).join(', ')
  const target = join(folder, 'bars.parquet')
  const copy = async (query: string): Promise<number> => {
    const begun = performance.now()
    await connection.run(`copy (${query}) to ${text(target)} (format parquet, compression zstd)`)
    const seconds = (performance.now() - begun) / 1000
    await rm(target)
    return seconds
  }
  try {
    const values = await interleave(
      [
        { name: 'view', run: () => copy(`select ${columns}, adjusted_close from bars_adjusted`) },
        { name: 'plain', run: () => copy(`select ${columns}, close * 0.5 as adjusted_close from read_parquet([${files}])`) },
      ],
      Math.min(contexts.options.rounds, 3),
    )
    return {
      figures: [
        compared('copy of bars_adjusted', 's', values.get('view') ?? [], 'plain COPY of the same rows and columns', values.get('plain') ?? [], {
          of: 'ratio',
          most: 1.5,
        }),
      ],
      notes: [
        `${market.universe.bars.toLocaleString('en-US')} bars to one Parquet file (zstd), from warehouse.duckdb as an analyst opens it; the plain copy multiplies by a constant`,
      ],
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
