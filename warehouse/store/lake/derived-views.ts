// The views of data/warehouse.duckdb that are derived from those of the datasets (`views/*.sql`), and their macros of one symbol.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { Catalogue, LakeFile } from './catalogue.ts'
import { currentView, historyView } from './dataset-views.ts'
import { createFactorRows } from './factor-rows.ts'
import { lakePath, sha256OfFile } from './open.ts'
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

/** A derived view as a macro of one symbol: its datasets of that symbol alone, and the derived views of these that it reads. */
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
    views: ['bars_corrected'],
    order: 'date',
    comment: 'bars_adjusted of one symbol, in order of date: it opens only the files that have rows of the symbol.',
  },
  {
    view: 'applied_actions',
    datasets: ['corporate_actions', 'action_verdicts', 'adjustment_factors'],
    views: [],
    order: 'ex_date, kind, sequence, source_name',
    comment: 'applied_actions of one symbol, in order of ex_date: it opens only the files that have rows of the symbol.',
  },
  {
    view: 'dividends',
    datasets: ['bars', 'corporate_actions', 'action_verdicts', 'adjustment_factors'],
    views: [],
    order: 'ex_date, kind, source_name',
    comment: 'dividends of one symbol, in order of ex_date: it opens only the files that have rows of the symbol.',
  },
]

/** `<view>_of(of_symbol)`: the statements of the view over the rows of one symbol. */
function macroOfSymbol({ view, datasets, views, order }: MacroOfSymbol, derived: readonly DerivedView[], catalogue: Catalogue, data: string): string {
  const ofSymbol = (name: DatasetName): string => {
    const history = `(${historyView(datasetOf(name), catalogue.files.get(name) ?? [], data, filesOfSymbol)})`
    return `"${name}" as (${currentView(datasetOf(name), [], 'true', 'symbol = of_symbol', history)})`
  }
  const statementOf = (name: string): string => {
    const found = derived.find(each => each.name === name)
    if (found === undefined) throw new TypeError(`views/: there is no ${name}.sql, which ${view}_of needs`)
    return found.sql
  }
  const parts = [
    'factor_steps as (select * from factor_rows where symbol = of_symbol)',
    ...datasets.map(ofSymbol),
    ...views.map(name => `"${name}" as (${statementOf(name)})`),
  ]
  return `create macro ${view}_of(of_symbol) as table (with ${parts.join(', ')} select * from (${statementOf(view)}) order by ${order})`
}

/** True if the content of every file has the SHA-256 of its name; DuckDB does not detect all damage. */
async function areWhole(data: string, files: readonly LakeFile[]): Promise<boolean> {
  for (const file of files) if ((await sha256OfFile(lakePath(data, file)).catch(() => null)) !== file.sha256) return false
  return true
}

/** The derived views, and those of one symbol, within a transaction. `previous`: the path of the file that this one replaces. */
export async function createDerivedViews(connection: DuckDBConnection, catalogue: Catalogue, data: string, previous: string): Promise<void> {
  const newest = (catalogue.files.get('bars') ?? []).reduce((latest, file) => ((file.time_max ?? '') > latest ? (file.time_max ?? '') : latest), '')
  await connection.run(`create macro newest_bar_date() as ${newest === '' ? 'null' : text(newest)}::date`)
  await connection.run("comment on macro newest_bar_date is 'The newest day with a row in bars_history: later actions change no close yet.'")
  const derived = readDerivedViews()
  // Which operators' corrections there are follows from the files of filing_corrections.
  const datasets: readonly DatasetName[] = ['symbols', 'adjustment_factors', 'filing_corrections']
  const texts = datasets.flatMap(name => [historyView(datasetOf(name), catalogue.files.get(name) ?? [], data), currentView(datasetOf(name), [])])
  for (const view of derived) {
    texts.push(view.sql)
    const isStored = view.name === 'factor_steps'
    if (isStored) {
      // A file of the lake that cannot be read would end the transaction.
      await connection.run('commit')
      const files = datasets.flatMap(name => catalogue.files.get(name) ?? [])
      await createFactorRows(connection, view.sql, [newest, ...texts], previous, () => areWhole(data, files))
      await connection.run('begin transaction')
    }
    await connection.run(`create or replace view "${view.name}" as ${isStored ? 'select * from factor_rows' : view.sql}`)
    await connection.run(`comment on view "${view.name}" is ${text(view.comment)}`)
    await commentDerived(connection, view.name)
  }
  for (const macro of macrosOfSymbol) {
    await connection.run(macroOfSymbol(macro, derived, catalogue, data))
    await connection.run(`comment on macro table ${macro.view}_of is ${text(macro.comment)}`)
  }
}
