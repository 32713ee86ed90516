// Adjusted prices of the whole market and the screener's columns of prices: ours, and the same statements in ClickHouse and Spark from the
// published tables, where Python has them.
import { spawn, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { publishLake } from '#warehouse/store/lake/publication/publish.ts'
import { lakeFolder } from '#warehouse/store/lake/verifier.ts'
import { warehouseFile } from '#warehouse/store/lake/views.ts'
import type { Market, ReleaseContexts } from './contexts.ts'
import { compared, type Figure, figure, type Report } from './measure.ts'
import { root, startProgram } from './processes.ts'

/** Seconds from the first statement to each result. */
type Seconds = { readonly bars_adjusted: number; readonly screener_prices: number }
const engines = [
  { engine: 'ClickHouse (chdb)', script: 'run_clickhouse.py', package: 'chdb', args: [] },
  { engine: 'Spark, two worker processes', script: 'run_spark.py', package: 'pyspark', args: ['local-cluster[2,1,4096]', '8'] },
] as const

async function secondsOf(script: string, args: readonly string[]): Promise<Seconds> {
  const child = spawn('python3', [join(root, 'warehouse/models/portable', script), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.on('data', text => {
    output += String(text)
  })
  child.stderr.on('data', text => {
    errors = (errors + String(text)).slice(-2_000)
  })
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}: ${errors}`)
  const { seconds } = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '{}') as { seconds: Seconds }
  return seconds
}

/** Ours: the view written to a Parquet file as an analyst does it, and the screener as the worker builds it. */
async function ownSeconds(market: Market, folder: string): Promise<Seconds> {
  const { dataFolder } = market.runtime.config
  const instance = await DuckDBInstance.create(warehouseFile(dataFolder), { access_mode: 'READ_ONLY', memory_limit: '4GB', temp_directory: folder })
  const connection = await instance.connect()
  const target = join(folder, 'own.parquet')
  const begun = performance.now()
  try {
    await connection.run(`copy (select * from bars_adjusted) to '${target.replaceAll("'", "''")}' (format parquet)`)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
  const adjusted = (performance.now() - begun) / 1000
  await rm(target)
  const worker = await startProgram('bench/models-process.ts', market.env)
  try {
    const { ms } = await worker.ask<{ ms: number }>({ build: 'screener' })
    return { bars_adjusted: adjusted, screener_prices: ms / 1000 }
  } finally {
    await worker.stop()
  }
}

export async function otherEngines(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const { postgres, tools, config } = market.runtime
  await publishLake(postgres.db, tools.writer)
  const { release } = await market.catalogue()
  const folder = await contexts.folder('engines')
  const own: Seconds[] = []
  const rounds = Math.min(contexts.options.rounds, 2)
  for (let round = 0; round < rounds; round += 1) own.push(await ownSeconds(market, folder))
  const figures: Figure[] = []
  const notes = [
    `${market.universe.bars.toLocaleString('en-US')} bars; seconds from the first statement to the written result, without the start of the engine; the screener of the other engines includes the adjusted prices that it needs, and has the columns of prices only`,
  ]
  for (const { engine, script, package: name, args } of engines) {
    if (spawnSync('python3', ['-c', `import ${name}`]).status !== 0) {
      notes.push(`python3 has no ${name}: ${engine} was not measured`)
      continue
    }
    const theirs: Seconds[] = []
    for (let round = 0; round < rounds; round += 1) {
      const out = await contexts.folder('results')
      theirs.push(await secondsOf(script, [lakeFolder(config.dataFolder), String(release), out, ...args]))
      await rm(out, { recursive: true, force: true })
    }
    for (const [result, label] of [
      ['bars_adjusted', 'all bars with adjusted prices, written to Parquet'],
      ['screener_prices', "the screener's columns of prices"],
    ] as const)
      figures.push(
        compared(
          `${label}, against ${engine}`,
          's',
          own.map(each => each[result]),
          engine,
          theirs.map(each => each[result]),
        ),
      )
  }
  if (figures.length === 0)
    figures.push(
      figure(
        'all bars with adjusted prices, written to Parquet',
        's',
        own.map(each => each.bars_adjusted),
      ),
    )
  return { figures, notes }
}
