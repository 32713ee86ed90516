// The drill: a running installation is backed up, restored in a second folder and compared; damage is named and refused.
import { hash } from 'node:crypto'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { addDocument, type TestWarehouse, worldWarehouse } from '#fixtures/warehouse.ts'
import { createBackup } from '#warehouse/backup/backup.ts'
import { listBackups, type Manifest, readBackup, renderManifest } from '#warehouse/backup/manifest.ts'
import { openKeys, sealKeys } from '#warehouse/backup/seal-keys.ts'
import { type BackupTarget, folderTarget, refuseFullDisk } from '#warehouse/backup/target.ts'
import { audit, brokenAudit } from '#warehouse/people/users/audit.ts'
import { collect } from '#warehouse/store/lake/collect.ts'
import { compactAll } from '#warehouse/store/lake/compact.ts'
import { stateDigest } from '#warehouse/store/lake/digest.ts'
import { lakePath } from '#warehouse/store/lake/open.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import { listPacks } from '#warehouse/store/raw/pack.ts'
import { rawFolder } from '#warehouse/store/raw/place.ts'
import { keyRing } from '#warehouse/store/receipts/keys.ts'
import { getReceipt, listKeys } from '#warehouse/store/receipts/store.ts'
import { verifyReceipt } from '#warehouse/store/receipts/verify.ts'
import { keptIo } from '../../cli/kept-io.ts'
import { main } from '../../cli/main.ts'
import { openRuntime, type Runtime } from '../../ingest/runtime.ts'
import { verifyNewestBackup } from './run.ts'

const passphrase = 'a passphrase of the tests'
const now = new Date('2026-11-20T21:05:00Z')
let warehouse: TestWarehouse
let folder: string
let place: string
let passphraseFile: string
/** Tables that a restore changes on purpose. */
const changed = new Set([
  'user_session',
  'one_time_token',
  'job_run',
  'model_build',
  'sorted_copy',
  'job_common',
  'erasure',
  'audit_entry',
  'app_user',
])

