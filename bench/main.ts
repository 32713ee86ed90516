// npm run bench [-- --json] [-- --only NAME …] [-- --scale F] [-- --rounds N] [-- --seconds N] [-- --data DIR]
// Measures what the product promises, each figure beside a baseline of the same run. Never part of the tests.
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { parseArgs } from 'node:util'
import { accuracyBesidePeer } from './accuracy.ts'
import { toolCalls } from './agents.ts'
import { alertsOnRelease } from './alerts.ts'
import { arbPairs } from './arb.ts'
import { plannedAnswers } from './assistant.ts'
import { keyedRead } from './auth.ts'
import { barsAdjusted } from './bars-adjusted.ts'
import { concalls } from './concalls.ts'
import { openContexts, type ReleaseContexts } from './contexts.ts'
import { filingDiff } from './diff.ts'
import { otherEngines } from './engines.ts'
import { eodHot } from './eod.ts'
import { eodCold } from './eod-cold.ts'
import { eodDay } from './eod-day.ts'
import { exportBars } from './export.ts'
import { form4Hot, form4Parse } from './form4.ts'
import { form13fParse } from './form13f.ts'
import { form13fQuarter } from './form13f-quarter.ts'
import { readHistory, withMeasured, worseThanBefore, writeHistory } from './history.ts'
import { holders } from './holders.ts'
import { indexYear, ingestForm4 } from './ingest.ts'
import { logins } from './logins.ts'
import { isMet, printReport, type Report } from './measure.ts'
import { nightlyModels } from './models.ts'
import { pdfDocuments } from './pdf.ts'
import { quotes30 } from './quotes.ts'
import { receiptsAndLog } from './receipts.ts'
import { reportItems } from './reports.ts'
import { restatement } from './restatement.ts'
import { screens51k } from './screener.ts'
import { search } from './search.ts'
import { idle, memory, startUp } from './service.ts'
import { symbolsDay } from './symbols.ts'

type Bench = { readonly title: string; readonly run: (contexts: ReleaseContexts) => Promise<Pick<Report, 'figures' | 'notes'>> }
const benches: Readonly<Record<string, Bench>> = {
  'eod-hot': { title: 'end-of-day bars of one symbol, asked again', run: eodHot },
  'eod-cold': { title: 'end-of-day bars of random symbols, each asked once', run: eodCold },
  'form4-hot': { title: "an issuer's Form 4 transactions, read with a key", run: form4Hot },
  auth: { title: 'a page read with a key, beside the same page without authentication and limiting', run: keyedRead },
  'form4-parse': { title: 'Forms 3, 4 and 5 from XML to records', run: form4Parse },
  'form13f-parse': { title: 'Form 13F from the submission to records', run: form13fParse },
  'form13f-quarter': { title: 'a quarter of 13F filings, from stored to committed', run: form13fQuarter },
  holders: { title: 'all holders of a widely held security in a quarter of 13F filings', run: holders },
  'filing-diff': { title: 'risk factors of two 10-Ks, from their pages to every changed word', run: filingDiff },
  'ingest-form4': { title: 'Forms 3, 4 and 5 from a local EDGAR into the lake', run: ingestForm4 },
  'index-year': { title: "a year of EDGAR's index into the lake", run: indexYear },
  'concalls-search': { title: 'calls searched by words and phrases', run: concalls },
  'filings-search': { title: 'a year of filings, searched by words, form and day', run: search },
  'report-items': { title: 'the items of a 3 MB annual report, located', run: reportItems },
  pdf: { title: 'PDF documents, read with text and tables', run: pdfDocuments },
  export: { title: 'all bars with adjusted_close into one Parquet file', run: exportBars },
  engines: { title: 'adjusted prices of the whole market, in ClickHouse and Spark too', run: otherEngines },
  'bars-adjusted': { title: 'adjusted closes of one symbol in warehouse.duckdb', run: barsAdjusted },
  'eod-day': { title: 'a day of the whole market, until it is served', run: eodDay },
  quotes: { title: 'a batch of 30 quotes of random symbols, each asked once', run: quotes30 },
  screener: { title: 'a screen over 51,000 listings', run: screens51k },
  models: { title: 'the nightly models', run: nightlyModels },
  symbols: { title: 'every listing in one commit, and the days after it', run: symbolsDay },
  restatement: { title: 'one split, until the new answer is served', run: restatement },
  'arb-pairs': { title: 'all 59 arbitrage pairs, recomputed', run: arbPairs },
  alerts: { title: '100,000 alerts evaluated on a release', run: alertsOnRelease },
  assistant: { title: 'a question answered by rules, with its claims', run: plannedAnswers },
  accuracy: { title: 'facts of the recorded filings, beside edgartools', run: accuracyBesidePeer },
  mcp: { title: 'a tool call of an agent, beside the same operation over HTTP', run: toolCalls },
  logins: { title: 'sign-ins, and what other requests feel of them', run: logins },
  receipts: { title: 'receipts signed and verified, and a log of ten million', run: receiptsAndLog },
  'start-up': { title: 'npm start until it is ready', run: startUp },
  idle: { title: 'memory and processor time while no client uses the service', run: idle },
  rss: { title: 'resident memory of API and worker', run: memory },
}

