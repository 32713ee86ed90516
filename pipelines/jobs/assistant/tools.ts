// The tools of a model: read operations of this service, and calculations with their values. No tool writes, sends, or accepts an address.
import { factsOf } from '#schemas/operations/parameters.ts'
import { type Operation, type OperationId, operationOf } from '#schemas/operations.ts'

/** Operations that a model can use, in the order in which it sees them. */
export const modelOperations: readonly OperationId[] = [
  'list_symbols',
  'get_symbol',
  'get_quotes',
  'get_eod',
  'get_chart',
  'list_corporate_actions',
  'get_fundamentals',
  'get_earnings',
  'list_earnings_calendar',
  'list_ipo_calendar',
  'list_economic_events',
  'get_analyst_recs',
  'search_filings',
  'get_filing',
  'get_filing_diff',
  'get_s1',
  'get_form4',
  'list_activist_13d',
  'list_passive_13g',
  'list_13f_managers',
  'get_13f_manager',
  'get_13f_changes',
  'get_13f_issuer',
  'run_screener',
  'list_screener_fields',
  'list_macro_countries',
  'get_macro_country',
  'get_macro_series',
  'get_withholding',
  'get_sharia_screen_all',
  'get_sharia_purification',
  'list_arb_pairs',
  'get_arb_pair',
  'list_dual_listings',
  'interpret_drill',
]
/** Parameters that a model does not need: it answers from what is known now, in JSON. */
const left = new Set(['as_of', 'release', 'receipt', 'cursor', 'format'])

type JsonSchema = { readonly [key: string]: unknown }
export type ModelTool = { readonly id: OperationId; readonly description: string; readonly input: JsonSchema }

/** The tools with their input as JSON Schema, from the table of operations. */
export function modelTools(): ModelTool[] {
  return modelOperations.map(id => {
    const operation = operationOf(id)
    return { id, description: `${operation.summary}. ${operation.method} ${operation.path}`, input: inputOf(operation) }
  })
}

function inputOf(operation: Operation): JsonSchema {
  const own = Object.entries(operation.question.shape).filter(([name]) => !left.has(name))
  const properties = Object.fromEntries(
    own.map(([name, schema]) => {
      const { wire, description } = factsOf(schema)
      const { default: _default, maximum: _maximum, ...rest } = wire
      return [name, { ...rest, description }]
    }),
  )
  const required = own.filter(([, schema]) => !schema.safeParse(undefined).success).map(([name]) => name)
  if (operation.id === 'interpret_drill') {
    const text = { type: 'string', description: 'text of the drill release, word for word', maxLength: 16_000 }
    return { type: 'object', properties: { ...properties, text }, required: [...required, 'text'], additionalProperties: false }
  }
  return { type: 'object', properties, required, additionalProperties: false }
}
