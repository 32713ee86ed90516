// A table as an Arrow IPC file (Feather 2), with the facts of its answer as metadata of the schema.

import {
  Column as ArrowColumn,
  bool,
  columnFromArray,
  type DataType,
  dateDay,
  decimal,
  float64,
  int64,
  TimeUnit,
  tableFromColumns,
  tableToIPC,
  timestamp,
  utf8,
} from '@uwdata/flechette'
import { dayMs } from '#schemas/days.ts'
import type { Kind } from './columns.ts'
import { decimalPrecision, decimalScale, type Table, type TypedColumn, unscaled, type Value } from './table.ts'

const types: Readonly<Record<Kind, () => DataType>> = {
  text: utf8,
  day: dateDay,
  instant: () => timestamp(TimeUnit.MICROSECOND, 'UTC'),
  integer: int64,
  real: float64,
  decimal: () => decimal(decimalPrecision, decimalScale, 128),
  boolean: bool,
}

/** The bytes of the file. `metadata`: names and values, as text. */
export function writeArrow(table: Table, metadata: readonly (readonly [string, string])[]): Uint8Array {
  const columns = table.columns.map((column): [string, ArrowColumn<unknown>] => [
    column.name,
    table.rows === 0 ? emptyColumn(column) : arrowColumn(column),
  ])
  const arrow = tableFromColumns(columns)
  arrow.schema.metadata = new Map(metadata.map(([name, value]) => [name, value]))
  const bytes = tableToIPC(arrow, { format: 'file' })
  if (bytes === null) throw new TypeError('an Arrow file without a sink has bytes')
  return bytes
}

function arrowColumn({ kind, values }: TypedColumn): ArrowColumn<unknown> {
  // The library takes milliseconds as a number, which has no place for every microsecond: the integers are the same bytes.
  if (kind === 'instant') return new ArrowColumn([...columnFromArray([...values], int64()).data], types.instant())
  return columnFromArray(
    values.map(value => converted(kind, value)),
    types[kind](),
  )
}

/** One batch without rows: some readers refuse a file without any batch. */
function emptyColumn(column: TypedColumn): ArrowColumn<unknown> {
  const one = arrowColumn({ ...column, values: [null] })
  for (const batch of one.data) Object.assign(batch, { length: 0, nullCount: 0 })
  return new ArrowColumn([...one.data], one.type)
}

function converted(kind: Kind, value: Value): Value {
  if (kind === 'decimal' && typeof value === 'string') return unscaled(value)
  return kind === 'day' && typeof value === 'number' ? value * dayMs : value
}
