// Form 13F: from the submission to typed rows, in rows a second and in memory, beside a checker of XML and a reader of others.
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Random, randomOf } from '#fixtures/world/random.ts'
import { coverXml, type HoldingLine, type HoldingsForm, tableXml } from '#fixtures/world/render/holdings.ts'
import { cusipCheckDigit } from '#schemas/cusip.ts'
import type { ReleaseContexts } from './contexts.ts'
import { compared, type Figure, figure, interleave, type Report } from './measure.ts'
import { installed, pinned, residentMemory, startProgram } from './processes.ts'

const sizes = [5_000, 50_000] as const
/** Documents read by one process, to see whether its memory grows with their number. */
const many = 40

/** A table as the largest managers file them: ten thousand securities, several lines each for different groups of accounts. */
const linesOf = (count: number): HoldingLine[] => linesWith(randomOf(13, `13F of ${count}`), count, at => Math.floor(at / 5))

/** Lines of a table; `securityOf` gives the number of the security of a line, below 100,000. */
export function linesWith(random: Random, count: number, securityOf: (line: number) => number): HoldingLine[] {
  return Array.from({ length: count }, (_, at): HoldingLine => {
    const security = securityOf(at)
    const eight = `9${String(security).padStart(5, '0')}10`
    const shares = random.int(100, 900_000)
    return {
      issuer: `${random.pick(['AMBER', 'COBALT', 'GRANITE', 'JUNIPER', 'OSPREY'])} ${random.pick(['HLDGS', 'INDS', 'PHARMACEUTICALS', 'TECHNOLOGIES'])} ${security} INC`,
      title: random.pick(['COM', 'CL A', 'SPONSORED ADS', 'SHS']),
      cusip: `${eight}${cusipCheckDigit(eight)}`,
      value: String(shares * random.int(3, 400)),
      shares: String(shares),
      discretion: random.pick(['SOLE', 'DFND', 'OTR']),
      otherManager: random.pick(['1', '1,2', '3']),
      votes: [String(shares), '0', '0'],
      ...(random.int(0, 99) < 8 ? { putCall: random.pick(['Put', 'Call'] as const) } : {}),
    }
  })
}

/** A filing of one manager: `manager` is its number, from 0 to 9,999. */
export function submissionOf(manager: number, lines: readonly HoldingLine[]): { readonly text: string; readonly table: string } {
  const cik = `000998${String(manager).padStart(4, '0')}`
  const form: HoldingsForm = {
    form: '13F-HR',
    cik,
    name: `Bench ${manager} Asset Management LLC`,
    fileNumber: '028-99099',
    period: '2026-09-30',
    reportType: '13F HOLDINGS REPORT',
    signed: '2026-11-13',
    included: ['1', '2', '3'].map(number => ({ number, cik: `000998010${number}`, fileNumber: `028-9910${number}`, name: `Bench ${number} LLC` })),
    lines,
  }
  const table = tableXml(lines, 'ns1:').replaceAll('><', '>\n      <')
  const part = (type: string, text: string): string =>
    `<DOCUMENT>\n<TYPE>${type}\n<SEQUENCE>1\n<FILENAME>${type}.xml\n<TEXT>\n<XML>\n${text}</XML>\n</TEXT>\n</DOCUMENT>\n`
  const header = `<SEC-DOCUMENT>x\n<SEC-HEADER>x\n<ACCEPTANCE-DATETIME>20261113161500\nACCESSION NUMBER:\t\t${cik}-26-000001\nCONFORMED SUBMISSION TYPE:\t13F-HR\nCONFORMED PERIOD OF REPORT:\t20260930\nFILED AS OF DATE:\t\t20261113\n\nFILER:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\t\tBENCH ${manager} ASSET MANAGEMENT LLC\n\t\tCENTRAL INDEX KEY:\t\t${cik}\n</SEC-HEADER>\n`
  return { text: `${header}${part('13F-HR', coverXml(form))}${part('INFORMATION TABLE', table)}</SEC-DOCUMENT>\n`, table }
}

type Files = { readonly submission: string; readonly table: string; readonly bytes: number }
async function writeTable(folder: string, count: number): Promise<Files> {
  const { text, table } = submissionOf(99, linesOf(count))
  const [submission, tableFile] = [join(folder, `${count}.txt`), join(folder, `${count}.xml`)]
  await writeFile(submission, text)
  await writeFile(tableFile, table)
  return { submission, table: tableFile, bytes: Buffer.byteLength(table) }
}

const xmllint = (path: string): number => {
  const [command, args] = pinned(1, 'xmllint', ['--huge', '--stream', '--noout', path])
  const begun = performance.now()
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`xmllint: ${stderr.slice(0, 300)}`)
  return performance.now() - begun
}

