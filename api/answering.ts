// Answers a question: from the cache, else by the handler. Identical requests at the same time share one call.
import { hash } from 'node:crypto'
import { Broken } from '#schemas/errors.ts'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import type { Operation } from '#schemas/operations.ts'
import { giveBack } from '#warehouse/context/print-json.ts'
import { type DataClock, describeDataClock } from '#warehouse/store/data-clock.ts'
import type { AnswerCache, Finished } from './answer-cache.ts'
import type { Answered, Context } from './handler.ts'
import { escaped } from './pages/html.ts'
import { mediaTypes, type RenderContext, renderFormat } from './plugins/formats.ts'
import type { Read } from './question.ts'

/** A handler as the router calls it; the schema of the operation has checked its question. */
export type AnyHandler = (question: Readonly<Record<string, unknown>>, context: Context) => Answered | Promise<Answered>
export type Unbuffered = Extract<Answered, { kind: 'file' | 'stream' | 'message' | 'events' }>
export type Answering = {
  readonly keyOf: (read: Pick<Read, 'name' | 'format' | 'receipt'>, release: number | null) => string
  readonly find: (key: string) => Finished | undefined
  readonly answer: (key: string, read: Read, context: Context) => Promise<Finished | Unbuffered>
}
type UnderWay = { readonly answer: Promise<Finished | Unbuffered>; isShared: boolean }
type Settings = {
  readonly cache: AnswerCache
  readonly handlers: ReadonlyMap<string, AnyHandler>
  readonly monotonic: () => number
  readonly baseUrl: () => string
  readonly dataClock: () => DataClock
  readonly version: string
}

