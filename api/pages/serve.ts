// From the register of pages to routes. A page is served by a row that has the form of an operation, so that sessions, limits, compression,
// logs and metrics are those of the API; it is in no description of the API. A page gets its data from operation calls alone.
import { z } from 'zod'
import type { CallOperation } from '#schemas/operation-calls.ts'
import { operation, question } from '#schemas/operations/operation.ts'
import { shaped } from '#schemas/operations/parameters.ts'
import { type Operation, type OperationId, operationOf } from '#schemas/operations.ts'
import { isFormToken } from '#warehouse/people/users/form-token.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import type { AnyHandler } from '../answering.ts'
import { faultsOf } from '../form-faults.ts'
import type { Answered, Context } from '../handler.ts'
import { findAsset } from './assets.ts'
import type { NavigationLink } from './layout.ts'
import { renderLayout } from './layout.ts'
import { navigationOf } from './navigation.ts'
import type { Ask, Faults, Outcome, Page, PageBody, PageContext, Returned } from './page.ts'
import { pagePolicy, scriptlessPolicy } from './policy.ts'
import { sentence } from './words.ts'

const html = 'text/html; charset=utf-8'
const formMedia = 'application/x-www-form-urlencoded'
/** Seconds that a page waits for one answer, unless the page gives a number. */
const patienceSeconds = 8

/** The token of a session's forms; null if the session has ended. */
export type FormTokens = (session: Session) => Promise<string | null>
export type PageRoutes = {
  /** Rows for the router. */
  readonly operations: readonly Operation[]
  readonly handlers: readonly (readonly [string, AnyHandler])[]
  readonly navigation: readonly NavigationLink[]
}

const shared = { tag: 'Pages', curated: false, cache: 'live', served_from: 'pg', media_type: html, limit_class: 'reads' } as const
const example = (request: string) => ({ request, answer: null })

/** The routes of pages, of their forms and of their assets. */
export function pageRoutes(pages: readonly Page[], formTokens: FormTokens): PageRoutes {
  const navigation = navigationOf(pages)
  const operations: Operation[] = [assetOperation]
  const handlers: [string, AnyHandler][] = [[assetOperation.id, serveAsset]]
  for (const page of pages) {
    const row = { ...shared, access: page.access, summary: page.title, description: page.summary } as const
    const id = `page ${page.path}`
    const show = (given: Readonly<Record<string, unknown>>, context: Context, returned: Returned | null): Promise<Answered> =>
      answerPage(page, navigation, formTokens, given, context, returned)
    if (page.answers !== undefined) {
      handlers.push([page.answers, (given, context) => show(given, context, null)])
      continue
    }
    operations.push(operation(id, `GET ${page.path}`, { ...row, question: page.question, example: example(page.sample) }) as unknown as Operation)
    handlers.push([id, (given, context) => show(given, context, null)])
    for (const [name, form] of Object.entries(page.forms)) {
      const posted = `${id} ${name}`
      const path = `${page.path === '/' ? '' : page.path}/${name}`
      operations.push(
        operation(posted, `POST ${path}`, {
          ...row,
          body_media: [formMedia],
          ...(form.bytes === undefined ? {} : { body_bytes: form.bytes }),
          // The whole body; the fields of the form are read after the token.
          body: z.looseObject({}),
          question: page.question,
          example: example(path),
        }) as unknown as Operation,
      )
      handlers.push([
        posted,
        async (given, context) => {
          const made = await contextOf(page, formTokens, given, context, null)
          const { token: sent, ...typed } = context.body as Record<string, string | string[]>
          const refused = (faults: Faults): Promise<Answered> => show(given, context, { form: name, typed, faults })
          if (made.session !== null && (made.token === null || !isFormToken(typeof sent === 'string' ? sent : undefined, made.token)))
            return refused({ '': 'The page was out of date, so nothing was changed. Submit the form again.' })
          const read = form.fields.safeParse(typed)
          if (!read.success)
            return refused(Object.fromEntries(read.error.issues.map(({ path: at, message }) => [String(at[0] ?? ''), sentence(message)])))
          try {
            const result = await form.submit(read.data as never, made)
            if ('faults' in result) return refused(result.faults)
            return finish(page, navigation, made, context, result)
          } catch (error) {
            return refused(faultsOf(error, Object.keys(typed)))
          }
        },
      ])
    }
  }
  return { operations, handlers, navigation }
}

const assetOperation = operation('asset', 'GET /assets/{file}', {
  ...shared,
  access: 'public',
  summary: 'File of a page',
  description: 'Style sheet, module or library of a page, by its content hash.',
  question: question({
    file: shaped('name with hash', /^[a-z0-9-]+\.[\w-]{16}\.(?:css|js|svg)$/, 'the name of a file with its hash', 'icon.0123456789abcdef.svg'),
  }),
  media_type: 'text/javascript; charset=utf-8',
  served_from: 'process',
  cache: 'file',
  cost: 0,
  example: example('/assets/icon.0123456789abcdef.svg'),
}) as unknown as Operation

