// A table as a Parquet file, with the facts of its answer as key-value metadata.
import { ByteWriter, parquetWrite } from 'hyparquet-writer'
import type { Kind } from './columns.ts'
import { decimalPrecision, decimalScale, type Table, type TypedColumn, unscaled, type Value } from './table.ts'

type SchemaElement = NonNullable<Parameters<typeof parquetWrite>[0]['schema']>[number]

const elements: Readonly<Record<Kind, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  day: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  instant: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  integer: { type: 'INT64' },
  real: { type: 'DOUBLE' },
  // 16 bytes hold 38 digits.
  decimal: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    scale: decimalScale,
    precision: decimalPrecision,
    logical_type: { type: 'DECIMAL', scale: decimalScale, precision: decimalPrecision },
  },
  boolean: { type: 'BOOLEAN' },
}
const rowsPerGroup = 100_000

/** The bytes of the file. `metadata`: names and values, as text. */
export function writeParquet(table: Table, metadata: readonly (readonly [string, string])[], createdBy: string): Uint8Array {
  const writer = new ByteWriter()
  parquetWrite({
    writer,
    columnData: table.columns.map(column => ({ name: column.name, data: column.values.map(value => physical(column, value)) })),
    schema: [
      { name: 'root', num_children: table.columns.length },
      ...table.columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[kind] })),
    ],
    rowGroupSize: rowsPerGroup,
    kvMetadata: metadata.map(([key, value]) => ({ key, value })),
    createdBy,
  })
  return new Uint8Array(writer.getBuffer())
}

const physical = ({ kind }: TypedColumn, value: Value): Value => (kind === 'decimal' && typeof value === 'string' ? unscaled(value) : value)
