// One row of the table of operations. Routes, limits, caching, OpenAPI, the catalogue and agent tools are made from it.
import { z } from 'zod'
import type { LimitClass, Tier } from '../plans.ts'
import { exampleAnswers } from './examples.ts'
import { flag, integer, moment } from './parameters.ts'

/** The specification's nine tags. */
export const tags = [
  'Reference',
  'Prices',
  'Fundamentals',
  'Calendars',
  'Macro',
  'Screening',
  'Developer Data API',
  'Sharia screening',
  'Status',
] as const
/** Tags that only the full description has. */
export const areas = [
  'Compliance',
  'Documents',
  'Transcripts',
  'Daily updates',
  'Expert reviews',
  'Account',
  'Keys',
  'Alerts',
  'Watchlist',
  'Portfolio',
  'Push',
  'Billing',
  'Assistant',
  'Referral',
  'Privacy',
  'Observability',
  'Admin',
  'Agents',
  'Pages',
] as const
export type Tag = (typeof tags)[number] | (typeof areas)[number]

/**
 * `public` no credential; `session` session or API key; `key` API key; `user` the session of a signed-in user, never a key; `admin` the
 * session of an administrator; `agent` an API key in a header, with the tier and a scope listed in `agent`.
 */
export const accesses = ['public', 'session', 'key', 'user', 'admin', 'agent'] as const
export type Access = (typeof accesses)[number]
/** What a key may be used for; `data:read` reads every operation, `market:read` those of access `session`. */
export const scopes = ['data:read', 'market:read', 'mcp:research', 'mcp:mineral'] as const
export type Scope = (typeof scopes)[number]

type ServedFrom = 'process' | 'page' | 'lake' | 'pg' | 'file' | 'pure'

/**
 * How long clients and this service may cache an answer. `live`: not at all; `quotes`: seconds; `history`: minutes, until the
 * next release; `steady`: does not depend on a release (plans, descriptions, keys); `file`: content-addressed, indefinitely.
 */
export type CacheClass = 'live' | 'quotes' | 'history' | 'steady' | 'file'

/** A part of the sort key in a cursor. `instant`: a moment within the supported days; `day`; `count`: a whole number from 0; `text`: any text. */
export type KeyPart = 'instant' | 'day' | 'count' | 'text'

/** One use of an operation by a tool of the agent endpoints (schemas/agent-tools.ts describes the tools). */
export type AgentUse = {
  readonly endpoint: 'research' | 'mineral'
  readonly tool: string
  /** The value of the argument `view` that chooses it. Without the argument it is the first view that takes the arguments given. */
  readonly view: string
  /** Parameters of the operation or members of its body. `manager=cik` offers the parameter `cik` under the name `manager`. */
  readonly takes: readonly string[]
  /** Values of parameters that the agent leaves out: lists are shorter here than over HTTP. */
  readonly defaults?: Readonly<Record<string, string | number>>
  /** Members of the answer that are returned unless `fields` asks for others; absent: all. */
  readonly fields?: readonly string[]
}

type UseOf = (tool: string, view: string, takes: readonly string[], more?: Pick<AgentUse, 'defaults' | 'fields'>) => AgentUse
/** A use by a tool of the research endpoint. */
export const research: UseOf = (tool, view, takes, more) => ({ endpoint: 'research', tool, view, takes, ...more })
/** A use by a tool of the mineral endpoint. */
export const mineral: UseOf = (tool, view, takes, more) => ({ endpoint: 'mineral', tool, view, takes, ...more })

