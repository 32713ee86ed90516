// The S3 target against a stub that computes each signature by the published rules, with code of its own.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '#schemas/config.ts'
import { createBlobWriter } from '#warehouse/backup/blobs.ts'
import { type S3Settings, signed } from '#warehouse/store/object-store/client.ts'
import { openTarget } from './run.ts'
import { s3Target } from './s3.ts'

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const accessKeyId = 'AKIAIOSFODNN7EXAMPLE'
const objects = new Map<string, Buffer>()
const failures: number[] = []
let seen: string[] = []
/** What the store reports as the ETag of an object. */
let etagOf: (body: Buffer) => string | null = () => null
let server: Server
let settings: S3Settings

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Null if the request's signature is right; written from the documentation, not from s3.ts. */
function signatureFault(request: IncomingMessage, body: Buffer): string | null {
  const { authorization = '', host = '' } = request.headers
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/us-east-1\/s3\/aws4_request,SignedHeaders=([a-z0-9;-]+),Signature=([0-9a-f]{64})$/.exec(
      authorization,
    )
  if (!match) return 'AuthorizationHeaderMalformed'
  const [, id, day = '', names = '', signature] = match
  if (id !== accessKeyId) return 'InvalidAccessKeyId'
  const given = String(request.headers['x-amz-content-sha256'])
  if (given !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  if (!names.split(';').includes('host') || host === '') return 'AccessDenied'
  const at = request.url?.indexOf('?') ?? -1
  const path = at < 0 ? (request.url ?? '') : (request.url ?? '').slice(0, at)
  const query =
    at < 0
      ? ''
      : (request.url ?? '')
          .slice(at + 1)
          .split('&')
          .map(pair => pair.replace(/\+/g, '%20'))
          .sort()
          .join('&')
  let text = `${request.method}\n${path}\n${query}\n`
  for (const name of names.split(';')) text += `${name}:${String(request.headers[name]).trim()}\n`
  text += `\n${names}\n${given}`
  const toSign = `AWS4-HMAC-SHA256\n${String(request.headers['x-amz-date'])}\n${day}/us-east-1/s3/aws4_request\n${sha256(text)}`
  let key: Buffer | string = `AWS4${secret}`
  for (const step of [day, 'us-east-1', 's3', 'aws4_request']) key = createHmac('sha256', key).update(step).digest()
  return createHmac('sha256', key).update(toSign).digest('hex') === signature ? null : 'SignatureDoesNotMatch'
}

function tagOf(body: Buffer = Buffer.alloc(0)): string {
  const etag = etagOf(body)
  return etag === null ? '' : `<ETag>&quot;${etag}&quot;</ETag>`
}

/** Two keys a page, so that a listing goes on. */
function listing(prefix: string, after: string): string {
  const keys = [...objects.keys()].filter(key => key.startsWith(prefix) && key > after).sort()
  const page = keys.slice(0, 2)
  const contents = page
    .map(key => `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key><Size>${objects.get(key)?.length}</Size>${tagOf(objects.get(key))}</Contents>`)
    .join('')
  const more = keys.length > 2
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''}${contents}</ListBucketResult>`
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      seen.push(`${request.method} ${request.url}`)
      const etag = request.method === 'PUT' ? etagOf(body) : null
      const answer = (status: number, text: string | Buffer): void =>
        void response.writeHead(status, etag === null ? {} : { etag: `"${etag}"` }).end(text)
      const failure = failures.shift()
      if (failure === 0) return void request.socket.destroy()
      if (failure !== undefined) return answer(failure, '<Error><Code>SlowDown</Code></Error>')
      const fault = signatureFault(request, body)
      if (fault !== null) return answer(403, `<Error><Code>${fault}</Code></Error>`)
      const url = new URL(request.url ?? '', 'http://stub')
      const key = decodeURIComponent(url.pathname).replace(/^\/bucket\/?/, '')
      if (!url.pathname.startsWith('/bucket')) return answer(404, '<Error><Code>NoSuchBucket</Code></Error>')
      if (request.method === 'PUT') {
        objects.set(key, body)
        return answer(200, '')
      }
      if (key === '') return answer(200, listing(url.searchParams.get('prefix') ?? '', url.searchParams.get('continuation-token') ?? ''))
      const found = objects.get(key)
      return found === undefined ? answer(404, '<Error><Code>NoSuchKey</Code></Error>') : answer(200, found)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  settings = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    accessKeyId,
    secretAccessKey: secret,
    sessionToken: null,
  }
})
afterAll(() => void server.close())
beforeEach(() => {
  objects.clear()
  failures.length = 0
  seen = []
  etagOf = () => null
})

const now = (): Date => new Date('2026-11-20T21:05:00.123Z')
const target = (more: Partial<S3Settings> = {}, address = 's3://bucket/a/b') =>
  s3Target(address, { ...settings, ...more }, now, async () => undefined)

describe('a signature', () => {
  test("is that of Amazon's published example (GET Object, Signature Version 4)", () => {
    const { authorization } = signed(
      { method: 'GET', url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'), headers: { range: 'bytes=0-9' }, payloadSha256: sha256('') },
      { endpoint: '', region: 'us-east-1', accessKeyId, secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', sessionToken: null },
      new Date('2013-05-24T00:00:00Z'),
    )
    expect(authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41`,
    )
  })
})

