// How a page is declared: one value with path, title, navigation, access and the operations that it calls. Routes, navigation and tests
// are made from the list in register.ts.
import type { z } from 'zod'
import type { OperationOutcome } from '#schemas/operation-calls.ts'
import { type NoParameters, type Question, question } from '#schemas/operations/operation.ts'
import type { AnswerOf, OperationId } from '#schemas/operations.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import type { BrowserModule } from './assets.ts'
import type { Content } from './html.ts'

/** The answer of an operation, or why there is none. */
export type Outcome<A> = (Extract<OperationOutcome, { ok: true }> & { readonly value: A }) | Extract<OperationOutcome, { ok: false }>

export type Parameters = Readonly<Record<string, string | number | boolean>>
type AskOptions = {
  /** The body of an operation that takes one. */
  readonly body?: unknown
  /** Requests a receipt, as `receipt=1` does. */
  readonly signed?: boolean
  /** Seconds after which the page is sent without this answer; default 8. */
  readonly seconds?: number
  /** Sent as `Idempotency-Key`: a form that is submitted twice has its effect once. */
  readonly idempotency_key?: string
}
/** Calls one of the page's operations as the visitor: the same permissions and limits as over HTTP. Never rejects. */
export type Ask<Ids extends OperationId> = <Id extends Ids>(id: Id, parameters?: Parameters, options?: AskOptions) => Promise<Outcome<AnswerOf<Id>>>

/** What was wrong in a form, by the name of the field; under '' what belongs to none. */
export type Faults = Readonly<Record<string, string>>
/** A form that came back: which one, what was typed, and what was wrong. */
export type Returned = { readonly form: string; readonly typed: Readonly<Record<string, string | readonly string[]>>; readonly faults: Faults }

export type PageContext<Q extends Question = Question, Ids extends OperationId = OperationId> = {
  readonly question: z.output<Q>
  readonly ask: Ask<Ids>
  /** The signed-in user or administrator; null: a visitor. */
  readonly session: Session | null
  /** The token that every form of the page needs (`formToken` field); null for a visitor. */
  readonly token: string | null
  /** Set if a form was submitted and refused. */
  readonly returned: Returned | null
  /** The instant that counts as now for market data. */
  readonly dataNow: Date
  readonly now: Date
  readonly release: number | null
  readonly request_id: string
  readonly base_url: string
}

export type PageBody =
  | {
      /** Replaces the declared title. */
      readonly title?: string
      readonly description?: string
      readonly main: Content
      readonly modules?: readonly BrowserModule[]
      readonly search?: string
      readonly status?: number
    }
  /** Data instead of a page. `headers` as name, value, name, value. */
  | { readonly data: string | Buffer; readonly media_type: string; readonly headers?: readonly string[] }
  /** 303 to a path of this service. `headers` as name, value, name, value. */
  | { readonly redirect: string; readonly headers?: readonly string[] }

/** A form of a page. `POST <path of the page>/<name of the form>`, with the session's token in the field `token`. */
export type PageForm<Q extends Question, Ids extends OperationId> = {
  /** Reads the fields; `token` is read before. Use schemas that accept what a browser can send, and report bounds as faults. */
  readonly fields: z.ZodType
  /** Maximum bytes of the form as a browser sends it; without it, those of every body. */
  readonly bytes?: number
  /** Returns where to go, or what was wrong: then the page is shown again with what was typed. */
  readonly submit: (fields: never, context: PageContext<Q, Ids>) => Promise<{ readonly faults: Faults } | PageBody>
}

export type Page<Q extends Question = Question, Ids extends OperationId = OperationId> = {
  /** OpenAPI form: `/c/{symbol}`. */
  readonly path: string
  /** The operation of the table whose path and limits the page has. Without one, the page is in no description of the API. */
  readonly answers?: OperationId
  readonly title: string
  /** One sentence: what a reader finds on the page. */
  readonly summary: string
  /** `public`: everybody, with sections that ask to sign in; `user`: a signed-in user; `admin`: an administrator. */
  readonly access: 'public' | 'user' | 'admin'
  /** Label in the navigation; null: reached by links. */
  readonly navigation: string | null
  readonly width: 'text' | 'wide'
  /** True: no script runs, because passwords and secrets are typed or shown. */
  readonly scriptless: boolean
  /** Parameters of path and query. Further query parameters of a request are ignored. */
  readonly question: Q
  /** Operations that the page may call. */
  readonly operations: readonly Ids[]
  /** An address for the tests: the page with data of the bundled universe. */
  readonly sample: string
  readonly forms: Readonly<Record<string, PageForm<Q, Ids>>>
  readonly render: (context: PageContext<Q, Ids>) => Promise<PageBody>
}

type Given<Q extends Question, Ids extends OperationId> = Pick<Page<Q, Ids>, 'summary' | 'operations' | 'render'> &
  Partial<Omit<Page<Q, Ids>, 'path' | 'title' | 'forms'>> & {
    // The parameters are those of `question`: the forms do not take part in finding them.
    readonly forms?: Readonly<Record<string, PageForm<NoInfer<Q>, NoInfer<Ids>>>>
  }

/** Declares a page: public, reached by links, in a wide column, without parameters and forms, and its path as its sample, if nothing else is given. */
export function page<const Ids extends OperationId, Q extends Question = NoParameters>(path: string, title: string, given: Given<Q, Ids>): Page {
  const defaults = { access: 'public', navigation: null, width: 'wide', scriptless: false, question: question({}), sample: path, forms: {} }
  return { path, title, ...defaults, ...given } as unknown as Page
}

/** Declares a form of a page, with the type of its fields. */
export function pageForm<S extends z.ZodType, Q extends Question, Ids extends OperationId>(
  fields: S,
  submit: (fields: z.output<S>, context: PageContext<Q, Ids>) => ReturnType<PageForm<Q, Ids>['submit']>,
  { bytes }: { readonly bytes?: number } = {},
): PageForm<Q, Ids> {
  return { fields, submit: submit as PageForm<Q, Ids>['submit'], ...(bytes === undefined ? {} : { bytes }) }
}