const serveAsset: AnyHandler = ({ file }) => {
  const { path, body, media_type } = findAsset(`/assets/${String(file)}`)
  return { kind: 'text', body, media_type, etag: path.split('.').at(-2) ?? '' }
}

/** What a page is rendered from: its question, the visitor, and the calls that it may make. */
async function contextOf(
  page: Page,
  formTokens: FormTokens,
  given: Readonly<Record<string, unknown>>,
  context: Context,
  returned: Returned | null,
): Promise<PageContext> {
  const { user: session } = context
  const opens = opened(page, session)
  const call = context.operation_calls(opens, null, true)
  return {
    question: given,
    ask: askWith(page, call),
    session,
    token: session === null ? null : await formTokens(session),
    returned,
    dataNow: context.dataNow(),
    now: context.now(),
    release: context.release,
    request_id: context.request_id,
    base_url: context.base_url,
  }
}

/**
 * Operations of access `key` that the page opens to a signed-in user, who is counted by account. An administrator's session, a closed account
 * and an account whose erasure is queued open nothing.
 */
function opened({ operations }: Page, session: Session | null): ReadonlySet<OperationId> {
  if (session === null || session.kind !== 'user' || !session.is_active || session.leaving) return new Set()
  return new Set(operations.filter(id => operationOf(id).access === 'key'))
}

function askWith(page: Page, call: CallOperation): Ask<OperationId> {
  const allowed: ReadonlySet<string> = new Set(page.operations)
  return async (id, parameters = {}, options = {}) => {
    if (!allowed.has(id)) throw new TypeError(`the page ${page.path} does not list the operation ${id}`)
    const { body, signed = false, seconds = patienceSeconds, idempotency_key } = options
    const signal = AbortSignal.timeout(seconds * 1000)
    try {
      const outcome = await call(
        { operation: id, parameters, ...(body === undefined ? {} : { body }), ...(idempotency_key === undefined ? {} : { idempotency_key }) },
        { signal, signed },
      )
      if (!outcome.ok) return outcome
      return { ...outcome, value: JSON.parse(outcome.text === '' ? 'null' : outcome.text) }
    } catch (error) {
      if (!signal.aborted) throw error
      return late(id, seconds)
    }
  }
}
const late = (id: OperationId, seconds: number): Outcome<never> => ({
  ok: false,
  status: 503,
  error: {
    detail: `${operationOf(id).summary}: no answer within ${seconds} seconds`,
    code: 'upstream_unavailable',
    hint: 'load the page again',
    docs: '',
  },
})

async function answerPage(
  page: Page,
  navigation: readonly NavigationLink[],
  formTokens: FormTokens,
  given: Readonly<Record<string, unknown>>,
  context: Context,
  returned: Returned | null,
): Promise<Answered> {
  const made = await contextOf(page, formTokens, given, context, returned)
  const body = await page.render(made)
  return finish(page, navigation, made, context, body)
}

function finish(page: Page, navigation: readonly NavigationLink[], made: PageContext, context: Context, body: PageBody): Answered {
  if ('redirect' in body) return redirect(body.redirect, body.headers)
  if ('data' in body) return { kind: 'text', body: body.data, media_type: body.media_type, headers: body.headers ?? [] }
  return whole(page, navigation, made, context, body)
}

/** The page with its frame. A form that came back is 422, as a body with faults is over JSON. */
function whole(
  page: Page,
  navigation: readonly NavigationLink[],
  { session, token, release, returned }: PageContext,
  context: Context,
  body: Extract<PageBody, { main: unknown }>,
): Answered {
  const { title = page.title, description = page.summary, main, modules = [], search = '', status } = body
  const frame = renderLayout({
    title,
    description,
    main,
    modules: page.scriptless ? null : modules,
    search,
    navigation,
    path: page.path,
    width: page.width,
    person: session === null ? null : { email: session.email, token, kind: session.kind },
    release: { release, as_of: release === null ? null : context.as_of },
    indexed: page.access === 'public',
  })
  return {
    kind: 'text',
    body: frame.toString(),
    media_type: html,
    policy: page.scriptless ? scriptlessPolicy : pagePolicy,
    status: status ?? (returned === null ? 200 : 422),
  }
}

/** 303 to a path of this service, so that reloading the target does not submit the form again. */
function redirect(to: string, headers: readonly string[] = []): Answered {
  if (!/^\/(?![/\\])/.test(to)) throw new TypeError(`a page redirects within this service, not to ${to}`)
  return { kind: 'text', body: '', media_type: html, policy: pagePolicy, status: 303, headers: ['Location', to, ...headers] }
}