beforeAll(async () => {
  warehouse = await worldWarehouse()
  folder = await mkdtemp(join(tmpdir(), 'crossfile-backup-'))
  place = join(folder, 'place')
  passphraseFile = join(folder, 'passphrase')
  await writeFile(passphraseFile, `${passphrase}\n`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Ran = { readonly code: number; readonly out: string; readonly err: string; json<T>(): T }
async function run(argv: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const full = { DATABASE_URL: warehouse.config.databaseUrl?.reveal() ?? '', CROSSFILE_DATA: warehouse.config.dataFolder, ...env }
  const io = keptIo(full)
  const code = await main(argv, io, full)
  return { code, out: io.output.out.join('\n'), err: io.output.err.join('\n'), json: () => io.json() }
}
const take = (target: BackupTarget, more: { since?: number | null; passphrase?: string | null } = {}) =>
  createBackup({
    db: warehouse.runtime.postgres.db,
    url: warehouse.runtime.url,
    data: warehouse.config.dataFolder,
    target,
    version: 'test',
    passphrase: null,
    since: null,
    ...more,
  })
let count = 0
async function restored(from: string, more: readonly string[] = []): Promise<Ran & { data: string; env: Record<string, string> }> {
  const data = join(folder, `restored-${++count}`)
  const env = { DATABASE_URL: await createTestDatabase({ empty: true }), CROSSFILE_DATA: data }
  return { ...(await run(['restore', from, '--passphrase-file', passphraseFile, '--json', ...more], env)), data, env }
}
const digestsOf = (manifest: Manifest): Record<string, unknown> =>
  Object.fromEntries(
    manifest.tables.filter(({ name }) => !changed.has(name)).map(({ name, rows, parts }) => [name, [rows, parts.map(part => part.sha256)]]),
  )

describe('a backup of a running installation', () => {
  test('is restored in a second folder: rows, lake, receipts, keys and audit chain are the same', async () => {
    const { runtime, config } = warehouse
    const { db, pool } = runtime.postgres
    const [stays, leaves] = [await signedInUser(db), await signedInUser(db)]
    await db
      .transaction()
      .execute(trx => audit(trx, { actor: 'system', act: 'test.act', subject: 'x', details: { text: 'a "quote", a \\ and\na line' } }, now))
    const queue = await openQueue(db, false, () => undefined)
    await queue.define('drill', { retryLimit: 2, retryDelay: 1, retryDelayMax: 2, expireInSeconds: 60 })
    await queue.send('drill', { partition: 'p', from: null, to: null, symbols: null, backfill_id: null })
    expect(await queue.claim('drill', 1)).toHaveLength(1)
    await queue.close()

    // While it copies, a release is committed, files are merged, and the collector deletes what no lease holds.
    let disturbed = false
    const inner = folderTarget(place)
    const target: BackupTarget = {
      ...inner,
      write: async (path, bytes) => {
        if (!disturbed && path.startsWith('blobs/')) {
          disturbed = true
          await addDocument(warehouse, 'file:bars/late.csv', 'symbol,date,open,high,low,close,volume\nLATE,2026-11-19,1,1,1,1,10\n')
          await compactAll(db, runtime.tools.writer)
          await collect(db, runtime.tools.writer, -1)
        }
        await inner.write(path, bytes)
      },
    }
    const before = Number((await pool.query('select release from head')).rows[0].release)
    const { manifest } = await take(target, { passphrase })
    expect(disturbed).toBe(true)
    expect(manifest.release).toBe(before)
    expect(await db.selectFrom('reader_lease').select('process').where('process', 'like', 'backup:%').execute()).toEqual([])

    // One of the accounts is erased after the backup; a later backup of the place lists it.
    const gone = { subject_sha256: hash('sha256', leaves.user_id), requested_at: '2026-10-01T00:00:00Z', erased_at: '2026-11-01T00:00:00Z' }
    await writeFile(join(config.dataFolder, 'erasures.jsonl'), `${JSON.stringify(gone)}\n`)
    const later = await take(inner)
    expect(later.held).toBeGreaterThan(0)

    const { code, err, data, env, json } = await restored(place, ['--at', manifest.id])
    expect([code, err]).toEqual([0, ''])
    expect(json()).toMatchObject({ backup: manifest.id, release: before, erased_again: 1, data })
    const second = await openRuntime({ ...config, dataFolder: data, databaseUrl: connectSecret(env) }, () => {}, 'crossfile test')
    try {
      await compare(second, manifest, before, stays.user_id, leaves.user_id)
    } finally {
      await second.close()
    }
  })

  async function compare(second: Runtime, manifest: Manifest, release: number, stays: string, leaves: string): Promise<void> {
    const { db, pool } = second.postgres
    const { loadCatalogue } = await import('#warehouse/store/lake/catalogue.ts')
    const { openLake } = await import('#warehouse/store/lake/open.ts')
    const lake = openLake(await loadCatalogue(db), second.tools.writer.connections, second.tools.writer.verifier)
    expect(lake.release).toBe(release)
    expect(await stateDigest(lake)).toEqual(await stateDigest(await warehouse.lake(release)))
    // A backup of the restored installation has the same rows, table by table.
    const again = await createBackup({
      db,
      url: second.url,
      data: second.config.dataFolder,
      target: folderTarget(join(folder, 'again')),
      version: 'test',
      passphrase: null,
      since: null,
    })
    expect(digestsOf(again.manifest)).toEqual(digestsOf(manifest))
    expect(again.manifest.sequences).toEqual(manifest.sequences)
    const paths = (each: Manifest): string[] =>
      each.files
        .map(file => `${file.path} ${file.sha256}`)
        .filter(path => !path.startsWith('erasures'))
        .sort()
    expect(paths(again.manifest)).toEqual(paths(manifest))
    const users = await db.selectFrom('app_user').selectAll().execute()
    expect(users.map(user => user.user_id)).toEqual([stays])
    expect(users).toEqual(await warehouse.runtime.postgres.db.selectFrom('app_user').selectAll().where('user_id', '<>', leaves).execute())
    expect(await db.selectFrom('user_session').select('user_id').execute()).toEqual([])
    expect(await brokenAudit(db)).toBeNull()
    await expect(pool.query('delete from audit_entry')).rejects.toThrow('append-only')
    // The job that ran waits again, with its attempt as it was.
    expect((await pool.query("select state, retry_count from pgboss.job where name = 'drill'")).rows).toEqual([{ state: 'created', retry_count: 0 }])
    const ring = keyRing(await listKeys(db))
    const receipts = await db.selectFrom('receipt').select('receipt_id').execute()
    expect(receipts.length).toBeGreaterThan(10)
    for (const { receipt_id } of receipts) expect(verifyReceipt(await getReceipt(db, receipt_id), ring)).toMatchObject({ valid: true })
    for (const name of await readdir(join(warehouse.config.dataFolder, 'keys'))) {
      const path = join(second.config.dataFolder, 'keys', name)
      expect(await readFile(path)).toEqual(await readFile(join(warehouse.config.dataFolder, 'keys', name)))
      expect((await stat(path)).mode & 0o777).toBe(0o600)
    }
    // New rows get new numbers.
    const { raw_id } = (
      await second.raw.keep([
        {
          sha256: hash('sha256', 'new'),
          source: 'csv',
          url: 'file:new.csv',
          retrieved_at: now.toISOString(),
          status: 200,
          headers: {},
          body: Buffer.from('new'),
        },
      ])
    )[0] ?? { raw_id: 0 }
    expect(raw_id).toBeGreaterThan(0)
  }

  test('again copies nothing that the place has', async () => {
    const first = await run(['backup', place, '--json'])
    expect(first.code).toBe(0)
    const again = await run(['backup', place, '--json'])
    expect(again.json<{ copied: number; already_there: number }>().copied).toBe(0)
    const list = await run(['backup', 'list', place, '--json'])
    expect(list.json<{ backups: unknown[] }>().backups.length).toBeGreaterThanOrEqual(4)
    expect((await run(['backup', 'verify', place])).out).toContain('is whole')
  })

  test('with --since leaves out what an earlier backup has, and is restored with that one only', async () => {
    const { release } = await readBackup(folderTarget(place), null)
    const other = join(folder, 'since')
    expect((await run(['backup', '--to', other, '--since', String(release)])).code).toBe(0)
    expect((await run(['backup', 'verify', other])).code).toBe(1)
    expect((await run(['backup', 'verify', other, '--base', place])).code).toBe(0)
    const alone = await restored(other)
    expect([alone.code, alone.err]).toEqual([
      2,
      expect.stringMatching(new RegExp(`made with --since ${release}: \\d+ of its \\d+ files are in an earlier backup`)),
    ])
    expect(alone.err).toContain('--base')
    expect((await restored(other, ['--base', place])).code).toBe(0)
  })
})

/** The job `backup-verify` over a place, with what it wrote to the log of its run. */
function verified(backupTo: string, signal: AbortSignal = new AbortController().signal) {
  const lines: string[] = []
  const log = (level: string, message: string): void => void lines.push(`${level} ${message}`)
  return { lines, done: verifyNewestBackup({ ...warehouse.config, backupTo }, log, signal) }
}

describe('the job that verifies the newest backup', () => {
  test('reads all of it, with its progress in the log', async () => {
    const target = join(folder, `verified-${++count}`)
    await take(folderTarget(target))
    const manifest = await readBackup(folderTarget(target), null)
    const of = manifest.tables.length + manifest.files.length
    const job = verified(target)
    expect(await job.done).toMatch(new RegExp(`^backup ${manifest.id} is whole: ${manifest.files.length} files and ${manifest.tables.length} tables`))
    // At most 20 lines of progress, and the last one states that everything was checked.
    expect(job.lines.length).toBe(Math.min(20, of))
    expect(job.lines.at(-1)).toContain(`${of} of ${of} tables and files checked`)
  })
  test('stops between two files when its run ends', async () => {
    const target = join(folder, `verified-${++count}`)
    await take(folderTarget(target))
    await expect(verified(target, AbortSignal.abort(new Error('the worker stops'))).done).rejects.toThrow('the worker stops')
  })
  test('a place without a backup, and no place, are refused with what to do', async () => {
    await expect(verified(join(folder, 'empty-place')).done).rejects.toThrow('holds no backup')
    const none = verifyNewestBackup({ ...warehouse.config, backupTo: null }, () => undefined, new AbortController().signal)
    await expect(none).rejects.toThrow('no target for backups')
  })
})

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  await writeFile(path, bytes)
}

describe('lists without a recorded SHA-256', () => {
  const decided = {
    fingerprint: 'f1',
    dataset: 'bars',
    subject: 'AAA|2026-01-02',
    decision: 'released' as const,
    at: '2026-11-20T10:00:00.500Z',
    note: 'operator:',
  }
  const other = { ...decided, fingerprint: 'f2', subject: 'BBB|2026-01-02', at: '2026-11-20T11:00:00.000Z' }
  const proofOf = (id: string) => ({
    subject_sha256: hash('sha256', id),
    requested_at: '2026-10-01T00:00:00Z',
    erased_at: '2026-11-01T00:00:00Z',
  })
  const contains = (row: object) => expect.arrayContaining([expect.objectContaining(row)])
  const linesOf = (list: readonly object[]): string => list.map(each => `${JSON.stringify(each)}\n`).join('')

  test('a damaged journal and a damaged list of erasures: the backup has both whole, names them, and is restored', async () => {
    const { db } = warehouse.runtime.postgres
    const { dataFolder } = warehouse.config
    const [journal, list] = [join(dataFolder, 'raw', 'decisions.jsonl'), join(dataFolder, 'erasures.jsonl')]
    const held = { source: 'csv', detail: '', raw_sha256: 'a'.repeat(64), url: '', record: '{}', held_at: '2026-11-20T09:00:00Z' }
    await db
      .insertInto('quarantine')
      .values([decided, other].map(({ decision, at, ...each }) => ({ ...held, ...each, reason: 'unit_error_100x', state: decision, decided_at: at })))
      .execute()
    const proof = proofOf('u_proven')
    await db
      .insertInto('erasure')
      .values({ ...proof, subject_sha256: Buffer.from(proof.subject_sha256, 'hex'), counts: '{}' })
      .execute()
    const listed = proofOf('u_listed')
    // A line of each is damaged, and the list lacks what the database has.
    await writeFile(journal, `${linesOf([other])}${JSON.stringify(decided).slice(0, 40)}\n`)
    await writeFile(list, `${linesOf([listed])}${JSON.stringify(listed).slice(0, 40)}`)
    try {
      const at = join(folder, 'lists')
      const done = await run(['backup', at])
      expect(done.code).toBe(0)
      expect(done.out).toContain('decisions.jsonl:2 is not a decision; crossfile repair writes the journal again')
      expect(done.out).toContain('the journal of decisions lacks 1 of the database, such as on AAA|2026-01-02')
      expect(done.out).toContain(`${list}, line 2: `)
      expect(done.out).toContain('erasures.jsonl lacks 1 of the database')
      const { code, data, env } = await restored(at)
      expect(code).toBe(0)
      expect(await readFile(join(data, 'raw', 'decisions.jsonl'), 'utf8')).toBe(linesOf([decided, other]))
      expect(await readFile(join(data, 'erasures.jsonl'), 'utf8')).toBe(
        linesOf([listed, proof].sort((a, b) => (a.subject_sha256 < b.subject_sha256 ? -1 : 1))),
      )
      expect((await run(['doctor', '--json'], env)).json<{ findings: object[] }>().findings).toContainEqual(
        expect.objectContaining({ check: 'lists', state: 'ok' }),
      )
      // Doctor shows the damage, and repair writes the journal again from the database.
      const found = (await run(['doctor', '--json'])).json<{ findings: { check: string }[] }>().findings.filter(({ check }) => check === 'lists')
      expect(found).toHaveLength(4)
      expect((await run(['repair', '--dry-run', '--json'])).json()).toMatchObject({ repairs: contains({ file: 'decisions.jsonl', repaired: false }) })
      // A damaged file of the lake is made again from raw, which needs the journal.
      const file = await db
        .selectFrom('lake_file')
        .selectAll()
        .where('dataset', '=', 'fx_rates')
        .where('removed_version', 'is', null)
        .executeTakeFirstOrThrow()
      const path = lakePath(dataFolder, file)
      await chmod(path, 0o644)
      await flip(path)
      const repaired = (await run(['repair', '--json'])).json()
      expect(repaired).toMatchObject({ repairs: contains({ file: 'decisions.jsonl', repaired: true }) })
      expect(repaired).toMatchObject({ repairs: contains({ file: file.sha256, repaired: true }) })
      expect(await readFile(journal, 'utf8')).toBe(linesOf([decided, other]))
    } finally {
      await rm(journal, { force: true })
      await rm(list, { force: true })
      await db.deleteFrom('quarantine').where('fingerprint', 'in', ['f1', 'f2']).execute()
      await db.deleteFrom('erasure').where('subject_sha256', '=', Buffer.from(proof.subject_sha256, 'hex')).execute()
    }
  })

  test('a backup whose lists are damaged, as earlier versions made them, is restored, also by a later backup of the place', async () => {
    const at = join(folder, 'damaged-lists')
    const target = folderTarget(at)
    const proof = proofOf('u_listed')
    const { manifest } = await take(target)
    const asFile = async (path: string, text: string) => {
      const bytes = Buffer.from(text)
      const part = { sha256: hash('sha256', bytes), bytes: bytes.length }
      await target.write(`blobs/${part.sha256.slice(0, 2)}/${part.sha256}`, bytes)
      return { path, ...part, parts: [part], base: false }
    }
    const files = manifest.files.filter(({ path }) => path !== 'raw/decisions.jsonl' && path !== 'erasures.jsonl')
    const journal = await asFile('raw/decisions.jsonl', `${JSON.stringify(decided).slice(0, 40)}\n${linesOf([decided])}`)
    const list = await asFile('erasures.jsonl', `${linesOf([proof])}${JSON.stringify(proof).slice(0, 40)}`)
    await target.write(`manifests/${manifest.id}.json`, renderManifest({ ...manifest, files: [...files, journal, list] }))
    expect((await run(['backup', 'verify', at])).code).toBe(0)
    const first = await restored(at)
    expect([first.code, first.err]).toEqual([0, expect.stringContaining(`erasures.jsonl of backup ${manifest.id}, line 2: `)])
    expect(first.json()).toMatchObject({ corrected: [expect.stringContaining('raw/decisions.jsonl: written again from the database (1 damaged')] })
    expect(await readFile(join(first.data, 'raw', 'decisions.jsonl'), 'utf8')).toBe(linesOf([decided]))
    expect(await readFile(join(first.data, 'erasures.jsonl'), 'utf8')).toContain(proof.subject_sha256)
    // The object of a list is lost: the next backup of the place is restored all the same.
    await rm(join(at, 'blobs', list.sha256.slice(0, 2), list.sha256))
    const later = await take(target)
    const second = await restored(at, ['--at', later.manifest.id])
    expect([second.code, second.err]).toEqual([0, expect.stringContaining(`erasures.jsonl of backup ${manifest.id}: its object in ${target.name}`)])
  })
})

describe('a damaged backup', () => {
  async function copyWith(damage: (target: string, manifest: Manifest) => Promise<void>): Promise<string> {
    const target = join(folder, `damaged-${++count}`)
    await take(folderTarget(target), { passphrase })
    await damage(target, await readBackup(folderTarget(target), null))
    return target
  }
  const blob = (target: string, sha256: string): string => join(target, 'blobs', sha256.slice(0, 2), sha256)

  test.each([
    ['a file of the lake', (manifest: Manifest) => manifest.files.find(file => file.path.startsWith('lake/'))],
    ['a raw pack', (manifest: Manifest) => manifest.files.find(file => file.path.endsWith('.pack'))],
    ['the keys', (manifest: Manifest) => manifest.keys],
  ] as const)('%s with one flipped bit is named by verify and refused by restore, which writes nothing', async (_what, pick) => {
    let subject = ''
    const target = await copyWith(async (at, manifest) => {
      const file = pick(manifest)
      subject = file?.path ?? ''
      await flip(blob(at, file?.parts[0]?.sha256 ?? ''))
    })
    const checked = await run(['backup', 'verify', target])
    expect(checked.code).toBe(1)
    expect(checked.out).toContain(`damaged  ${subject}: blobs/`)
    const refused = await restored(target)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(`${subject}: blobs/`)
    await expect(readdir(refused.data)).rejects.toThrow('ENOENT')
  })
  test('a table whose part is missing is named', async () => {
    const target = await copyWith(async (at, manifest) => {
      const table = manifest.tables.find(each => each.name === 'release')
      await rm(blob(at, table?.parts[0]?.sha256 ?? ''))
    })
    const job = verified(target)
    await expect(job.done).rejects.toThrow(/1 object is damaged or missing, such as blobs\/\S+: is missing/)
    expect(job.lines.filter(line => line.startsWith('error'))).toEqual([expect.stringContaining('damaged table public.release: blobs/')])
    expect((await run(['backup', 'verify', target])).out).toMatch(/damaged {2}table public\.release: blobs\/\S+ is missing/)
  })
  test('an object of the place that is damaged is written again by the next backup, which says so', async () => {
    const at = join(folder, 'decayed')
    const { manifest, rewritten } = await take(folderTarget(at))
    expect(rewritten).toBe(0)
    const part = manifest.files.find(file => file.path.startsWith('lake/'))?.parts[0]
    await flip(blob(at, part?.sha256 ?? ''))
    expect((await run(['backup', 'verify', at])).code).toBe(1)
    const second = await run(['backup', at])
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('1 object was damaged there, and written again')])
    expect((await run(['backup', 'verify', at])).code).toBe(0)
    expect((await run(['backup', at, '--json'])).json()).toMatchObject({ rewritten: 0 })
  })
  test('a changed manifest is refused', async () => {
    const target = await copyWith(async at => {
      const [id] = await listBackups(folderTarget(at))
      const path = join(at, 'manifests', `${id}.json`)
      await writeFile(path, (await readFile(path, 'utf8')).replace('"crossfile":"test"', '"crossfile":"tesu"'))
    })
    expect(await run(['backup', 'verify', target])).toMatchObject({ code: 1, err: expect.stringContaining('is damaged: its SHA-256 differs') })
    expect((await restored(target)).err).toContain('is damaged: its SHA-256 differs')
  })
  test('a file that is damaged in the data folder ends the backup, and the place has no new backup', async () => {
    const { db } = warehouse.runtime.postgres
    const file = await db
      .selectFrom('lake_file')
      .select(['dataset', 'bucket', 'sha256'])
      .where('removed_version', 'is', null)
      .limit(1)
      .executeTakeFirstOrThrow()
    const path = join(warehouse.config.dataFolder, 'lake', 'delta', file.dataset, file.bucket, `${file.sha256}.parquet`)
    const good = `${path}.good`
    await rename(path, good)
    try {
      const missing = await run(['backup', join(folder, 'none')])
      expect([missing.code, missing.err]).toEqual([1, expect.stringContaining(`${file.sha256}.parquet: it is missing`)])
      await copyFile(good, path)
      await chmod(path, 0o644)
      await flip(path)
      const damaged = await run(['backup', join(folder, 'none')])
      expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining(`${file.sha256}.parquet: its SHA-256 is`)])
      expect(await listBackups(folderTarget(join(folder, 'none')))).toEqual([])
    } finally {
      await rename(good, path)
    }
  })
  test('so does a raw record that differs from its SHA-256, and doctor names it', async () => {
    const [pack = ''] = await listPacks(rawFolder(warehouse.config.dataFolder))
    const path = join(rawFolder(warehouse.config.dataFolder), pack)
    const good = `${path}.good`
    await rename(path, good)
    try {
      await copyFile(good, path)
      await flip(path)
      const target = join(folder, 'none-of-raw')
      const refused = await run(['backup', target])
      expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/raw\/\S+\.pack: the record at byte \d+ differs from its SHA-256/)])
      expect(await listBackups(folderTarget(target))).toEqual([])
      const checked = await run(['doctor', '--json'])
      expect(checked.code).toBe(1)
      expect(checked.json<{ findings: unknown[] }>().findings).toContainEqual({
        check: 'files',
        state: 'wrong',
        found: expect.stringMatching(new RegExp(`raw/${pack} is damaged: the record at byte \\d+ differs from its SHA-256`)),
        remedy: expect.stringContaining('crossfile repair --from'),
      })
    } finally {
      await rename(good, path)
    }
    expect((await run(['doctor'])).out).toContain('raw packs have the SHA-256 of every record')
  })
})

