// Plain DuckDB as a careful analyst would use it from Node: the engine, threads and connection settings of the API, one
// hand-written statement on the Parquet files, rows fetched by column. Told what to read by messages; answers milliseconds.
import { openDuckdb } from '#warehouse/duckdb.ts'

export type Look = { readonly symbol: string; readonly files: readonly string[] }
type Ask = { readonly looks: readonly Look[] }

const [folder = '', memory = '256', threads = '1'] = process.argv.slice(2)
const instance = await openDuckdb({ memoryLimit: `${memory}MB`, threads: Number(threads), tempFolder: '', folders: [folder] })
const connection = await instance.connect()
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

process.on('message', async ({ looks }: Ask) => {
  const times: number[] = []
  let rows = 0
  for (const { symbol, files } of looks) {
    const begun = performance.now()
    const result = await connection.runAndReadAll(
      `select date, open, high, low, close, volume, currency from read_parquet([${files.map(text).join(', ')}]) where symbol = ${text(symbol)} order by date`,
    )
    rows += result.getColumns()[0]?.length ?? 0
    times.push(performance.now() - begun)
  }
  process.send?.({ ms: times, rows })
})
process.send?.({ ready: true })
process.once('SIGTERM', () => process.exit(0))
