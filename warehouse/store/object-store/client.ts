// The client of S3-compatible stores: requests signed with AWS Signature Version 4, path-style addresses, bounded retries. Backups and the
// lake use it.
import { createHash, createHmac } from 'node:crypto'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Config } from '#schemas/config.ts'
import { BadRequest, StoreUnavailable } from '#schemas/errors.ts'
import { allowLockedBytes, lockedTimeLeft } from './locked-time.ts'

export type S3Settings = {
  /** Such as `https://s3.us-east-1.amazonaws.com`, without a slash at the end. */
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

type Headers = Readonly<Record<string, string>>
export type Signable = { readonly method: string; readonly url: URL; readonly headers: Headers; readonly payloadSha256: string }

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
/** RFC 3986, as Signature Version 4 encodes names and values. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** The headers of a signed request (AWS Signature Version 4, service `s3`); `at` is the instant of the request. */
export function signed({ method, url, headers, payloadSha256 }: Signable, settings: S3Settings, at: Date): Headers {
  const stamp = at.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = stamp.slice(0, 8)
  const all: Record<string, string> = { ...headers, host: url.host, 'x-amz-content-sha256': payloadSha256, 'x-amz-date': stamp }
  if (settings.sessionToken !== null) all['x-amz-security-token'] = settings.sessionToken
  const names = Object.keys(all).sort()
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')
  const path = url.pathname
    .split('/')
    .map(part => encoded(decodeURIComponent(part)))
    .join('/')
  const canonical = [method, path, query, ...names.map(name => `${name}:${all[name]?.trim()}`), '', names.join(';'), payloadSha256].join('\n')
  const scope = `${day}/${settings.region}/s3/aws4_request`
  const key = hmac(hmac(hmac(hmac(`AWS4${settings.secretAccessKey}`, day), settings.region), 's3'), 'aws4_request')
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${sha256(canonical)}`).toString('hex')
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${settings.accessKeyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`,
  }
}

/** The settings of the environment. `use`: what needs them, for the error. Throws `BadRequest` that names what is missing. */
export function s3Settings({ s3 }: Pick<Config, 's3'>, use = 'a backup to S3'): S3Settings {
  const { accessKeyId, secretAccessKey } = s3
  if (accessKeyId === null || secretAccessKey === null)
    throw new BadRequest(`${use} needs credentials`, {
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and CROSSFILE_S3_ENDPOINT for a store that is not Amazon)',
    })
  return {
    endpoint: s3.endpoint ?? `https://s3.${s3.region}.amazonaws.com`,
    region: s3.region,
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    sessionToken: s3.sessionToken?.reveal() ?? null,
  }
}

type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Without the prefix of the address; '' is the bucket. */
  readonly key: string
  readonly query?: Headers
  readonly headers?: Headers
  readonly body?: S3Body
}
/** Bytes, or a stream that each attempt opens again, with its length in bytes and its SHA-256 in hexadecimal. */
export type S3Body = Uint8Array | { readonly open: () => Readable; readonly bytes: number; readonly sha256: string }
export type S3Answer = { readonly status: number; readonly headers: Headers; readonly body: Buffer }
/** A response whose body is read piece by piece. */
export type S3Stream = { readonly status: number; readonly headers: Headers; readonly body: Readable }

export type S3Client = {
  /** `s3://bucket/prefix`, as given. */
  readonly address: string
  /** Names begin with it; '' or `prefix/`. */
  readonly prefix: string
  /** Sends a request, and again after a failure of the network, 429 or a status from 500. Throws `Upstream` after the last attempt. */
  send(request: S3Request): Promise<S3Answer>
  /** Sends a GET once; the caller reads the body and repeats. Throws what the network throws. */
  stream(key: string, signal: AbortSignal): Promise<S3Stream>
}

