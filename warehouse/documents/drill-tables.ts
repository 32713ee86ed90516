// Tables that read as drill results, as requests of the drill-result interpreter: the head and the rows with a tab between cells.
import { maxDrillText } from '#schemas/drill.ts'
import { type EvaluatedTree, interpretDrill } from '../rules/drill/interpret.ts'
import { drillRulesOf } from '../rulesets/drill/rules.ts'
import { type TextTable, tableText } from './table-text.ts'

export type DrillRequest = { readonly text: string; readonly deposit_type: 'default'; readonly intervals: readonly never[] }
export type DrillTable = { readonly tables: readonly string[]; readonly page: number; readonly intervals: number; readonly request: DrillRequest }

const requestOf = (text: string): DrillRequest => ({ text, deposit_type: 'default', intervals: [] })
const fits = (text: string): boolean => Buffer.byteLength(text) <= maxDrillText

/** Each table with its continuations on later pages, if the interpreter finds intervals in it. */
export function drillTablesOf(tables: readonly TextTable[]): DrillTable[] {
  const chains: TextTable[][] = []
  for (const table of tables) {
    const chain = table.continues === null ? undefined : chains.find(each => each.at(-1)?.id === table.continues)
    if (chain) chain.push(table)
    else chains.push([table])
  }
  return chains.flatMap(chain => {
    const [first] = chain
    if (!first) return []
    const title = first.title === null ? [] : [first.title]
    const text = [...title, ...chain.map((table, at) => tableText(table, at === 0))].join('\n')
    if (!fits(text)) return []
    const request = requestOf(text)
    const intervals = rowsRead(interpretDrill({ ...request, intervals: [] }, drillRulesOf(undefined)).intervals)
    return intervals === 0 ? [] : [{ tables: chain.map(each => each.id), page: first.page, intervals, request }]
  })
}
/** Intervals that come from rows of a table, parts counted too. */
const rowsRead = (trees: readonly EvaluatedTree[]): number =>
  trees.reduce((sum, tree) => sum + (tree.origin === 'table' || tree.origin === 'both' ? 1 : 0) + rowsRead(tree.parts), 0)
export const drillDocument = (text: string): DrillRequest | null => (fits(text) ? requestOf(text) : null)