export type Question = z.ZodObject<Readonly<Record<string, z.ZodType>>>
export type Operation<Id extends string = string, Q extends Question = Question, A extends z.ZodType | null = z.ZodType | null> = {
  readonly id: Id
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** OpenAPI form: `/api/v1/market/eod/{symbol}`. */
  readonly path: string
  /** The last parameter of the path takes the rest of it, slashes included; null: a parameter ends at the next slash. */
  readonly rest: string | null
  readonly tag: Tag
  readonly access: Access
  /** Counted among the 52 of the curated public description. */
  readonly curated: boolean
  readonly summary: string
  readonly description: string
  /** Parameters of path and query, built from `parameters.ts`. */
  readonly question: Q
  readonly body: z.ZodType | null
  /** Accepted media types of the body; JSON only by default. */
  readonly body_media: readonly string[]
  /** The handler gets the body's text as received (`Context.body`), because a signature covers its bytes. */
  readonly raw_body: boolean
  /** Numbers of the body keep the digits that were sent; its schema reads them with `exactNumber`. */
  readonly exact_numbers: boolean
  /** Requests from pages of other sites are accepted: reports that browsers send automatically, calls of other servers. */
  readonly cross_site: boolean
  /** For access `agent`: any one of `scopes` suffices; `lowest_tier` is the minimum tier of the key. The first scope is the one to request. */
  readonly agent: { readonly scopes: readonly Scope[]; readonly lowest_tier: Tier } | null
  /** A GET with side effects: refused from pages of other sites, like every other method. */
  readonly effects: boolean
  /** Available to a user whose erasure is queued. */
  readonly while_leaving: boolean
  /** Maximum body size. */
  readonly body_bytes: number
  /** The status of a successful response. */
  readonly success: 200 | 201 | 202 | 204 | 303
  /** The JSON body of that status; null if the response is not JSON. */
  readonly answer: A
  readonly media_type: string
  /** The member whose items become rows in csv, excel and ndjson; null: the object itself is the one row. */
  readonly rows: string | null
  /** Takes as_of, release, receipt and format. */
  readonly data: boolean
  readonly served_from: ServedFrom
  readonly limit_class: LimitClass
  /** Units of the rate limit that one request costs; 0 is not counted. */
  readonly cost: number
  readonly cache: CacheClass
  /** Milliseconds for which this process may repeat an answer of the current release; null: until the next release. */
  readonly repeat_ms: number | null
  readonly freshness: string
  /** What the sort key in its cursors holds; null: it has no cursor, or compares keys in memory, where every value has a place in the order. */
  readonly cursor_key: readonly KeyPart[] | null
  /** Reads Idempotency-Key: a repeated request with the same key gets the first answer again for a day. Only such an operation answers 409. */
  readonly idempotency_key: boolean
  /** Can answer 404: a resource of the request, or the release of the request or its cursor, may not exist. */
  readonly can_be_missing: boolean
  /** Can answer 503: it reads the database or the lake, or it checks a key or a session in the database. */
  readonly can_be_unavailable: boolean
  /** Answers other than `success`: forms of pages answer 200 with the page again if a field is wrong, or 303 to another page. */
  readonly other_successes: readonly (readonly [status: number, description: string])[]
  /** A POST that computes an answer from its body and changes nothing, so that agents and the assistant may call it. */
  readonly calculates: boolean
  /** The tools of the agent endpoints that offer it. */
  readonly agents: readonly AgentUse[]
  /**
   * Members of its answer that quote a document of a filer. An agent gets them in `untrusted_text`, cut and marked, apart from the figures
   * that this service read or computed.
   */
  readonly quoted_members: readonly string[]
  /** Members that are names which a filer wrote. They remain in the row, because rows are read by them; each result lists them in `untrusted_members`. */
  readonly filer_names: readonly string[]
  /** `body`: the request body. An answer that is not given here is in `examples.json`; null if it is in neither. */
  readonly example: { readonly request: string; readonly body?: unknown; readonly answer: unknown }
}

type Given<Q extends Question, A extends z.ZodType | null> = Pick<
  Operation<string, Q, A>,
  'tag' | 'access' | 'summary' | 'description' | 'served_from'
> &
  Partial<Omit<Operation<string, Q, A>, 'id' | 'method' | 'path' | 'example'>> & {
    /** The request, or the request with its body and its answer. */
    readonly example?: string | Partial<Operation['example']>
  }
type Route = `${Operation['method']} ${string}`
export type NoParameters = z.ZodObject<Record<never, z.ZodType>, z.core.$strict>

/**
 * One row: id, method and path (`GET /api/v1/market/eod/{symbol}`), and the members that differ from the defaults, which are those of a
 * curated operation that takes no parameters, returns JSON, and is shown by a request for its path.
 */
export function operation<const Id extends string, A extends z.ZodType | null = null, Q extends Question = NoParameters>(
  id: Id,
  route: Route,
  given: Given<Q, A>,
): Operation<Id, Q, A> {
  const [method, path] = route.split(' ') as [Operation['method'], string]
  const { access, cost = 1, data = false, served_from } = given
  const question = given.question ?? (z.strictObject({}) as unknown as Q)
  return {
    id,
    method,
    path,
    rest: null,
    curated: true,
    body: null,
    body_media: ['application/json'],
    raw_body: false,
    exact_numbers: false,
    success: 200,
    cross_site: false,
    agent: null,
    effects: false,
    while_leaving: false,
    body_bytes: 64 * 1024,
    answer: null as A,
    media_type: 'application/json; charset=utf-8',
    rows: null,
    limit_class: served_from === 'lake' ? 'queries' : served_from === 'file' ? 'files' : 'reads',
    cost: 1,
    cache: data ? 'history' : 'live',
    repeat_ms: null,
    freshness: 'immediate',
    cursor_key: null,
    idempotency_key: false,
    can_be_missing: path.includes('{') || data || 'cursor' in question.shape,
    can_be_unavailable: access !== 'public' || !['process', 'pure'].includes(served_from) || cost > 0,
    other_successes: [],
    calculates: false,
    agents: [],
    quoted_members: [],
    filer_names: [],
    ...given,
    data,
    question,
    example: {
      request: path,
      answer: exampleAnswers[id] ?? null,
      ...(typeof given.example === 'string' ? { request: given.example } : given.example),
    },
  }
}

/** The parameters that every data operation takes in addition to its other ones. */
const dataParameters = {
  as_of: moment('answer as of this instant: data that became known later is excluded').optional(),
  release: integer('answer from this release (default: the newest); such an answer never changes', 1, 999_999_999, { example: 1 }).optional(),
  receipt: flag('1: sign the answer if it is not signed by default; the receipt id is in the body and in X-Receipt-Id').optional(),
}

/** A data operation's question: its parameters, and as_of, release and receipt. */
export function dataQuestion<const S extends Readonly<Record<string, z.ZodType>>>(own: S) {
  return z.strictObject({ ...own, ...dataParameters })
}
/** Members of an operation that a form of a page posts to. */
export const browserForm = { body_media: ['application/x-www-form-urlencoded'], body_bytes: 16 * 1024 } as const
export const question = <const S extends Readonly<Record<string, z.ZodType>>>(own: S) => z.strictObject(own)