test.skipIf(process.platform !== 'linux')('a folder that cannot be made is refused by name', async () => {
  const target = folderTarget('/proc/crossfile/backup')
  await expect(target.write('blobs/aa', Buffer.from('a'))).rejects.toThrow('the folder /proc/crossfile/backup/blobs cannot be written')
})

test('a full disk is named, at the place of the backup and where it is restored', async () => {
  const full = {
    ...folderTarget(join(folder, 'full-place')),
    write: () => Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' })).catch(refuseFullDisk('/mnt/small')),
  }
  // It is not damage of the files that are backed up.
  await expect(take(full)).rejects.toThrow(/^the disk of \/mnt\/small is full$/)
  expect(() => refuseFullDisk('/mnt/small')(new Error('another'))).toThrow('another')
})

describe('a restore', () => {
  test('overwrites neither a folder nor a database', async () => {
    const full = join(folder, 'full')
    await mkdir(full)
    await writeFile(join(full, 'something'), '')
    const env = { DATABASE_URL: await createTestDatabase({ empty: true }), CROSSFILE_DATA: full }
    expect(await run(['restore', place, '--without-keys'], env)).toMatchObject({ code: 2, err: expect.stringContaining('is not empty (something)') })
    const filled = { DATABASE_URL: await createTestDatabase(), CROSSFILE_DATA: join(folder, 'untouched') }
    expect(await run(['restore', place, '--without-keys'], filled)).toMatchObject({
      code: 2,
      err: expect.stringContaining('a restore needs an empty one'),
    })
    await expect(readdir(join(folder, 'untouched'))).rejects.toThrow('ENOENT')
  })
  test('that did not finish keeps the service from starting on the folder', async () => {
    const data = join(folder, 'unfinished')
    await mkdir(data)
    await writeFile(join(data, 'restore-unfinished'), 'x\n')
    expect(await run(['start'], { CROSSFILE_DATA: data, PORT: '0' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('holds a restore that did not finish'),
    })
    expect((await run(['restore', place, '--without-keys'], { CROSSFILE_DATA: data })).err).toContain('holds a restore that did not finish')
  })
  test('with another passphrase is refused and writes nothing', async () => {
    const target = join(folder, 'sealed')
    await take(folderTarget(target), { passphrase })
    const wrongFile = join(folder, 'wrong')
    await writeFile(wrongFile, 'another passphrase entirely\n')
    const data = join(folder, 'never')
    const env = { DATABASE_URL: await createTestDatabase({ empty: true }), CROSSFILE_DATA: data }
    expect(await run(['restore', target, '--passphrase-file', wrongFile], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining('do not open with this passphrase'),
    })
    await expect(readdir(data)).rejects.toThrow('ENOENT')
  })
})

test('sealed keys show nothing of the keys, and every flipped bit is found', async () => {
  const sealed = (await sealKeys(warehouse.config.dataFolder, passphrase)) ?? Buffer.alloc(0)
  const files = openKeys(sealed, passphrase)
  expect(files.map(file => file.path)).toContain('keys/signing-1.pem')
  for (const file of files) expect(sealed.includes(file.bytes.toString('base64').slice(0, 40))).toBe(false)
  const parsed = JSON.parse(sealed.toString()) as { text: string; tag: string }
  for (const member of ['text', 'tag'] as const) {
    const bytes = Buffer.from(parsed[member], 'base64')
    bytes[3] = (bytes[3] ?? 0) ^ 4
    expect(() => openKeys(Buffer.from(JSON.stringify({ ...parsed, [member]: bytes.toString('base64') })), passphrase)).toThrow('do not open')
  }
})

function connectSecret(env: Record<string, string>): TestWarehouse['config']['databaseUrl'] {
  const text = env['DATABASE_URL'] ?? ''
  return { reveal: () => text } as TestWarehouse['config']['databaseUrl']
}