export type S3Options = {
  /** The clock of the signatures. */
  readonly now?: () => Date
  /** Pauses between attempts, in milliseconds. */
  readonly wait?: (ms: number) => Promise<unknown>
  readonly tries?: number
  /** Milliseconds of one attempt, without the time for its body. */
  readonly requestMs?: number
  /** What to do if no attempt succeeds. */
  readonly hint?: string
  /**
   * Called after a request of `send`, and with null after the begin of a `stream`: why the store is away or refuses, or null if it answered.
   * Not called if the answer shows neither.
   */
  readonly observe?: (failure: string | null) => void
}

const leastAttemptMs = 500
/** Milliseconds of the next attempt: under a lock, half of what is left, so that another one can follow. */
function attemptMs(requestMs: number): number {
  const left = lockedTimeLeft()
  return left === null ? requestMs : Math.min(requestMs, Math.max(leastAttemptMs, Math.ceil(left / 2)))
}

/** A request with a body may take longer by its bytes at this rate. */
const leastBytesPerMs = 500
const lengthOf = (body: S3Body): number => (isStream(body) ? body.bytes : body.byteLength)
const isStream = (body: S3Body): body is Exclude<S3Body, Uint8Array> => 'open' in body

/** A client for `s3://bucket` or `s3://bucket/prefix`. */
export function createS3Client(address: string, settings: S3Settings, options: S3Options = {}): S3Client {
  const { now = () => new Date(), wait = sleep, tries = 5, requestMs = 120_000, hint = 'check CROSSFILE_S3_ENDPOINT and the network' } = options
  const { observe = () => undefined } = options
  const { hostname: bucket, pathname } = new URL(address)
  const folder = pathname.replace(/^\/|\/$/g, '')
  const prefix = folder === '' ? '' : `${folder}/`

  function addressed({ method, key, query = {}, headers = {}, body }: S3Request): { readonly url: URL; readonly headers: Headers } {
    const url = new URL(`${settings.endpoint}/${bucket}${key === '' ? '' : `/${prefix}${key}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const payloadSha256 = body === undefined ? sha256('') : isStream(body) ? body.sha256 : sha256(body)
    return { url, headers: signed({ method, url, headers, payloadSha256 }, settings, now()) }
  }

  async function once(sent: S3Request): Promise<S3Answer> {
    const { method, body } = sent
    const { url, headers } = addressed(sent)
    const length: Headers = body !== undefined && isStream(body) ? { 'content-length': String(body.bytes) } : {}
    const bytesMs = body === undefined ? 0 : Math.ceil(lengthOf(body) / leastBytesPerMs)
    const begun = performance.now()
    try {
      const answer = await request(url, {
        method,
        headers: { ...headers, ...length },
        body: body === undefined ? null : isStream(body) ? body.open() : body,
        signal: AbortSignal.timeout(attemptMs(requestMs) + bytesMs),
      })
      return { status: answer.statusCode, headers: flat(answer.headers), body: Buffer.from(await answer.body.arrayBuffer()) }
    } finally {
      allowLockedBytes(Math.min(bytesMs, performance.now() - begun))
    }
  }

  return {
    address,
    prefix,
    async send(sent) {
      const name = `${address}: ${sent.method} ${prefix}${sent.key}`
      const begun = performance.now()
      for (let attempt = 1; ; attempt += 1) {
        let failure: string
        try {
          const answer = await once(sent)
          if (answer.status < 500 && answer.status !== 429) {
            const refusal = refusalOf(sent.method, answer)
            if (refusal !== undefined) observe(refusal === null ? null : `${address}: ${refusal}`)
            return answer
          }
          failure = `${answer.status} ${codeOf(answer.body)}`.trim()
        } catch (error) {
          failure = error instanceof Error ? error.message : String(error)
        }
        const pauseMs = 250 * 2 ** attempt
        const left = lockedTimeLeft()
        const isLate = left !== null && left <= pauseMs
        if (attempt >= tries || isLate) {
          const times = attempt === 1 ? '' : ` ${attempt} times`
          const why = isLate ? ` in ${((performance.now() - begun) / 1000).toFixed(1)} s and is not repeated, because other commits wait` : ''
          const message = `${name} failed${times}${why}: ${failure}`
          observe(message)
          throw new StoreUnavailable(message, { hint, retryAfterSeconds: 10 })
        }
        await wait(pauseMs)
      }
    },
    async stream(key, signal) {
      const { url, headers } = addressed({ method: 'GET', key })
      const answer = await openGet(url, headers, signal)
      if (answer.statusCode === 200) observe(null)
      return { status: answer.statusCode ?? 0, headers: flat(answer.headers), body: answer }
    },
  }
}

/**
 * Why the store refuses all requests, or null if it answered. Undefined for a HEAD with 404: its response has no body, which would tell a
 * missing bucket from a missing object.
 */
function refusalOf(method: string, { status, body }: S3Answer): string | null | undefined {
  if (status === 404 && method === 'HEAD') return undefined
  const code = codeOf(body)
  return status === 401 || status === 403 || code === 'NoSuchBucket' ? `requests are refused: ${status} ${code}`.trim() : null
}

/**
 * A GET by Node's own client. With undici 7, a server that closes the connection while the body waits for its reader ends the process
 * (nodejs/undici#5360); stores close connections after some requests.
 */
async function openGet(url: URL, headers: Headers, signal: AbortSignal): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? getSecure : getPlain
  // The listener stays: an error after the headers is reported by the body as well.
  return await new Promise((resolve, reject) => void get(url, { headers, signal }, resolve).on('error', reject))
}

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>): Headers =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))

