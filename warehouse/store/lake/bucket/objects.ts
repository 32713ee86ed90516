// Objects of the lake in a bucket: conditional writes, downloads that are hashed while they arrive, and the errors of both.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { BadRequest, type CrossfileError, StoreUnavailable, Upstream } from '#schemas/errors.ts'
import { codeOf, listObjects, type S3Answer, type S3Body, type S3Client, type S3Stream } from '../../object-store/client.ts'
import { lockedTimeLeft } from '../../object-store/locked-time.ts'
import type { ObjectFacts, Objects } from '../remote.ts'

/** Limits of a download, in milliseconds. */
export type DownloadLimits = {
  /** Without a byte for this time, an attempt ends. */
  readonly idleMs: number
  /** An attempt ends after this time, plus the time of its bytes at `leastBytesPerMs`. */
  readonly attemptMs: number
  /** No attempt begins after this time. */
  readonly deadlineMs: number
}
const defaultLimits: DownloadLimits = { idleMs: 5_000, attemptMs: 20_000, deadlineMs: 30_000 }
const leastBytesPerMs = 500
const tries = 4
/** Files up to this size are sent from memory: a store that refuses a condition may close the connection in the middle of a stream. */
const wholeBytes = 16 * 1024 * 1024
/** Attempts to write an object that others write too. */
const writeAttempts = 5

/** A download that failed for now, and why. The message names the bucket, which clients of the API do not need to know. */
export class DownloadFailed extends StoreUnavailable {
  readonly failure: string
  constructor(failure: string, message: string, details: ConstructorParameters<typeof Upstream>[1]) {
    super(message, details)
    this.failure = failure
  }
}

const hint = 'check that the bucket of CROSSFILE_LAKE can be reached (CROSSFILE_S3_ENDPOINT), then repeat the request'
const settings = 'check the bucket of CROSSFILE_LAKE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and CROSSFILE_S3_REGION'

/** The objects below the prefix of a client. `wait` pauses between attempts. */
export function openObjects(client: S3Client, limits: DownloadLimits = defaultLimits, wait: (ms: number) => Promise<unknown> = sleep): Objects {
  const { address } = client
  /** Wrong credentials and a missing bucket can be corrected while the service runs, so the request may be repeated. */
  const refused = (what: string, { status, body }: Pick<S3Answer, 'status' | 'body'>): CrossfileError =>
    new StoreUnavailable(`${address}: ${what} was refused: ${status} ${codeOf(body)}`.trim(), { hint: settings, retryAfterSeconds: 30 })

  const { facts, bytes, text, tagged } = reads(client, refused)

  /** Status 200: written. 412: the condition does not hold. 409: another conditional write is in progress. */
  async function put(name: string, body: S3Body, sha256: string, condition: Readonly<Record<string, string>>): Promise<200 | 409 | 412> {
    const headers = { ...condition, 'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64') }
    const answer = await client.send({ method: 'PUT', key: name, headers, body })
    if (answer.status === 200 || answer.status === 409 || answer.status === 412) return answer.status
    throw refused(`writing ${name}`, answer)
  }

  /** Makes an object; one that exists is kept if `isEqual`, and otherwise replaced unless it changes in between. */
  async function make(name: string, body: S3Body, sha256: string, isEqual: () => Promise<boolean>): Promise<{ readonly created: boolean }> {
    for (let attempt = 1; attempt <= writeAttempts; attempt += 1) {
      const status = await put(name, body, sha256, { 'if-none-match': '*' })
      if (status === 200) return { created: true }
      if (status === 412) {
        // Before the comparison, so that an object that changes after it is not replaced.
        const held = await facts(name)
        if (held !== null && (await isEqual())) return { created: false }
        if (held !== null && (await put(name, body, sha256, { 'if-match': `"${held.etag}"` })) === 200) return { created: true }
      }
      await wait(100 * attempt)
    }
    throw new Upstream(`${address}: ${name} was changed by others ${writeAttempts} times while it was written`, { retryAfterSeconds: 10 })
  }

  const download = downloads(client, limits, wait, refused)
  return {
    address,
    facts,
    bytes,
    text,
    tagged,
    download,
    async upload(name, { path, sha256, bytes }) {
      const body: S3Body =
        bytes <= wholeBytes ? await readFile(path) : { open: () => createReadStream(path, { highWaterMark: 1 << 20 }), bytes, sha256 }
      return await make(name, body, sha256, async () => (await download(name, sha256, null)).outcome === 'whole')
    },
    async writeOnce(name, content) {
      const bytes = Buffer.from(content)
      await make(name, bytes, sha256Of(bytes), async () => (await text(name)) === content)
    },
    async writeIf(name, bytes, etag) {
      const condition: Record<string, string> = etag === null ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` }
      return (await put(name, Buffer.from(bytes), sha256Of(bytes), condition)) === 200
    },
    async write(name, bytes) {
      const answer = await client.send({ method: 'PUT', key: name, body: bytes })
      if (answer.status !== 200) throw refused(`writing ${name}`, answer)
    },
    async remove(name) {
      const answer = await client.send({ method: 'DELETE', key: name })
      if (![200, 204, 404].includes(answer.status)) throw refused(`deleting ${name}`, answer)
    },
    async *list(under) {
      for await (const { key, ...rest } of listObjects(client, under, answer => refused('listing', answer))) yield { name: key, ...rest }
    },
    async now() {
      const answer = await client.send({ method: 'HEAD', key: 'delta/.clock' })
      const at = Date.parse(answer.headers['date'] ?? '')
      if (Number.isNaN(at)) throw new BadRequest(`${address}: the store sends no Date header`, { hint: settings })
      return at
    },
  }
}

type Refused = (what: string, answer: Pick<S3Answer, 'status' | 'body'>) => CrossfileError

/** The reads of `Objects`. */
function reads(client: S3Client, refused: Refused): Pick<Objects, 'facts' | 'bytes' | 'text' | 'tagged'> {
  async function facts(name: string): Promise<ObjectFacts | null> {
    const answer = await client.send({ method: 'HEAD', key: name })
    if (answer.status === 404) return null
    if (answer.status !== 200) throw refused(`the state of ${name}`, answer)
    const { 'content-length': length = '', 'last-modified': modified = '' } = answer.headers
    return { name, bytes: Number(length), etag: etagOf(answer.headers), modifiedAt: Date.parse(modified) }
  }

  const bytes: Objects['bytes'] = async (name, range) => {
    const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.offset}-${range.offset + range.length - 1}` }
    const answer = await client.send({ method: 'GET', key: name, headers })
    if (answer.status === 404 && codeOf(answer.body) !== 'NoSuchBucket') return null
    // RFC 9110, section 15.5.17: nothing of the range exists.
    if (answer.status === 416) return Buffer.alloc(0)
    // A server may ignore a range, and sends the whole object then.
    if (answer.status === 200) return range === undefined ? answer.body : answer.body.subarray(range.offset, range.offset + range.length)
    if (range === undefined || answer.status !== 206) throw refused(`reading ${name}`, answer)
    return answer.body
  }
  const text = async (name: string): Promise<string | null> => (await bytes(name))?.toString('utf8') ?? null

  return {
    facts,
    bytes,
    text,
    async tagged(name) {
      const answer = await client.send({ method: 'GET', key: name })
      if (answer.status === 404 && codeOf(answer.body) !== 'NoSuchBucket') return null
      if (answer.status !== 200) throw refused(`reading ${name}`, answer)
      return { bytes: answer.body, etag: etagOf(answer.headers) }
    },
  }
}

