// Comments on the columns of the views in data/warehouse.duckdb.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { queryRows } from '../duckdb.ts'
import { derivedMeaning } from './view-columns.ts'
import { text } from './view-files.ts'

/** Comments on the columns of a view: those of the dataset, and for digits a reference to their column. */
export async function commentColumns(connection: DuckDBConnection, dataset: DatasetDefinition, view: string): Promise<void> {
  const isCurrent = view === dataset.name
  const statements = dataset.columns.flatMap(({ name, decimal, description }) => [
    `comment on column "${view}"."${name}" is ${text(description ?? '')}`,
    ...(isCurrent && decimal && dataset.columns.every(column => column.name !== `${name}_printed`)
      ? [`comment on column "${view}"."${name}_printed" is ${text(`the digits of ${name} as printed`)}`]
      : []),
  ])
  await connection.run(statements.join(';\n'))
}

/** Comments on the columns of a view by their names; throws what `meaning` throws for a column that it does not know. */
export async function commentEach(connection: DuckDBConnection, view: string, meaning: (column: string) => string): Promise<void> {
  const columns = await queryRows<{ name: string }>(
    connection,
    'select column_name as name from duckdb_columns() where table_name = $view order by column_index',
    { view },
  )
  await connection.run(columns.map(({ name }) => `comment on column "${view}"."${name}" is ${text(meaning(name))}`).join(';\n'))
}
/** The same of a view that is not of one dataset. */
export const commentDerived = (connection: DuckDBConnection, view: string): Promise<void> =>
  commentEach(connection, view, column => derivedMeaning(view, column))
