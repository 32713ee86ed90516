// Plain DuckDB as a careful analyst would use it from Node: the engine, threads and connection settings of the API, one
// hand-written statement on the Parquet files for the bars and one for the adjustment factors, rows fetched by column. Told what
// to read by messages; answers milliseconds of the first, and of both.
import { openDuckdb } from '#warehouse/store/duckdb.ts'

export type Look = { readonly symbol: string; readonly files: readonly string[]; readonly factorFiles: readonly string[] }
type Ask = { readonly looks: readonly Look[] }

const [folder = '', memory = '256', threads = '1'] = process.argv.slice(2)
const instance = await openDuckdb({ memoryLimit: `${memory}MB`, threads: Number(threads), tempFolder: '', folders: [folder] })
const connection = await instance.connect()
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

process.on('message', async ({ looks }: Ask) => {
  const times: number[] = []
  const timesWithFactors: number[] = []
  let rows = 0
  for (const { symbol, files, factorFiles } of looks) {
    const begun = performance.now()
    const bars = await connection.runAndReadAll(
      `select date, open, high, low, close, volume, currency from read_parquet([${files.map(text).join(', ')}]) where symbol = ${text(symbol)} order by date`,
    )
    rows += bars.getColumns()[0]?.length ?? 0
    times.push(performance.now() - begun)
    const factors =
      factorFiles.length === 0
        ? null
        : await connection.runAndReadAll(
            `select ex_date, split_numerator, split_denominator, cash_amount, price_factor from read_parquet([${factorFiles.map(text).join(', ')}]) where symbol = ${text(symbol)} order by ex_date`,
          )
    rows += factors?.getColumns()[0]?.length ?? 0
    timesWithFactors.push(performance.now() - begun)
  }
  process.send?.({ ms: times, withFactors: timesWithFactors, rows })
})
process.send?.({ ready: true })
process.once('SIGTERM', () => process.exit(0))