export function createAnswering({ cache, handlers, monotonic, baseUrl, dataClock, version }: Settings): Answering {
  const underWay = new Map<string, UnderWay>()
  const rendering = (): RenderContext => {
    const notice = describeDataClock(dataClock())
    return { baseUrl: baseUrl(), createdBy: `crossfile ${version}`, notes: notice === null ? [] : [notice] }
  }

  async function ask(key: string, read: Read, context: Context): Promise<Finished | Unbuffered> {
    const { operation } = read
    const handler = handlers.get(operation.id)
    if (!handler) throw new Broken(`${operation.id}: no handler`)
    const startedAt = monotonic()
    const { clears } = cache
    const answered = await handler(read.question, context)
    if (answered.kind === 'file' || answered.kind === 'stream' || answered.kind === 'message' || answered.kind === 'events') return answered
    const own = answered.kind === 'bytes' ? (answered.repeat_ms ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
    const until = startedAt + Math.min(operation.repeat_ms ?? Number.POSITIVE_INFINITY, own)
    const finished = await finish(withDataClock(answered, dataClock()), read, until, rendering())
    // An answer of a release that was committed in the meantime is not stored under the key of the older one.
    const newer = answered.kind === 'bytes' && answered.release !== null && context.release !== null && answered.release > context.release
    if (keepable(operation) && !newer && cache.clears === clears) cache.set(key, finished)
    return finished
  }

  return {
    keyOf: (read, release) => `${read.name} ${release ?? '-'} ${read.receipt ? 'signed' : ''} ${read.format}`,
    find: key => cache.get(key, monotonic()),
    answer(key, read, context) {
      const held = cache.get(key, monotonic())
      if (held) return Promise.resolve(held)
      if (!keepable(read.operation)) return ask(key, read, context)
      const running = underWay.get(key)
      if (running) {
        running.isShared = true
        return running.answer
      }
      const started: UnderWay = { answer: begin(), isShared: false }
      underWay.set(key, started)
      return started.answer

      async function begin(): Promise<Finished | Unbuffered> {
        try {
          const answer = await ask(key, read, context)
          if (!('kind' in answer) && started.isShared) answer.isShared = true
          return answer
        } finally {
          underWay.delete(key)
        }
      }
    },
  }
}

type Buffered = Extract<Answered, { kind: 'bytes' | 'text' | 'empty' }>

/** Reports a frozen data clock: as a header of every answer, and as the first line of every page. */
function withDataClock(answered: Buffered, clock: DataClock): Buffered {
  const notice = describeDataClock(clock)
  if (notice === null || clock.frozen_at === null) return answered
  const headers = [...(answered.headers ?? []), 'X-Data-Clock', clock.frozen_at]
  if (answered.kind !== 'text' || !answered.media_type.startsWith('text/html')) return { ...answered, headers }
  return { ...answered, headers, body: withClockNotice(String(answered.body), clock) }
}

/** The page with a line about a frozen data clock at its top. */
export function withClockNotice(page: string, clock: DataClock): string {
  const notice = describeDataClock(clock)
  if (notice === null) return page
  const banner = `<aside class="data-clock" aria-label="Data clock">${escaped(notice)}</aside>`
  return page.replace(/<body[^>]*>/, start => `${start}\n${banner}`)
}

/** Answers that are the same for every caller for some time. Files and streams are never buffered. */
export function keepable(operation: Operation): boolean {
  return operation.cache !== 'live' && operation.served_from !== 'file' && operation.method === 'GET'
}

async function finish(answered: Buffered, read: Read, expires: number, context: RenderContext): Promise<Finished> {
  const { operation, format } = read
  if (answered.kind === 'empty') {
    const { status, headers = [] } = answered
    const facts = { media_type: 'text/plain', etag: '', last_modified: null, receipt_id: null, immutable: false, release: null, policy: null }
    return finished({ ...facts, status, headers, expires: 0 }, Buffer.alloc(0))
  }
  if (answered.kind === 'text') {
    const body = Buffer.from(answered.body)
    const etag = answered.etag ?? tagOfBytes(body)
    return finished(
      {
        status: answered.status ?? 200,
        media_type: answered.media_type,
        policy: answered.policy ?? null,
        etag,
        last_modified: null,
        receipt_id: null,
        immutable: false,
        release: null,
        headers: answered.headers ?? [],
        expires,
      },
      body,
    )
  }
  const link = nextLink(answered.next_cursor ?? null, read, context.baseUrl)
  const rendered = format === 'json' ? null : await renderFormat(operation, format, answered.body, read.name, context)
  // The JSON has no other reader.
  if (rendered !== null) giveBack(answered.body)
  return finished(
    {
      status: answered.status ?? 200,
      media_type: format === 'json' ? operation.media_type : mediaTypes[format],
      // A file names the data clock and the service, too.
      etag: rendered === null ? answered.etag : `${tagOfBytes(rendered.body)}-${format}`,
      last_modified: answered.last_modified,
      receipt_id: answered.receipt_id,
      immutable: answered.immutable,
      release: answered.release,
      headers: [...link, ...(rendered?.headers ?? []), ...(answered.headers ?? [])],
      policy: null,
      expires,
    },
    rendered?.body ?? answered.body,
  )
}
const tagOfBytes = (body: Buffer): string => hash('sha256', body, 'base64url').slice(0, 22)
function finished(facts: Omit<Finished, 'bodies' | 'lists' | 'isShared'>, body: Buffer): Finished {
  return { ...facts, bodies: new Map([['identity', body]]), lists: [], isShared: false }
}

/** The next page as an absolute Link header, without the key. The cursor selects the release. */
function nextLink(cursor: string | null, { name, operation, question, format }: Read, base: string): readonly string[] {
  if (cursor === null) return []
  const path = name.slice(operation.method.length + 1).split('?', 1)[0]
  const query: Record<string, unknown> = { ...question, cursor }
  for (const each of Object.keys(query)) if (operation.path.includes(`{${each}}`)) delete query[each]
  if (format !== 'json') query['format'] = format
  return ['Link', `<${base}${path}?${canonicalQuery(query)}>; rel="next"`]
}
