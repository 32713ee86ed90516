// Resolves company and manager names in the arguments of a tool. One match is used and reported, several are returned as candidates, and
// none is an error.
import type { CallOperation, OperationCall, OperationOutcome } from '#schemas/operation-calls.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import type { NamedArgument as Name } from './arguments.ts'

type Ask = (call: OperationCall) => Promise<OperationOutcome>
export type Resolved =
  | { readonly kind: 'call'; readonly call: OperationCall; readonly resolved: Readonly<Record<string, string>> | null }
  | { readonly kind: 'candidates'; readonly result: Ambiguous }
export type Ambiguous = {
  readonly detail: string
  readonly code: 'ambiguous' | 'not_found'
  readonly hint: string
  readonly candidates: readonly Readonly<Record<string, unknown>>[]
}
const most = 10

/** Calls an operation without a receipt, for look-ups. */
export const lookupCall =
  (call: CallOperation, signal: AbortSignal): Ask =>
  wanted =>
    call(wanted, { signal, signed: false })

/** Replaces names by the values that they refer to. A text that is a symbol or a CIK is not changed. */
export async function resolveNames(call: OperationCall, names: readonly Name[], ask: Ask): Promise<Resolved> {
  const parameters = { ...call.parameters }
  const resolved: Record<string, string> = {}
  for (const { parameter, kind, text } of names) {
    const known = kind === 'manager' ? /^\d{1,10}$/.test(text.trim()) : parseSymbol(text) !== null || text.trim() === ''
    if (known) continue
    const found = await candidatesFor(kind, text, ask)
    const [only] = found
    if (found.length === 0) return { kind: 'candidates', result: notFound(kind, text, await nearListings(kind, text, ask)) }
    if (found.length !== 1 || !only) return { kind: 'candidates', result: ambiguous(kind, text, found) }
    parameters[parameter] = String(kind === 'manager' ? only['cik'] : only['symbol'])
    resolved[parameter] = `${text} is ${String(only[kind === 'manager' ? 'manager' : 'name'])}, ${parameters[parameter]}`
  }
  return { kind: 'call', call: { ...call, parameters }, resolved: Object.keys(resolved).length === 0 ? null : resolved }
}

/** Listings that an unknown symbol may refer to; null if there is none, or if the text was not an unknown listing. */
export async function suggest(names: readonly Name[], ask: Ask): Promise<Ambiguous | null> {
  for (const { kind, text } of names) {
    if (kind !== 'listing') continue
    const found = await candidatesFor(kind, text, ask)
    if (found.length > 0) return ambiguous(kind, text, found)
    const near = await nearListings(kind, text, ask)
    if (near.length > 0) return notFound(kind, text, near)
  }
  return null
}

type Row = Readonly<Record<string, unknown>>
/** Listings that a misspelled name may mean. They are candidates, whatever their number: none is used without being named. */
async function nearListings(kind: Name['kind'], text: string, ask: Ask): Promise<readonly Row[]> {
  if (kind === 'manager' || text.trim() === '') return []
  const outcome = await ask({ operation: 'list_symbols', parameters: { query: text.trim().slice(0, 60), match: 'near', limit: most } })
  if (!outcome.ok) return []
  const { symbols } = JSON.parse(outcome.text) as { readonly symbols: readonly Row[] }
  return symbols.map(row => pick(row, ['symbol', 'name', 'exchange', 'currency', 'type', 'matched_name']))
}

async function candidatesFor(kind: Name['kind'], text: string, ask: Ask): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const query = text.trim().slice(0, 60)
  const outcome = await ask(
    kind === 'manager'
      ? { operation: 'list_13f_managers', parameters: { q: query, limit: most } }
      : { operation: 'list_symbols', parameters: { query, limit: most } },
  )
  if (!outcome.ok) return []
  const body = JSON.parse(outcome.text) as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  const rows = (kind === 'manager' ? body['managers'] : body['symbols']) ?? []
  return rows.map(row =>
    kind === 'manager' ? pick(row, ['cik', 'manager', 'last_quarter']) : pick(row, ['symbol', 'name', 'exchange', 'currency', 'type']),
  )
}

const pick = (row: Readonly<Record<string, unknown>>, names: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(names.map(name => [name, row[name] ?? null]))

function notFound(kind: Name['kind'], text: string, candidates: Ambiguous['candidates']): Ambiguous {
  const what = kind === 'manager' ? 'manager' : 'listing'
  return {
    detail: `no ${what} is known by the name "${text.slice(0, 60)}"`,
    code: 'not_found',
    hint:
      candidates.length > 0
        ? 'the candidates have similar names: call again with the symbol of the one that is meant; ask the user if it is not clear'
        : kind === 'manager'
          ? 'view managers lists them; a CIK is taken too'
          : 'find_company searches names, misspelled ones with match near; a symbol is taken too',
    candidates,
  }
}

function ambiguous(kind: Name['kind'], text: string, candidates: Ambiguous['candidates']): Ambiguous {
  const what = kind === 'manager' ? 'manager' : 'listing'
  return {
    detail: `"${text.slice(0, 60)}" can mean ${candidates.length === most ? `${most} or more` : candidates.length} ${what}s`,
    code: 'ambiguous',
    hint: `call again with the ${kind === 'manager' ? 'cik' : 'symbol'} of one of the candidates; ask the user if it is not clear`,
    candidates,
  }
}
