// A table as text for the drill-result interpreter: a line for each row, a tab between cells.

export type TextTable = {
  readonly id: string
  readonly page: number
  readonly title: string | null
  readonly continues: string | null
  readonly columns: readonly { readonly name: string | null }[]
  readonly rows: readonly { readonly cells: readonly (string | null)[] }[]
}
const cellText = (cell: string | null): string => (cell ?? '').replaceAll(/[\t\n|]+/g, ' ')
/** A table as text, one line per row; without the head if `head` is false. */
export function tableText(table: TextTable, head = true): string {
  const isNamed = table.columns.some(column => column.name !== null)
  const names = head && isNamed ? [table.columns.map(column => cellText(column.name))] : []
  return [...names, ...table.rows.map(row => row.cells.map(cellText))].map(row => row.join('\t')).join('\n')
}
