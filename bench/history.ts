// Figures of earlier versions, kept in bench/history.json, and what became worse since. A ratio to a baseline of the same run is compared on
// any machine; a figure without one only on the same kind of machine.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Figure, Report } from './measure.ts'

const Machine = z.object({ processor: z.string(), cores: z.number() })
const Kept = z.object({ unit: z.string(), value: z.number(), ratio: z.number().nullable(), better: z.enum(['less', 'more']).nullable() })
const Entry = z.object({
  /** The version, or what was measured. */
  name: z.string(),
  measured_at: z.string(),
  machine: Machine,
  scale: z.number(),
  load_average: z.number(),
  /** By bench and label: `eod-cold: p50, all rounds`. */
  figures: z.record(z.string(), Kept),
})
const History = z.array(Entry)
export type HistoryEntry = z.infer<typeof Entry>
export type Measured = Omit<HistoryEntry, 'figures' | 'name'> & { readonly reports: readonly Report[] }

/** A change of more than this share is printed. */
const tolerated = 0.1
const historyPath = join(import.meta.dirname, 'history.json')

/** The kept entries, oldest first; none without a file. Throws if the file has another form. */
export const readHistory = (path = historyPath): HistoryEntry[] => (existsSync(path) ? History.parse(JSON.parse(readFileSync(path, 'utf8'))) : [])

/** Whether more or less of a figure is better, by its aim or its unit; null if that is unknown. */
function betterOf({ aim, unit }: Figure): 'less' | 'more' | null {
  if (aim) return aim.most === undefined ? 'more' : 'less'
  if (/\/s$/.test(unit)) return 'more'
  return ['ms', 's', 'µs', 'MB', 'KB', 'bytes'].includes(unit) ? 'less' : null
}

function figuresOf(reports: readonly Report[]): HistoryEntry['figures'] {
  const all = reports.flatMap(({ name, figures }) =>
    figures.map(each => {
      const { label, unit, value, ratio } = each
      return [`${name}: ${label}`, { unit, value: value.median, ratio: ratio?.median ?? null, better: betterOf(each) }] as const
    }),
  )
  return Object.fromEntries(all)
}

/** Adds the figures of a run under a name; figures that the name has already are replaced. */
export function withMeasured(history: readonly HistoryEntry[], name: string, { reports, ...measured }: Measured): HistoryEntry[] {
  const before = history.find(entry => entry.name === name)
  const entry = { name, ...measured, figures: { ...before?.figures, ...figuresOf(reports) } }
  return [...history.filter(each => each !== before), entry]
}

export function writeHistory(history: readonly HistoryEntry[], path = historyPath): void {
  writeFileSync(path, `${JSON.stringify(history, null, 2)}\n`)
}

/**
 * One sentence for each figure that is worse by more than a tenth than when it was last kept, and one that counts what was compared.
 * Figures of another scale are not compared.
 */
export function worseThanBefore(history: readonly HistoryEntry[], { reports, machine, scale }: Measured): string[] {
  let compared = 0
  const lines: string[] = []
  for (const [key, now] of Object.entries(figuresOf(reports))) {
    const entry = history.findLast(each => each.scale === scale && Object.hasOwn(each.figures, key))
    const before = entry?.figures[key]
    if (!entry || !before || before.better === null) continue
    const isSameMachine = entry.machine.processor === machine.processor && entry.machine.cores === machine.cores
    const pair = before.ratio !== null && now.ratio !== null ? [before.ratio, now.ratio] : isSameMachine ? [before.value, now.value] : null
    const [was, is] = pair ?? []
    if (was === undefined || is === undefined || was === 0 || Number.isNaN(is)) continue
    compared += 1
    const change = is / was - 1
    const isWorse = before.better === 'less' ? change > tolerated : change < -tolerated
    if (!isWorse) continue
    const what = before.ratio !== null && now.ratio !== null ? 'ratio' : now.unit
    lines.push(`${key}: ${shown(was)} to ${shown(is)} ${what} (${change > 0 ? '+' : ''}${Math.round(change * 100)} %) since ${entry.name}`)
  }
  return [...lines, `${compared} figures compared with earlier ones, ${lines.length} are worse by more than 10 %`]
}

const shown = (value: number): string => String(Number(value.toPrecision(3)))