/** `Objects.download`, with attempts within `limits`. */
function downloads(client: S3Client, limits: DownloadLimits, wait: (ms: number) => Promise<unknown>, refused: Refused): Objects['download'] {
  const { address } = client
  return async (name, sha256, target) => {
    const begun = performance.now()
    for (let attempt = 1; ; attempt += 1) {
      let failure: string
      try {
        const found = await downloadOnce(client, name, target, limits)
        if (found.status === 404 && codeOf(found.body) !== 'NoSuchBucket') return { outcome: 'missing' }
        if (found.status === 200)
          return sha256 === null || found.sha256 === sha256 ? { outcome: 'whole' } : { outcome: 'differs', found: found.sha256 }
        if (found.status < 500 && found.status !== 429)
          throw new DownloadFailed(`${found.status} ${codeOf(found.body)}`, refused(`reading ${name}`, found).message, {
            hint: settings,
            retryAfterSeconds: 30,
          })
        failure = `${found.status} ${codeOf(found.body)}`.trim()
      } catch (error) {
        if (error instanceof Upstream || isLocal(error)) throw error
        failure = String((error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : error))
      }
      if (attempt >= tries || performance.now() - begun > limits.deadlineMs || (lockedTimeLeft() ?? 1) <= 0)
        throw new DownloadFailed(failure, `${address}: reading ${name} failed${attempt === 1 ? '' : ` ${attempt} times`}: ${failure}`, {
          hint,
          retryAfterSeconds: 10,
        })
      await wait(100 * 2 ** attempt)
    }
  }
}

const etagOf = (headers: S3Answer['headers']): string => (headers['etag'] ?? '').replaceAll('"', '')

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Errors of this machine's disk, which another attempt does not change. */
const isLocal = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EMFILE'].includes(String((error as NodeJS.ErrnoException).code))

type Once = { readonly status: number; readonly sha256: string; readonly body: Buffer }

/** One attempt. The body of a status other than 200 is returned, at most its first 4 KB. */
async function downloadOnce(client: S3Client, name: string, target: string | null, limits: DownloadLimits): Promise<Once> {
  const stop = new AbortController()
  let whole: NodeJS.Timeout | undefined
  const late = (what: string): void => stop.abort(new Error(what))
  const idle = setTimeout(late, limits.idleMs, `no byte within ${limits.idleMs} ms`)
  try {
    const answer = await client.stream(name, stop.signal)
    const length = Number(answer.headers['content-length'] ?? Number.NaN)
    const most =
      Math.min(limits.attemptMs, Math.max(limits.idleMs, lockedTimeLeft() ?? limits.attemptMs)) +
      (Number.isNaN(length) ? 0 : length / leastBytesPerMs)
    whole = setTimeout(late, most, `not complete within ${Math.round(most)} ms`)
    if (answer.status !== 200) return { status: answer.status, sha256: '', body: await beginning(answer) }
    const hash = createHash('sha256')
    let bytes = 0
    const file = target === null ? null : await open(target, 'w')
    try {
      for await (const part of answer.body) {
        idle.refresh()
        hash.update(part as Buffer)
        bytes += (part as Buffer).length
        // `write` may write a part of it on a nearly full disk and report success.
        await file?.appendFile(part as Buffer)
      }
    } finally {
      await file?.close()
    }
    if (!Number.isNaN(length) && bytes !== length) throw new Error(`the response ended after ${bytes} of ${length} bytes`)
    return { status: 200, sha256: hash.digest('hex'), body: Buffer.alloc(0) }
  } catch (error) {
    throw stop.signal.aborted && !isLocal(error) ? stop.signal.reason : error
  } finally {
    clearTimeout(idle)
    clearTimeout(whole)
    stop.abort()
  }
}

async function beginning({ body }: S3Stream): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    parts.push(part as Buffer)
    bytes += (part as Buffer).length
    if (bytes >= 4096) break
  }
  return Buffer.concat(parts)
}
