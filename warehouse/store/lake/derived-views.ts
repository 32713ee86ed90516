// The views of data/warehouse.duckdb that are derived from those of the datasets (`views/*.sql`), and their macros of one symbol.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { Catalogue } from './catalogue.ts'
import { currentView, historyView } from './dataset-views.ts'
import { commentDerived } from './view-comments.ts'
import { filesOfSymbol, text } from './view-files.ts'

const statementFolder = join(import.meta.dirname, 'views')

type DerivedView = { readonly name: string; readonly comment: string; readonly sql: string }

/** The derived views: `views/*.sql`, each `-- name: comment` in its first line, then one SELECT over the views. */
function readDerivedViews(): readonly DerivedView[] {
  return readdirSync(statementFolder)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => {
      const sql = readFileSync(join(statementFolder, name), 'utf8')
      const header = /^((?:--[^\n]*\n)+)/.exec(sql)?.[1] ?? ''
      const comment = header.replace(/^-- ?/gm, '').replaceAll('\n', ' ').trim()
      return {
        name: name
          .replace(/\.sql$/, '')
          .replace(/^\d+-/, '')
          .replaceAll('-', '_'),
        comment,
        sql: sql.slice(header.length).trim().replace(/;\s*$/, ''),
      }
    })
}

/** A derived view as a macro of one symbol: its datasets of that symbol alone, and the derived views that it reads. */
type MacroOfSymbol = {
  readonly view: string
  readonly datasets: readonly DatasetName[]
  readonly views: readonly string[]
  readonly order: string
  readonly comment: string
}
const macrosOfSymbol: readonly MacroOfSymbol[] = [
  {
    view: 'bars_adjusted',
    datasets: ['bars', 'bar_corrections'],
    views: ['bars_corrected', 'listing_spans', 'factor_steps'],
    order: 'date',
    comment:
      'bars_adjusted of one symbol, in order of date: it reads only the rows that it needs. bars_adjusted computes the factors of the whole market first.',
  },
  {
    view: 'dividends',
    datasets: ['bars', 'corporate_actions', 'action_verdicts'],
    views: ['listing_spans', 'factor_steps'],
    order: 'ex_date, kind, source_name',
    comment:
      'dividends of one symbol, in order of ex_date: it reads only the rows that it needs. dividends computes the factors of the whole market first.',
  },
]

/**
 * `bars_adjusted_of(of_symbol)` and `dividends_of(of_symbol)`: the statements of the view over the rows of one symbol, and over the factors
 * of the symbols that its instruments have had. A filter on the view does not reach the factors, which are computed for the whole market.
 */
function macroOfSymbol({ view, datasets, views, order }: MacroOfSymbol, derived: readonly DerivedView[], catalogue: Catalogue, data: string): string {
  const rowsOf = (name: DatasetName, own: string, history?: string): string =>
    `"${name}" as (${currentView(datasetOf(name), [], 'true', own, history)})`
  const ofSymbol = (name: DatasetName): string =>
    rowsOf(name, 'symbol = of_symbol', `(${historyView(datasetOf(name), catalogue.files.get(name) ?? [], data, filesOfSymbol)})`)
  const ofInstruments = 'symbol in (select symbol from related_symbols)'
  const statementOf = (name: string): string => {
    const found = derived.find(each => each.name === name)
    if (found === undefined) throw new TypeError(`views/: there is no ${name}.sql, which ${view}_of needs`)
    return found.sql
  }
  const parts = [
    // A superset is enough: rows of other instruments are not joined to those of the symbol.
    `related_symbols as materialized (
      select symbol from symbols_history where instrument_id in (select instrument_id from symbols_history where symbol = of_symbol)
      union select of_symbol)`,
    rowsOf('symbols', ofInstruments),
    rowsOf('adjustment_factors', ofInstruments),
    ...datasets.map(ofSymbol),
    ...views.map(name => `"${name}" as (${statementOf(name)})`),
  ]
  return `create macro ${view}_of(of_symbol) as table (with ${parts.join(', ')} select * from (${statementOf(view)}) order by ${order})`
}

/** The derived views, and those of one symbol. */
export async function createDerivedViews(connection: DuckDBConnection, catalogue: Catalogue, data: string): Promise<void> {
  const newest = (catalogue.files.get('bars') ?? []).reduce((latest, file) => ((file.time_max ?? '') > latest ? (file.time_max ?? '') : latest), '')
  await connection.run(`create macro newest_bar_date() as ${newest === '' ? 'null' : text(newest)}::date`)
  await connection.run("comment on macro newest_bar_date is 'The newest day with a row in bars_history: later actions change no close yet.'")
  const derived = readDerivedViews()
  for (const view of derived) {
    await connection.run(`create or replace view "${view.name}" as ${view.sql}`)
    await connection.run(`comment on view "${view.name}" is ${text(view.comment)}`)
    await commentDerived(connection, view.name)
  }
  for (const macro of macrosOfSymbol) {
    await connection.run(macroOfSymbol(macro, derived, catalogue, data))
    await connection.run(`comment on macro table ${macro.view}_of is ${text(macro.comment)}`)
  }
}