/** edgartools' own reader of the table alone, timed inside Python: prints rows, seconds and the peak of memory in kilobytes. */
const pythonScript = `
import sys, time, resource
from edgar.thirteenf.parsers.infotable_xml import parse_infotable_xml
text = open(sys.argv[1], encoding='utf8').read()
begun = time.perf_counter()
rows = parse_infotable_xml(text)
print(len(rows), time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
`
const hasEdgartools = (): boolean => spawnSync('python3', ['-c', 'import edgar.thirteenf'], { encoding: 'utf8' }).status === 0
function edgartools(path: string): { readonly rowsPerSecond: number; readonly peakMb: number } {
  const [command, args] = pinned(1, 'python3', ['-c', pythonScript, path])
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`edgartools: ${stderr.slice(-300)}`)
  const [rows = 0, seconds = 1, kilobytes = 0] = stdout.trim().split(/\s+/).slice(-3).map(Number)
  return { rowsPerSecond: rows / seconds, peakMb: (kilobytes * 1024) / 1e6 }
}

export async function form13fParse(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const folder = await contexts.folder('form13f')
  const figures: Figure[] = []
  const notes: string[] = []
  const [hasXmllint, hasPython] = [installed('xmllint'), hasEdgartools()]
  for (const count of sizes) {
    const files = await writeTable(folder, count)
    const empty = join(folder, 'empty.xml')
    await writeFile(empty, '<a/>')
    const parser = await startProgram('bench/form13f-process.ts', {}, 1)
    try {
      const own = async (): Promise<number> => {
        const { ms, rows } = await parser.ask<{ ms: number; rows: number }>({ path: files.submission, times: 1 })
        if (rows !== count) throw new Error(`${rows} rows were read of ${count}`)
        return (count / ms) * 1000
      }
      await own()
      const once = residentMemory(parser.pid).peak ?? residentMemory(parser.pid).now
      for (let warm = 0; warm < 2; warm += 1) await own()
      const other = async (): Promise<number> => (count / Math.max(1, xmllint(files.table) - xmllint(empty))) * 1000
      const python = async (): Promise<number> => edgartools(files.table).rowsPerSecond
      const sides = [
        { name: 'own', run: own },
        ...(hasXmllint ? [{ name: 'xmllint', run: other }] : []),
        ...(hasPython ? [{ name: 'python', run: python }] : []),
      ]
      const values = await interleave(sides, contexts.options.rounds)
      const mine = values.get('own') ?? []
      const label = `a 13F of ${count.toLocaleString('en-US')} rows`
      const [checker, reader] = [values.get('xmllint'), values.get('python')]
      figures.push(
        checker ? compared(label, 'rows/s', mine, 'xmllint --stream --noout', checker, { of: 'ratio', least: 0.67 }) : figure(label, 'rows/s', mine),
      )
      if (reader) figures.push(compared(`${label}, against edgartools`, 'rows/s', mine, 'edgartools', reader))
      figures.push(figure(`peak memory, ${count.toLocaleString('en-US')} rows, one document`, 'MB', [once]))
      if (reader) figures.push(figure('  edgartools, the same table', 'MB', [edgartools(files.table).peakMb]))
      notes.push(`${count.toLocaleString('en-US')} rows are ${(files.bytes / 1e6).toFixed(1)} MB of XML`)
      if (count === sizes[0]) figures.push(await growth(files.submission))
    } finally {
      await parser.stop()
    }
  }
  return {
    figures,
    notes: [
      ...notes,
      'one core each; ours is the whole way from the bytes of the submission to typed rows with units, CUSIPs, managers and flags',
      'xmllint checks well-formedness of the table alone and throws the events away, edgartools reads the table alone into a data frame',
      ...(hasXmllint ? [] : ['xmllint is not installed (libxml2-utils)']),
      ...(hasPython ? [] : ['python3 cannot import edgartools: not compared']),
    ],
  }
}

/** The peak after forty documents over that after ten: one that stays near 1 means that memory does not grow with their number. */
async function growth(path: string): Promise<Figure> {
  const parser = await startProgram('bench/form13f-process.ts', {}, 1)
  try {
    const peak = (): number => residentMemory(parser.pid).peak ?? residentMemory(parser.pid).now
    await parser.ask({ path, times: many / 4 })
    const few = peak()
    await parser.ask({ path, times: many - many / 4 })
    return figure(`peak memory after ${many} documents over that after ${many / 4}`, 'times', [peak() / few], { of: 'value', most: 1.5 })
  } finally {
    await parser.stop()
  }
}
