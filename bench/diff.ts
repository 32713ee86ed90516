// The risk factors of two annual reports: read, located, split and compared, as the filing diff does it.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realPresent, realText } from '#fixtures/real.ts'
import { randomOf } from '#fixtures/world/random.ts'
import { locateItems } from '#pipelines/read/reports/locate.ts'
import { itemOf } from '#pipelines/read/reports/located.ts'
import { splitFactors } from '#pipelines/read/risk-factors/split.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import { reportDiff } from '#warehouse/rules/risk-factors/report.ts'
import type { ReleaseContexts } from './contexts.ts'
import { compared, type Figure, figure, interleave, type Report } from './measure.ts'
import { installed } from './processes.ts'

type Pair = { readonly name: string; readonly company: string; readonly old: string; readonly new: string }
type Times = { read: number; locate: number; split: number; diff: number }

/** Milliseconds of reading, locating, splitting and comparing two reports. */
const aimMs = 250

function once(pair: Pair): { readonly times: Times; readonly texts: readonly [string, string]; readonly note: string } {
  const times: Times = { read: 0, locate: 0, split: 0, diff: 0 }
  const timed = <T>(part: keyof Times, work: () => T): T => {
    const begun = performance.now()
    const result = work()
    times[part] += performance.now() - begun
    return result
  }
  const sides = [pair.old, pair.new].map(source => {
    const prose = timed('read', () => readProse(source))
    const item = timed('locate', () => itemOf(locateItems(prose, '10-K'), '1A'))
    if (item?.status !== 'full') throw new Error(`${pair.name}: its risk factors are ${item?.status ?? 'not found'}`)
    const { factors } = timed('split', () => splitFactors(prose, { start: item.headingEnd, end: item.end }))
    return { factors, text: prose.text.slice(item.start, item.end), words: item.words }
  })
  const [old, recent] = sides as [(typeof sides)[0], (typeof sides)[0]]
  const filed = (side: typeof old, accession: string) => ({ cik: '0000000001', accession, company: pair.company, factors: side.factors })
  const { changes } = timed('diff', () =>
    reportDiff({ chain: [filed(old, 'old'), filed(recent, 'new')], old: 0, new: 1, oldText: old.text, newText: recent.text, ids: true }),
  )
  const megabytes = (pair.old.length + pair.new.length) / 1e6
  const note = `${pair.name}: ${megabytes.toFixed(1)} MB together, sections of ${old.words} and ${recent.words} words, ${old.factors.length} and ${recent.factors.length} factors, ${changes.filter(change => change.class !== 'unchanged').length} changes`
  return { times, texts: [old.text, recent.text], note }
}

const total = (times: Times): number => times.read + times.locate + times.split + times.diff

export async function filingDiff(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const figures: Figure[] = []
  const notes: string[] = []
  const folder = await mkdtemp(join(tmpdir(), 'crossfile-bench-diff-'))
  try {
    for (const pair of pairs()) {
      const warm = [once(pair), once(pair), once(pair)].at(-1) as ReturnType<typeof once>
      notes.push(warm.note)
      const files = [join(folder, 'old.txt'), join(folder, 'new.txt')]
      await Promise.all(files.map((file, at) => writeFile(file, warm.texts[at] as string)))
      const parts: Times[] = []
      const processor: number[] = []
      const own = async (): Promise<number> => {
        const before = process.cpuUsage()
        const { times } = once(pair)
        const used = process.cpuUsage(before)
        processor.push((used.user + used.system) / 1000)
        parts.push(times)
        return times.diff
      }
      const git = async (): Promise<number> => {
        const begun = performance.now()
        spawnSync('git', ['diff', '--no-index', '--no-color', '--word-diff=porcelain', ...files], { maxBuffer: 1 << 28 })
        return performance.now() - begun
      }
      const values = await interleave([{ name: 'own', run: own }, ...(installed('git') ? [{ name: 'git', run: git }] : [])], contexts.options.rounds)
      const theirs = values.get('git')
      const label = `${pair.name}: classes, hunks and figures`
      figures.push(
        figure(`${pair.name}: all of it`, 'ms', parts.map(total), { of: 'value', most: aimMs }),
        figure(`${pair.name}: all of it, processor time`, 'ms', processor),
        figure(
          `${pair.name}: reading both pages`,
          'ms',
          parts.map(part => part.read),
        ),
        figure(
          `${pair.name}: locating and splitting`,
          'ms',
          parts.map(part => part.locate + part.split),
        ),
        theirs ? compared(label, 'ms', values.get('own') ?? [], 'git diff --word-diff', theirs) : figure(label, 'ms', values.get('own') ?? []),
      )
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  return {
    figures,
    notes: [
      ...notes,
      'git diff --word-diff is given the two sections as text, its start of about 3 ms included; it marks words and knows no factors',
      ...(realPresent ? [] : ['the recorded reports are not on this machine: the generated pair stands alone']),
    ],
  }
}

function pairs(): Pair[] {
  const recorded = (name: string, company: string, old: string, recent: string): Pair[] =>
    realPresent ? [{ name, company, old: realText(`edgar/tenk/${old}`), new: realText(`edgar/tenk/${recent}`) }] : []
  return [
    ...recorded('META 2023-2024', 'Meta Platforms, Inc.', 'meta-10k-fy2023.html.gz', 'meta-10k-fy2024.html.gz'),
    ...recorded('NVDA 2024-2025', 'NVIDIA CORP', 'nvda-10k-fy2024.html.gz', 'nvda-10k-fy2025.html.gz'),
    { name: 'generated', company: 'NORTHFERRY STORAGE CORP', old: generated(2024), new: generated(2025) },
  ]
}

/** A 10-K of 3 MB: sixty risk factors of 500 words, of which the next year's report changes a third, and tables as filers write them. */
function generated(year: number): string {
  const paragraph = (name: string, count: number): string => {
    const random = randomOf(7, name)
    return Array.from({ length: count }, () => random.pick(vocabulary)).join(' ')
  }
  const factor = (at: number): string => {
    const changed = year === 2025 && at % 3 === 0 ? ` ${paragraph(`change ${at}`, 40)}.` : ''
    const body = [0, 1, 2, 3, 4].map(
      part => `<p style="font-size:10pt">In fiscal ${year} ${paragraph(`factor ${at} ${part}`, 100)}.${part === 2 ? changed : ''}</p>`,
    )
    return `<p style="font-size:10pt;font-weight:bold">${paragraph(`heading ${at}`, 14)} may harm us.</p>${body.join('\n')}`
  }
  const row =
    '<tr><td style="padding:2px 1pt;text-align:left;vertical-align:bottom"><span style="font-size:9pt">Revenue</span></td><td style="padding:2px 1pt;text-align:right"><span style="font-size:9pt">1,234</span></td></tr>\n'
  const head = `<html><body><p style="font-weight:bold">FORM 10-K</p>\n<p style="font-weight:bold">Item 1A. Risk Factors</p>\n${Array.from({ length: 60 }, (_, at) => factor(at)).join('\n')}\n<p style="font-weight:bold">Item 1B. Unresolved Staff Comments</p><p>None.</p>\n<p style="font-weight:bold">Item 8. Financial Statements</p>\n<table>`
  return `${head}${row.repeat(Math.ceil((3_000_000 - head.length) / row.length))}</table></body></html>`
}
const vocabulary =
  'our business customers may could harm results supply plant battery tariff law regulator claim cost price demand loss insurer flood engineer contract term loan lender currency market share order delay system attack data privacy tax rate product quality recall partner'.split(
    ' ',
  )