describe('a bucket', () => {
  test('gives back what was written, lists it page by page with sizes, and has null for what it lacks', async () => {
    const bucket = target()
    for (const name of ['one', 'two', 'three', 'four', 'five']) await bucket.write(`blobs/${name}`, Buffer.from(name))
    await bucket.write('manifests/x.json', Buffer.from('{}'))
    expect([...objects.keys()].sort()).toContain('a/b/blobs/one')
    expect((await bucket.read('blobs/three'))?.toString()).toBe('three')
    expect(await bucket.read('blobs/six')).toBeNull()
    expect(Object.fromEntries(await bucket.list('blobs'))).toEqual({
      'blobs/one': 3,
      'blobs/two': 3,
      'blobs/three': 5,
      'blobs/four': 4,
      'blobs/five': 4,
    })
    expect(seen.filter(line => line.includes('list-type=2'))).toHaveLength(3)
  })
  test('without a prefix has the paths as keys', async () => {
    const bucket = target({}, 's3://bucket')
    await bucket.write('blobs/x', Buffer.from('x'))
    expect([...objects.keys()]).toEqual(['blobs/x'])
    expect([...(await bucket.list('blobs')).keys()]).toEqual(['blobs/x'])
  })
  test('sends a session token as a signed header', async () => {
    await target({ sessionToken: 'a+token/of=the tests' }).write('x', Buffer.from('x'))
    expect(objects.has('a/b/x')).toBe(true)
  })
  test('is asked again after a 503 and a broken connection, five times', async () => {
    failures.push(503, 0, 500)
    await target().write('x', Buffer.from('x'))
    expect(seen).toHaveLength(4)
    failures.push(503, 503, 503, 503, 503)
    await expect(target().read('x')).rejects.toThrow('GET a/b/x failed 5 times: 503 SlowDown')
  })
  test('that refuses the secret is an error that names the settings and not the secret', async () => {
    const refused = target({ secretAccessKey: 'wrong-secret' }).write('x', Buffer.from('x'))
    await expect(refused).rejects.toMatchObject({
      message: 's3://bucket/a/b: writing x was refused: 403 SignatureDoesNotMatch',
      hint: expect.stringContaining('AWS_SECRET_ACCESS_KEY'),
    })
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('wrong-secret') })
  })
})

describe('an object that a backup reuses', () => {
  const md5 = (body: Buffer): string => createHash('md5').update(body).digest('hex')
  /** A backup of two parts: what it counted, and how many objects it wrote. */
  async function backUp() {
    seen = []
    const writer = await createBlobWriter(target())
    for (const text of ['first', 'second']) await writer.put(Buffer.from(text))
    return { ...writer.counts(), puts: seen.filter(line => line.startsWith('PUT')).length }
  }
  const spoil = (): void => void objects.set(`a/b/blobs/${blobOf('first')}`, Buffer.from('tsrif'))
  const blobOf = (text: string): string => [...objects.keys()].find(key => key.includes(sha256(text)))?.slice('a/b/blobs/'.length) ?? 'none'

  test('is written again if the MD5 that the bucket reports is of other bytes of the same length', async () => {
    etagOf = md5
    expect(await backUp()).toMatchObject({ copied: 2, held: 0, puts: 2 })
    expect(await backUp()).toMatchObject({ copied: 0, held: 2, puts: 0 })
    spoil()
    expect(await backUp()).toMatchObject({ copied: 1, held: 1, rewritten: 1, puts: 1 })
    expect(objects.get(`a/b/blobs/${blobOf('first')}`)?.toString()).toBe('first')
    expect(await backUp()).toMatchObject({ copied: 0, held: 2 })
  })
  test('counts as whole by its size where the bucket reports no MD5, and one object shows that its tags are none', async () => {
    await backUp()
    spoil()
    expect(await backUp()).toMatchObject({ copied: 0, held: 2 })
    objects.clear()
    etagOf = body => md5(Buffer.concat([Buffer.from('encrypted '), body]))
    await backUp()
    expect(await backUp()).toMatchObject({ copied: 1, held: 1, puts: 1 })
  })
})

test('an address opens a bucket with the settings of the environment, and says which are missing', async () => {
  const env = { CROSSFILE_S3_ENDPOINT: settings.endpoint, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secret }
  await openTarget('s3://bucket/c', loadConfig(env)).write('x', Buffer.from('x'))
  expect(objects.has('c/x')).toBe(true)
  expect(() => openTarget('s3://bucket/c', loadConfig({}))).toThrow('a backup to S3 needs credentials')
  expect(() => openTarget('ftp://bucket/c', loadConfig(env))).toThrow('to a folder or to s3://bucket/prefix')
  expect(() => openTarget('/srv/data/backup', loadConfig({ CROSSFILE_DATA: '/srv/data' }))).toThrow('would be lost with it')
  expect(() => loadConfig({ CROSSFILE_BACKUP_TO: 's3:/bucket' })).not.toThrow()
  expect(() => loadConfig({ CROSSFILE_BACKUP_TO: 'https://bucket' })).toThrow('expected a folder, or a bucket')
})