const help = `npm run bench [-- options]
  --only NAME    one bench; may be repeated: ${Object.keys(benches).join(', ')}
  --scale F      size of the generated market, 1 = 51,000 symbols x 2,500 bars (default 0.1; 1 takes a quarter of an hour and 10 GB while it is made)
  --rounds N     rounds of each comparison (default 5)
  --seconds N    length of a round of load (default 1; loads take three times as many rounds)
  --data DIR     make the market there and keep it for the next run (default: a temporary folder that is removed)
  --keep NAME    write the figures into bench/history.json under this name, a version; later runs are compared with the newest that is kept
  --json         one JSON object instead of the table
`

async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string', multiple: true },
      scale: { type: 'string', default: '0.1' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '1' },
      data: { type: 'string' },
      keep: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const chosen = values.only ?? Object.keys(benches)
  const unknown = chosen.filter(name => !Object.hasOwn(benches, name))
  const [scale, rounds, seconds] = [Number(values.scale), Number(values.rounds), Number(values.seconds)]
  if (unknown.length > 0 || !(scale > 0 && scale <= 4) || !(Number.isInteger(rounds) && rounds > 0) || !(Number.isInteger(seconds) && seconds > 0)) {
    process.stderr.write(
      unknown.length > 0
        ? `bench: there is no ${unknown.join(', ')}\n${help}`
        : `bench: --scale, --rounds and --seconds are positive numbers\n${help}`,
    )
    return 2
  }
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  const print = (line: string): void => void (values.json || process.stdout.write(`${line}\n`))
  const machine = {
    system: `${type()} ${release()}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 1e9),
    node: process.version,
  }
  print(
    `${machine.system}, ${machine.cores} x ${machine.processor}, ${machine.memory_gb} GB, Node ${machine.node}; market at scale ${scale}; medians of ${rounds} rounds, in turns`,
  )
  const [load = 0] = loadavg()
  if (load > machine.cores / 2)
    say(`warning: the machine is busy (load ${load.toFixed(1)} on ${machine.cores} cores); ratios hold better than absolute figures`)
  const contexts = await openContexts({ scale, rounds, seconds, data: values.data ?? null }, say)
  const reports: Report[] = []
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void contexts.close().then(() => process.exit(130)))
  try {
    for (const name of chosen) {
      const bench = benches[name] as Bench
      say(`${name} …`)
      try {
        const outcome = await bench.run(contexts)
        reports.push({ name, title: bench.title, failed: null, ...outcome })
      } catch (error) {
        // One bench that cannot run here does not take the others' figures away.
        reports.push({ name, title: bench.title, figures: [], notes: [], failed: error instanceof Error ? error.message : String(error) })
      }
      printReport(reports.at(-1) as Report, print)
    }
  } finally {
    await contexts.close()
  }
  const short = reports.flatMap(report => report.figures.filter(each => isMet(each) === false).map(each => `${report.name}: ${each.label}`))
  const [loadNow = 0] = loadavg()
  const measured = { measured_at: new Date().toISOString(), machine, scale, load_average: loadNow, reports }
  const history = readHistory()
  const worse = worseThanBefore(history, measured)
  if (values.json) process.stdout.write(`${JSON.stringify({ ...measured, rounds, short, worse })}\n`)
  else {
    print(`\n${worse.join('\n')}`)
    const failed = reports.filter(report => report.failed !== null).map(report => report.name)
    if (failed.length > 0) print(`\nfailed, so its aims were not measured: ${failed.join(', ')}`)
    if (short.length > 0) print(`\nshort of its aim: ${short.join('; ')}`)
    const aims = reports.flatMap(report => report.figures.filter(each => each.aim !== undefined)).length
    if (failed.length === 0 && short.length === 0) print(aims === 0 ? '\nno figure of this run has an aim' : `\nevery aim was met (${aims})`)
  }
  if (values.keep !== undefined) {
    const { processor, cores: count } = machine
    writeHistory(withMeasured(history, values.keep, { ...measured, machine: { processor, cores: count } }))
  }
  return reports.some(report => report.failed !== null) ? 1 : 0
}

process.exit(await main(process.argv.slice(2)))