export type S3Object = {
  /** Without the prefix of the address. */
  readonly key: string
  readonly bytes: number
  /** As the store writes it, without quotation marks; '' if it gives none. */
  readonly etag: string
  /** Milliseconds since 1970 by the clock of the store. */
  readonly modifiedAt: number
}

/** Requests of one page of a list until it is whole. */
const pageTries = 3

/** Every object whose key begins with `under`, page by page. `refused` makes the error for a status that is not 200. */
export async function* listObjects(client: S3Client, under: string, refused: (answer: S3Answer) => Error): AsyncGenerator<S3Object> {
  for (let token: string | null = ''; token !== null; ) {
    const query: Headers = {
      'list-type': '2',
      prefix: `${client.prefix}${under}`,
      ...(token === '' ? {} : { 'continuation-token': token }),
    }
    const text: string = await readPage(client, query, refused)
    for (const [, entry = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs))
      yield {
        key: unescaped(inside(entry, 'Key') ?? '').slice(client.prefix.length),
        bytes: Number(inside(entry, 'Size')),
        etag: unescaped(inside(entry, 'ETag') ?? '').replaceAll('"', ''),
        modifiedAt: Date.parse(inside(entry, 'LastModified') ?? ''),
      }
    const next = inside(text, 'IsTruncated') === 'true' ? inside(text, 'NextContinuationToken') : null
    token = next === null ? null : unescaped(next)
  }
}

/**
 * The text of a page. One that is cut off, or another document, such as the page of a proxy, has fewer objects than the store: what misses
 * there would be taken for deleted.
 */
async function readPage(client: S3Client, query: Headers, refused: (answer: S3Answer) => Error): Promise<string> {
  for (let attempt = 1; attempt <= pageTries; attempt += 1) {
    const answer = await client.send({ method: 'GET', key: '', query })
    if (answer.status !== 200) throw refused(answer)
    const text = answer.body.toString('utf8')
    if (isWholePage(text)) return text
  }
  throw new StoreUnavailable(`${client.address}: a list of its objects is not whole, ${pageTries} times`, {
    hint: 'check that CROSSFILE_S3_ENDPOINT is an S3-compatible store, and what is between it and this machine',
    retryAfterSeconds: 10,
  })
}

/** An empty list may be one tag. */
const isWholePage = (text: string): boolean => /(?:<\/ListBucketResult>|<ListBucketResult[^<>]*\/>)\s*$/.test(text)

const inside = (text: string, name: string): string | null => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? null
/** The code of an error response, such as `NoSuchBucket`; '' if it has none. */
export const codeOf = (body: Buffer): string => inside(body.toString('utf8', 0, 4096), 'Code') ?? ''
const unescaped = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&#x([0-9a-f]+);/gi, (_all, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
