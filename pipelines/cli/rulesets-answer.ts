// `crossfile rulesets answer`: answers a stored request with other editions of its ruleset, and lists what changes in the answer.
import { readFileSync } from 'node:fs'
import { ReceiptId } from '#schemas/answer.ts'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import { answerUnder, type Compared, readStoredRequest, type StoredRequest } from '#warehouse/answers/under-ruleset.ts'
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import { readArguments } from './arguments.ts'
import { printChanges } from './changes.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { heading, paragraph, printJson, some } from './output.ts'
import { withContext } from './warehouse-contexts.ts'

/** A request, and if it was signed, the release and the instant of its answer. */
type Query = { readonly request: StoredRequest; readonly signed: { readonly release: number; readonly as_of: string } | null }

export async function rulesetsAnswer(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('rulesets answer', commands['rulesets answer'].options, argv, { most: 1, what: 'REQUEST' })
  const name = rest[0] ?? '-'
  const requested = ReceiptId.safeParse(name).success ? await requestOfReceipt(io, name) : { request: readStoredRequest(jsonOf(name)), signed: null }
  const compared = await compare(io, requested, values.ruleset)
  if (values.json) printJson(io, { operation: requested.request.operation.id, question: requested.request.question, ...compared })
  else print(io, requested.request, compared)
  return compared.others.some(other => other.error !== null) ? 1 : 0
}

/** A file with a request, or standard input for `-`. */
function jsonOf(path: string): unknown {
  if (path === '-' && process.stdin.isTTY)
    throw new BadRequest('rulesets answer: REQUEST is missing', {
      hint: 'a JSON file, - for standard input, or a receipt id; crossfile help rulesets answer',
    })
  let text: string
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (cause) {
    throw new BadRequest(`rulesets answer: ${path === '-' ? 'standard input' : path} cannot be read`, {
      cause,
      hint: 'a JSON file, -, or a receipt id r1_…',
    })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BadRequest(`rulesets answer: ${path === '-' ? 'standard input' : path} is not JSON`, {
      cause,
      hint: 'an object such as {"operation": "get_withholding", "question": {"account_type": "tfsa"}}',
    })
  }
}

/** The request that a receipt of this installation names. Of a posted body only the hash is stored. */
async function requestOfReceipt(io: Io, id: string): Promise<Query> {
  const [{ getReceipt }, { parseCanonical }, { checkStatement, questionOf }] = await Promise.all([
    import('#warehouse/store/receipts/store.ts'),
    import('#warehouse/store/receipts/canonical.ts'),
    import('#warehouse/store/receipts/statement.ts'),
  ])
  const receipt = await withDatabase(io, { write: false }, ({ db }) => getReceipt(db, id))
  const parsed = parseCanonical(receipt.statement_bytes, 'statement')
  if ('fault' in parsed) throw new BadRequest(`receipt ${id}: its statement is ${parsed.fault}`)
  const statement = checkStatement(parsed.value)
  const { operation, parameters } = questionOf(statement)
  if ('input_sha256' in parameters)
    throw new BadRequest(`receipt ${id}: only the SHA-256 of the posted body is stored, not its text`, {
      hint: 'put the request into a JSON file {"operation", "question", "body"} and pass its path',
    })
  const { release, as_of } = statement.predicate
  return { request: readStoredRequest({ operation, question: parameters }), signed: { release, as_of } }
}

/** The lake is opened only if the operation needs it, at the release of the receipt or the newest. */
async function compare(io: Io, { request, signed }: Query, ruleset: string | undefined): Promise<Compared> {
  if (request.operation.served_from !== 'lake') return await answerUnder(request, ruleset, noLake)
  const answer = (context: ReleaseContext | null, now: Date): Promise<Compared> =>
    answerUnder(request, ruleset, async () => {
      if (context === null) throw new Upstream('no data is loaded yet', { hint: 'npm start creates it; CROSSFILE_DATA names another data folder' })
      return { context, now: signed?.as_of ?? now.toISOString() }
    })
  return await withContext(io, answer, { release: signed?.release, asOf: request.question['as_of'] })
}
const noLake = (): never => {
  throw new TypeError('this operation reads no lake')
}

function print(io: Io, request: StoredRequest, { ruleset, others }: Compared): void {
  const requested = Object.entries(request.question).map(([name, value]) => `${name}=${value}`)
  for (const line of paragraph(io, `${request.operation.id} ${requested.join(' ')}`, '', '  ')) io.out(line)
  if (others.length === 0) io.out(`${ruleset} is its only edition: there is nothing to compare`)
  for (const other of others) {
    io.out('')
    const outcome = other.error ?? (other.changes.length === 0 ? 'the same answer' : some(other.changes.length, 'change'))
    for (const line of paragraph(io, `${ruleset} -> ${other.ruleset}: ${outcome}`, '', '  ')) io.out(heading(io, line))
    printChanges(io, other.changes)
  }
}
