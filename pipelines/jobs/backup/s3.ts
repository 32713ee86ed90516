// An S3-compatible bucket as the target of a backup: requests signed with AWS Signature Version 4, path-style addresses. A part is at most
// 16 MiB, so every object is one PUT, which S3 stores completely or not at all.
import { createHash, createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Config } from '#schemas/config.ts'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import type { BackupTarget } from '#warehouse/backup/target.ts'

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
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')
/** An ETag that can be the MD5 of one PUT; null for that of several parts and for none. */
const md5Of = (etag: string): string | null => /^"?([0-9a-f]{32})"?$/.exec(etag)?.[1] ?? null
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

/** The settings of the environment. Throws `BadRequest` that names what is missing. */
export function s3Settings({ s3 }: Pick<Config, 's3'>): S3Settings {
  const { accessKeyId, secretAccessKey } = s3
  if (accessKeyId === null || secretAccessKey === null)
    throw new BadRequest('a backup to S3 needs credentials', {
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

const tries = 5
const requestMs = 120_000
type Answer = { readonly status: number; readonly body: Buffer; readonly etag: string | null }

type Send = (method: string, key: string, query: Headers, bytes: Uint8Array | null) => Promise<Answer>
/** Sends signed requests to a bucket, and again after a failure of the network or the store. */
function createSender(address: string, settings: S3Settings, now: () => Date, wait: (ms: number) => Promise<unknown>): Send {
  const { hostname: bucket } = new URL(address)
  return async (method, key, query, bytes) => {
    const url = new URL(`${settings.endpoint}/${bucket}${key === '' ? '' : `/${key}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const payloadSha256 = sha256(bytes ?? '')
    for (let attempt = 1; ; attempt += 1) {
      let failure: string
      try {
        const headers = signed({ method, url, headers: {}, payloadSha256 }, settings, now())
        const answer = await request(url, { method: method as 'GET' | 'PUT', headers, body: bytes, signal: AbortSignal.timeout(requestMs) })
        const body = Buffer.from(await answer.body.arrayBuffer())
        if (answer.statusCode < 500 && answer.statusCode !== 429)
          return { status: answer.statusCode, body, etag: md5Of(String(answer.headers['etag'] ?? '')) }
        failure = `${answer.statusCode} ${codeOf(body)}`
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error)
      }
      if (attempt >= tries)
        throw new Upstream(`${address}: ${method} ${key} failed ${tries} times: ${failure}`, {
          hint: 'check CROSSFILE_S3_ENDPOINT and the network; crossfile backup resumes at the same place',
        })
      await wait(250 * 2 ** attempt)
    }
  }
}

/** A bucket as a target. `address` is `s3://bucket` or `s3://bucket/prefix`. `now` is the clock of the signatures, `wait` pauses between tries. */
export function s3Target(
  address: string,
  settings: S3Settings,
  now: () => Date = () => new Date(),
  wait: (ms: number) => Promise<unknown> = sleep,
): BackupTarget {
  const { pathname } = new URL(address)
  const prefix = pathname.replace(/^\/|\/$/g, '')
  const keyOf = (path: string): string => (prefix === '' ? path : `${prefix}/${path}`)

  const send = createSender(address, settings, now, wait)
  const refused = (what: string, { status, body }: Answer): BadRequest =>
    new BadRequest(`${address}: ${what} was refused: ${status} ${codeOf(body)}`, {
      hint: 'check the bucket, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and CROSSFILE_S3_REGION',
    })

  /** The MD5 that the store reports for each object that was listed or written. */
  const tags = new Map<string, string | null>()
  /** False after the store answered a PUT with a tag that is not the MD5 of the bytes, as under encryption with KMS: then tags are not compared. */
  let tagsAreMd5 = true

  return {
    name: address,
    async hasBytes(path, bytes) {
      const tag = tags.get(path) ?? null
      return tag === null || !tagsAreMd5 || tag === md5(bytes)
    },
    async list(folder) {
      const found = new Map<string, number>()
      for (let token: string | null = ''; token !== null; ) {
        const answer = await send(
          'GET',
          '',
          { 'list-type': '2', prefix: keyOf(`${folder}/`), ...(token === '' ? {} : { 'continuation-token': token }) },
          null,
        )
        if (answer.status !== 200) throw refused('listing', answer)
        const text = answer.body.toString('utf8')
        for (const [, entry = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          const key = unescaped(inside(entry, 'Key') ?? '')
          const path = prefix === '' ? key : key.slice(prefix.length + 1)
          found.set(path, Number(inside(entry, 'Size')))
          tags.set(path, md5Of(unescaped(inside(entry, 'ETag') ?? '')))
        }
        const next = inside(text, 'IsTruncated') === 'true' ? inside(text, 'NextContinuationToken') : null
        token = next === null ? null : unescaped(next)
      }
      return found
    },
    async read(path) {
      const answer = await send('GET', keyOf(path), {}, null)
      if (answer.status === 404) return null
      if (answer.status !== 200) throw refused(`reading ${path}`, answer)
      return answer.body
    },
    async write(path, bytes) {
      const answer = await send('PUT', keyOf(path), {}, bytes)
      if (answer.status !== 200) throw refused(`writing ${path}`, answer)
      if (answer.etag !== md5(bytes)) tagsAreMd5 = false
    },
  }
}

const inside = (text: string, name: string): string | null => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? null
const codeOf = (body: Buffer): string => inside(body.toString('utf8', 0, 4096), 'Code') ?? ''
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&apos;', "'").replaceAll('&amp;', '&')
