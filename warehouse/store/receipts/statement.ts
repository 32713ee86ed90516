// Builds the statement that is signed, from a request and its answer. It does not contain the caller, the time of the request, the plan or
// the locale: the same request to the same release gets the same bytes, the same id and the same signature.
import { createHash } from 'node:crypto'
import { Broken } from '#schemas/errors.ts'
import { MAX_LISTED_SOURCES, PREDICATE_TYPE, type ReceiptSource, type ReproductionLevel, STATEMENT_TYPE, Statement } from '#schemas/receipts.ts'
import { canonicalText } from './canonical.ts'

export type StatementInput = {
  /** The request in its canonical form (`canonicalName` of schemas/operations/canonical.ts): `GET /api/v1/data/form4?since=…&ticker=…`. */
  readonly name: string
  readonly release: number
  readonly manifest_sha256?: string
  /** Commit time of the release, or the explicit `as_of`; never the time of the request. */
  readonly as_of: string
  readonly sources: readonly ReceiptSource[]
  /** Versioned names of the answer's schema and of the code that computed it: a bug fix is a new version. */
  readonly schema: string
  readonly transform: string
  /** The inputs of a reproduction. */
  readonly reproduction?: ReproductionLevel
  /** The exact body bytes without the member `receipt_id`. */
  readonly payload: Uint8Array
  readonly media_type?: string
}

// They select a rendering, or a release that the predicate states anyway: the payload is the same with and without them.
const RENDERING = new Set(['format', 'receipt', 'release'])
const CREDENTIAL = /^(api[-_]?(key|token)|access[-_]?token|token|key|auth|authorization|secret|password|session[-_]?id|user([-_]?id)?)$/i
const TICKERS = new Set(['ticker', 'tickers', 'symbol', 'symbols'])

/** `name` if it is canonical: parameters sorted, each once, strictly encoded, without data of the caller. Else `Broken`. */
export function checkName(name: string): string {
  const [path = '', query] = split(name)
  if (!/^(GET|POST) \/[!-~]*$/.test(name) || name.includes('#')) throw new Broken(`receipt: "${name.slice(0, 64)}" is not a method and a path`)
  let previous = ''
  for (const pair of query === undefined ? [] : query.split('&')) {
    const [key = '', value] = split(pair, '=')
    if (key === '' || value === undefined) throw new Broken(`receipt: ${path} has a parameter without name or value`)
    if (key <= previous) throw new Broken(`receipt: ${path} has parameter ${key} twice or after ${previous}`)
    if (RENDERING.has(key)) throw new Broken(`receipt: parameter ${key} chooses a rendering and is never signed`)
    if (CREDENTIAL.test(key)) throw new Broken(`receipt: parameter ${key} belongs to the caller and is never signed`)
    if (!pair.split(/[=,]/).every(isStrictlyEncoded)) throw new Broken(`receipt: parameter ${key} of ${path} is not strictly percent-encoded`)
    if (TICKERS.has(key) && value !== value.toUpperCase()) throw new Broken(`receipt: parameter ${key} of ${path} is not upper-case`)
    previous = key
  }
  return name
}

function isStrictlyEncoded(part: string): boolean {
  try {
    return encodeURIComponent(decodeURIComponent(part)) === part
  } catch {
    return false // a percent sign without an encoding
  }
}

function split(text: string, mark = '?'): [string, string?] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

export type Question = {
  /** Method and concrete path. */
  readonly operation: string
  readonly parameters: Readonly<Record<string, string>>
  /** The parameters as in the URL: `since=2024-01-01&ticker=MRVL`, or nothing. */
  readonly query: string
}

/** The request of a signed statement, with its parameters as text: a reproduction repeats it. */
export function questionOf(statement: Statement): Question {
  const [operation, query = ''] = split(statement.subject[0]?.name ?? '')
  const parameters = new Map<string, string>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const [key, value = ''] = split(pair, '=')
    parameters.set(decodeURIComponent(key), decodeURIComponent(value))
  }
  return { operation, parameters: Object.fromEntries(parameters), query }
}

/** The statement about one answer, validated against its schema; `Broken` names what does not fit. */
export function buildStatement(input: StatementInput): Statement {
  const statement = {
    _type: STATEMENT_TYPE,
    subject: [{ name: checkName(input.name), digest: { sha256: sha256Hex(input.payload) } }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      v: 1,
      release: input.release,
      ...(input.manifest_sha256 === undefined ? {} : { manifest_sha256: input.manifest_sha256 }),
      as_of: input.as_of,
      ...sourcesPart(input.sources),
      schema: input.schema,
      transform: input.transform,
      ...(input.reproduction === undefined ? {} : { reproduction: input.reproduction }),
      payload: { bytes: input.payload.byteLength, media_type: input.media_type ?? 'application/json' },
    },
  }
  return checkStatement(statement)
}

/** `value` as a statement, else `Broken`. */
export function checkStatement(value: unknown): Statement {
  const checked = Statement.safeParse(value)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0]
  throw new Broken(`receipt statement ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'does not fit its schema'}`)
}

/** Sources in the order in which they are signed (by canonical text), each once. */
export function sortedSources(sources: readonly ReceiptSource[]): ReceiptSource[] {
  const byText = new Map(
    sources.map(source => {
      const checked = checkSource(source)
      return [canonicalText(checked, 'statement'), checked]
    }),
  )
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, source]) => source)
}

/** Above 256 sources: how many, and SHA-256 over the canonical JSON of the sorted list, so that any copy of the list can be checked. */
function sourcesPart(sources: readonly ReceiptSource[]) {
  const sorted = sortedSources(sources)
  if (sorted.length <= MAX_LISTED_SOURCES) return { sources: sorted }
  return { sources_count: sorted.length, sources_sha256: sha256Hex(Buffer.from(canonicalText(sorted, 'statement'), 'utf8')) }
}

/** Receipts are permanently public: the key of a source in an address must never reach one. */
function checkSource(source: ReceiptSource): ReceiptSource {
  if (source.url === undefined) {
    const { url: _absent, ...rest } = source
    return rest
  }
  const name = 'accession' in source ? source.accession : source.source
  if (!URL.canParse(source.url)) throw new Broken(`receipt source ${name}: its url is not a web address`)
  const url = new URL(source.url)
  const secret = [...url.searchParams.keys()].find(key => CREDENTIAL.test(key))
  if (url.username !== '' || url.password !== '' || secret !== undefined) {
    throw new Broken(`receipt source ${name}: its url carries a credential (${secret ?? 'user and password'})`, {
      hint: 'give the address without it',
    })
  }
  return source
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** Base32 of RFC 4648 section 6 in lower case, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31]
}

/** The id of a statement: a content address that does not depend on a key. 55 characters, safe in any spreadsheet. */
export function receiptId(statement: Uint8Array): string {
  return `r1_${base32(createHash('sha256').update(statement).digest())}`
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
