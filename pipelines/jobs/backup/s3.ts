// An S3-compatible bucket as the target of a backup. A part is at most 16 MiB, so every object is one PUT, which S3 stores completely or
// not at all.
import { createHash } from 'node:crypto'
import { BadRequest } from '#schemas/errors.ts'
import type { BackupTarget } from '#warehouse/backup/target.ts'
import { codeOf, createS3Client, listObjects, type S3Answer, type S3Settings } from '#warehouse/store/object-store/client.ts'

const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')
/** An ETag that can be the MD5 of one PUT; null for that of several parts and for none. */
const md5Of = (etag: string): string | null => /^"?([0-9a-f]{32})"?$/.exec(etag)?.[1] ?? null

/** A bucket as a target. `address` is `s3://bucket` or `s3://bucket/prefix`. `now` is the clock of the signatures, `wait` pauses between tries. */
export function s3Target(address: string, settings: S3Settings, now?: () => Date, wait?: (ms: number) => Promise<unknown>): BackupTarget {
  const client = createS3Client(address, settings, {
    ...(now && { now }),
    ...(wait && { wait }),
    hint: 'check CROSSFILE_S3_ENDPOINT and the network; crossfile backup resumes at the same place',
  })
  const refused = (what: string, { status, body }: S3Answer): BadRequest =>
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
      for await (const { key, bytes, etag } of listObjects(client, `${folder}/`, answer => refused('listing', answer))) {
        found.set(key, bytes)
        tags.set(key, md5Of(etag))
      }
      return found
    },
    async read(path) {
      const answer = await client.send({ method: 'GET', key: path })
      if (answer.status === 404) return null
      if (answer.status !== 200) throw refused(`reading ${path}`, answer)
      return answer.body
    },
    async write(path, bytes) {
      const answer = await client.send({ method: 'PUT', key: path, body: bytes })
      if (answer.status !== 200) throw refused(`writing ${path}`, answer)
      if (md5Of(answer.headers['etag'] ?? '') !== md5(bytes)) tagsAreMd5 = false
    },
  }
}
