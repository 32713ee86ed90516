// Whether a bucket can hold the lake: reachable, credentials accepted, and conditional writes honoured. A store that ignores a condition
// would let two workers overwrite each other without an error.
import { randomBytes } from 'node:crypto'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { codeOf, createS3Client, type S3Answer, type S3Client, s3Settings } from '../../object-store/client.ts'
import type { StartFault } from '../../start-check/start-check.ts'
import type { RemoteConfig } from '../remote.ts'

const setting = 'CROSSFILE_LAKE'
/** One attempt of each request, so that a wrong address is reported within seconds. */
const limits = { tries: 1, requestMs: 5_000 }
const stores = 'use a store with conditional writes (If-None-Match and If-Match of a PUT), such as versitygw or Amazon S3'

/** Writes, compares and deletes a small object below `delta/`. `writes` false: only looks for one, as an API needs it. */
export async function checkBucket(address: string, config: RemoteConfig, writes: boolean): Promise<StartFault[]> {
  try {
    const client = createS3Client(address, s3Settings(config, `the lake in ${address}`), limits)
    const key = `delta/.probe-${randomBytes(8).toString('hex')}`
    const looked = await client.send({ method: 'GET', key })
    if (looked.status !== 404 || codeOf(looked.body) === 'NoSuchBucket') return [refusal(address, 'reading', looked)]
    return writes ? await probe(client, key) : []
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    if (error instanceof BadRequest) return [{ setting, found: error.message, remedy: error.hint ?? 'set the credentials' }]
    return [{ setting, found: error.message, remedy: 'check CROSSFILE_S3_ENDPOINT, the network, and that the store runs' }]
  }
}

function refusal(address: string, what: string, { status, body }: S3Answer): StartFault {
  const code = codeOf(body)
  const found = `${address}: ${what} was refused: ${status} ${code}`.trim()
  if (code === 'NoSuchBucket') return { setting, found, remedy: `make the bucket ${new URL(address).hostname}, or correct its name` }
  return { setting, found, remedy: 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, CROSSFILE_S3_REGION and the rights of the key' }
}

async function probe(client: S3Client, key: string): Promise<StartFault[]> {
  const { address } = client
  const [first, second] = [Buffer.from('first'), Buffer.from('second')]
  const put = (body: Buffer, headers: Readonly<Record<string, string>>): Promise<S3Answer> => client.send({ method: 'PUT', key, headers, body })
  const ignores = (header: string): StartFault => ({
    setting,
    found: `the store of ${address} ignores ${header}: it overwrites what exists`,
    remedy: stores,
  })
  const made = await put(first, { 'if-none-match': '*' })
  if (made.status === 501) return [{ setting, found: `the store of ${address} has no conditional writes (${codeOf(made.body)})`, remedy: stores }]
  if (made.status !== 200) return [refusal(address, 'writing', made)]
  try {
    if ((await put(second, { 'if-none-match': '*' })).status !== 412) return [ignores('If-None-Match')]
    if ((await put(second, { 'if-match': '"00000000000000000000000000000000"' })).status !== 412) return [ignores('If-Match')]
    const etag = made.headers['etag'] ?? ''
    const replaced = await put(second, { 'if-match': etag })
    if (replaced.status !== 200)
      return [
        {
          setting,
          found: `the store of ${address} refuses If-Match with the object's own ETag: ${replaced.status} ${codeOf(replaced.body)}`,
          remedy: stores,
        },
      ]
    const held = await client.send({ method: 'GET', key })
    if (held.status !== 200) return [refusal(address, 'reading', held)]
    if (!held.body.equals(second)) return [{ setting, found: `the store of ${address} gives back other bytes than were written`, remedy: stores }]
    return []
  } finally {
    await client.send({ method: 'DELETE', key })
  }
}
