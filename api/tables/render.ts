// A finished JSON body in another format: text, workbook, Parquet or Arrow. Needs nothing but its input, so that it runs in a thread too. The
// writers of binary formats are loaded when they are used.
import type { Column } from './columns.ts'
import { type BodyRows, type Fact, factsOf, plainText, printJson, readBody } from './rows.ts'
import { buildTable, nestedOf, type Table } from './table.ts'
import { renderText, type TextFormat } from './text.ts'

type RenderedFormat = TextFormat | 'xlsx' | 'parquet' | 'arrow'
export type RenderJob = {
  readonly format: RenderedFormat
  readonly body: Uint8Array
  /** The member that holds the rows; null: the body is one row. */
  readonly main: string | null
  readonly columns: readonly Column[]
  /** `GET /api/v1/…?…`. */
  readonly question: string
  readonly summary: string
  /** `crossfile` and its version. */
  readonly createdBy: string
  readonly baseUrl: string
  readonly notes: readonly string[]
}
/** `facts`: names and texts of the scalars outside the rows. */
export type RenderedBody = { readonly bytes: Uint8Array; readonly facts: readonly { readonly name: string; readonly text: string }[] }

/** Throws TypeError for a body that is no object. */
export async function render(job: RenderJob): Promise<RenderedBody> {
  const body = readBody(job.body, job.main)
  const facts = factsOf(body)
  return { bytes: await bytesOf(job, body, facts), facts: facts.map(({ name, value }) => ({ name, text: plainText(value) })) }
}

async function bytesOf(job: RenderJob, body: BodyRows, facts: readonly Fact[]): Promise<Uint8Array> {
  const { format, main, columns } = job
  switch (format) {
    case 'xlsx': {
      const receipt = facts.find(fact => fact.name === 'receipt_id')?.value
      const { writeWorkbook } = await import('./workbook.ts')
      return await writeWorkbook(buildTable(body, columns), main ?? 'answer', {
        question: job.question,
        summary: job.summary,
        facts,
        nested: nestedOf(body, main),
        verify: typeof receipt === 'string' ? `${job.baseUrl}/api/v1/lineage/verify/${receipt}` : null,
        notes: job.notes,
      })
    }
    case 'parquet': {
      const { writeParquet } = await import('./parquet.ts')
      const table = buildTable(body, columns)
      return writeParquet(table, metadataOf(job, body, facts, table), job.createdBy)
    }
    case 'arrow': {
      const { writeArrow } = await import('./arrow.ts')
      const table = buildTable(body, columns)
      return writeArrow(table, metadataOf(job, body, facts, table))
    }
    default:
      return Buffer.from(
        renderText(
          format,
          body,
          columns.map(column => column.name),
        ),
      )
  }
}

/** Facts and nested members of the answer under `crossfile.` names; nested members as JSON. */
function metadataOf(job: RenderJob, body: BodyRows, facts: readonly Fact[], table: Table): [string, string][] {
  return [
    ['crossfile.question', job.question],
    ['crossfile.service', job.createdBy],
    ...facts.map((fact): [string, string] => [`crossfile.${fact.name}`, plainText(fact.value)]),
    ...nestedOf(body, job.main).map(([name, value]): [string, string] => [`crossfile.${name}`, printJson(value)]),
    ...(table.textColumns.length > 0 ? [['crossfile.text_columns', table.textColumns.join(',')] as [string, string]] : []),
    ...(job.notes.length > 0 ? [['crossfile.notes', job.notes.join(' ')] as [string, string]] : []),
  ]
}
