import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { expectKilled } from '#fixtures/child-process.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { buildGoClients, runGoClients } from '#fixtures/receipt-log/clients.ts'
import { storeReceipts } from '#fixtures/receipts/store-receipts.ts'
import { aStatementInput } from '#fixtures/receipts/vectors.ts'
import { connect, type Db, type Postgres } from '../../postgres.ts'
import { checkpointText } from '../../transparency/checkpoint.ts'
import { leafHash } from '../../transparency/merkle.ts'
import { signNote, verifierKey } from '../../transparency/note.ts'
import { printProof, verifyProof } from '../../transparency/proof.ts'
import { decodeEntries } from '../../transparency/tiles.ts'
import { encodeBundle } from '../bundle.ts'
import { keyRing } from '../keys.ts'
import { issueReceipt, type Receipt } from '../receipt.ts'
import { activeSigner, revokeKey, rotateKey } from '../rotation.ts'
import { findSigner } from '../signer.ts'
import { buildStatement, sha256Hex } from '../statement.ts'
import { insertReceipts, listKeys } from '../store.ts'
import { verifyReceipt } from '../verify.ts'
import { verifyBundle } from '../verify-offline.mjs'
import { entryOfStatement } from './entry-of-statement.ts'
import { findNamedManifest } from './find-manifest.ts'
import { findProof, unlessDamaged } from './find-proof.ts'
import { findLogHead, headFault, logKeys } from './head.ts'
import { openLogFolder } from './open-folder.ts'
import { type SequenceTools, sequence } from './sequence.ts'
import { continueLog, findDamagedFile, readLogState } from './state.ts'
import { repairLogFiles } from './write-files.ts'

const opened: Postgres[] = []
const folders: string[] = []
afterAll(async () => {
  for (const each of opened) await each.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

type Service = { readonly url: string; readonly db: Db; readonly data: string; readonly tools: SequenceTools }
let service: Service

async function newService(data = mkdtempSync(join(tmpdir(), 'receipt-log-'))): Promise<Service> {
  folders.push(data)
  const url = await createTestDatabase()
  const postgres = connect(url)
  opened.push(postgres)
  const { db } = postgres
  return { url, db, data, tools: { db, folder: openLogFolder(data, null), keysFolder: join(data, 'keys'), host: 'crossfile.example' } }
}

/** Stores `count` further receipts, signed by the active key. */
const addReceipts = ({ db, tools }: Service, count: number): Promise<Receipt[]> => storeReceipts(db, tools.keysFolder, count)
const sizeOf = async ({ db }: Service): Promise<number> => (await findLogHead(db))?.frontier.size ?? 0
const checkpointOf = ({ data }: Service): string => readFileSync(join(data, 'receipt-log', 'checkpoint'), 'utf8')
/** Every receipt of the database is in the log exactly once, and proves it. */
async function expectWhole(each: Service, receipts: readonly Receipt[]): Promise<void> {
  const head = await findLogHead(each.db)
  const keys = await logKeys(each.db, head?.origin ?? '')
  const indexes = new Set<number>()
  for (const receipt of receipts) {
    const proof = await findProof(each.db, each.tools.folder, receipt.receipt_id)
    expect(proof).not.toBeNull()
    indexes.add(verifyProof(proof?.text ?? '', entryOfStatement(receipt.statement_bytes), keys).index)
  }
  expect(indexes.size).toBe(receipts.length)
  const { rows } = await sql<{ n: number; top: number }>`select count(*)::int as n, max(index) as top from log_entry`.execute(each.db)
  expect(rows[0]).toEqual({ n: head?.frontier.size, top: (head?.frontier.size ?? 0) - 1 })
  expect(await headFault(each.db, each.tools.folder, head)).toBeNull()
}

beforeEach(async () => {
  service = await newService()
})

it('sequences receipts, gives each a proof whose bytes never change, and does nothing without new ones', async () => {
  const first = await addReceipts(service, 300)
  expect(await sequence(service.tools)).toEqual({ added: 300, size: 300, fault: null })
  const proofs = await Promise.all(first.map(each => findProof(service.db, service.tools.folder, each.receipt_id)))
  const published = checkpointOf(service)
  expect(published).toMatch(/^crossfile\.example\/receipts\/\d{4}\n300\n/)
  expect(await sequence(service.tools)).toEqual({ added: 0, size: 300, fault: null })
  expect(checkpointOf(service)).toBe(published)
  const more = await addReceipts(service, 700)
  for (const size of [556, 812, 1000]) expect((await sequence({ ...service.tools, limit: 256 })).size).toBe(size)
  expect(await Promise.all(first.map(each => findProof(service.db, service.tools.folder, each.receipt_id)))).toEqual(proofs)
  await expectWhole(service, [...first, ...more])
})

it('is accepted by clients of other authors', async () => {
  const built = buildGoClients()
  if ('absent' in built) return console.warn(`skipped: ${built.absent}`)
  const receipts = await addReceipts(service, 600)
  for (let at = 0; at < 3; at += 1) await sequence({ ...service.tools, limit: 200 })
  const head = await findLogHead(service.db)
  const key = await service.db.selectFrom('signing_key').select('x').executeTakeFirstOrThrow()
  const cases = await Promise.all(
    receipts
      .slice(0, 50)
      .map(async each => ({ entry: each.statement_bytes, proof: (await findProof(service.db, service.tools.folder, each.receipt_id))?.text ?? '' })),
  )
  const own = cases.filter(each => each.proof.includes('\n600\n'))
  const all = runGoClients(built.program, join(service.data, 'receipt-log'), head?.origin ?? '', verifierKey(head?.origin ?? '', key.x), {
    proofs: [...cases, ...own],
    consistency: [],
  })
  expect(all).toEqual({ code: 0, output: `accepted ${cases.length + own.length} proofs and 0 consistency proofs\n` })
})

it('has releases and the heads of the chains as entries too', async () => {
  const { db } = service
  await sql`insert into release (release, parent, committed_at, job, partition, batch_key) values (1, 0, clock_timestamp(), 'insider', '2026-11-20', 'a'), (2, 1, clock_timestamp(), 'insider', '2026-11-21', 'b')`.execute(
    db,
  )
  await sql`insert into audit_entry values (1, clock_timestamp(), 'operator', 'act', 'subject', '{}', ${Buffer.alloc(32)}, ${Buffer.alloc(32, 7)})`.execute(
    db,
  )
  expect((await sequence(service.tools)).added).toBe(3)
  const [one, two, chain] = (decodeEntries(readFileSync(join(service.data, 'receipt-log/tile/entries/000.p/3'))) ?? []).map(
    each => JSON.parse(each.toString('utf8')) as Record<string, unknown>,
  )
  expect(one).toMatchObject({ _type: 'urn:crossfile:log:release:v1', release: 1, parent: 0, files: 0 })
  expect(two).toMatchObject({ release: 2 })
  expect(chain).toEqual({ _type: 'urn:crossfile:log:chain:v1', chain: 'audit', seq: 1, hash: '07'.repeat(32) })
  await sql`insert into audit_entry values (2, clock_timestamp(), 'operator', 'act', 'subject', '{}', ${Buffer.alloc(32)}, ${Buffer.alloc(32, 8)})`.execute(
    db,
  )
  await addReceipts(service, 1)
  expect((await sequence(service.tools)).added).toBe(1) // the chain's next head is due a day later
})

it('names the manifest of a release, and finds one that was changed', async () => {
  const { db, data } = service
  const listed = '{"format":"crossfile-manifest/1","release":1}\n'
  await sql`insert into release (release, parent, committed_at, job, partition, batch_key) values (1, 0, clock_timestamp(), 'insider', '2026-11-20', 'a'), (2, 1, clock_timestamp(), 'insider', '2026-11-21', 'b')`.execute(
    db,
  )
  await sql`insert into release_manifest values (1, ${sha256Hex(Buffer.from(listed))}, ${listed.length})`.execute(db)
  expect(await findNamedManifest(db, data, 1)).toBeNull()
  await sequence(service.tools)
  const entries = (decodeEntries(readFileSync(join(data, 'receipt-log/tile/entries/000.p/2'))) ?? []).map(each => JSON.parse(each.toString('utf8')))
  expect(entries.map(each => [each._type, each.release, each.lake_manifest])).toEqual([
    ['urn:crossfile:log:release:v2', 1, { bytes: listed.length, sha256: sha256Hex(Buffer.from(listed)) }],
    ['urn:crossfile:log:release:v1', 2, undefined],
  ])
  const named = { sha256: sha256Hex(Buffer.from(listed)), bytes: listed.length, log_index: 0 }
  expect(await findNamedManifest(db, data, 1)).toEqual({ ...named, holds: true })
  expect(await findNamedManifest(db, data, 2)).toBeNull()
  mkdirSync(join(data, 'lake/manifests'), { recursive: true })
  writeFileSync(join(data, 'lake/manifests/1.json'), listed)
  expect(await findNamedManifest(db, data, 1)).toEqual({ ...named, holds: true })
  writeFileSync(join(data, 'lake/manifests/1.json'), listed.replace('1}', '3}'))
  expect(await findNamedManifest(db, data, 1)).toEqual({ ...named, holds: false })
  writeFileSync(join(data, 'lake/manifests/1.json'), listed)
  await sql`update release_manifest set sha256 = ${'0'.repeat(64)}`.execute(db)
  expect(await findNamedManifest(db, data, 1)).toEqual({ ...named, holds: false })
})

it('represents a statement that is too long for an entry by its id', async () => {
  const sources = Array.from({ length: 256 }, (_, at) => ({
    source: `source ${String(at).padStart(3, '0')}`,
    url: `https://data.example/${'x'.repeat(600)}`,
    sha256: '11'.repeat(32),
  }))
  const receipt = await service.db.transaction().execute(async trx => {
    const issued = issueReceipt(buildStatement(aStatementInput({ sources })), await activeSigner(trx, service.tools.keysFolder))
    await insertReceipts(trx, [issued])
    return issued
  })
  expect(receipt.statement_bytes.byteLength).toBeGreaterThan(65_535)
  await sequence(service.tools)
  await expectWhole(service, [receipt])
  const [entry] = decodeEntries(readFileSync(join(service.data, 'receipt-log/tile/entries/000.p/1'))) ?? []
  expect(JSON.parse(String(entry))).toEqual({
    _type: 'urn:crossfile:log:long-statement:v1',
    bytes: receipt.statement_bytes.byteLength,
    receipt_id: receipt.receipt_id,
  })
})

const points = ['log-tiles', 'log-signed', 'log-committed', 'log-published']
it.each(points.flatMap(point => [0, 250].map(size => [point, size] as const)))(
  'goes on after a kill at %s of a log of size %d',
  async (point, size) => {
    const before = await addReceipts(service, size)
    await sequence(service.tools)
    const later = await addReceipts(service, 20)
    const program = `
    import { connect } from '#warehouse/store/postgres.ts'
    import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
    import { sequence } from '#warehouse/store/receipts/log/sequence.ts'
    const [url, data] = process.argv.slice(1)
    const { db } = connect(url)
    await sequence({ db, folder: openLogFolder(data, null), keysFolder: data + '/keys', host: 'crossfile.example',
      crashPoint: name => { if (name === ${JSON.stringify(point)}) process.kill(process.pid, 'SIGKILL') } })`
    await expectKilled(program, [service.url, service.data])
    const isCommitted = point === 'log-committed' || point === 'log-published'
    expect(await sizeOf(service)).toBe(isCommitted ? size + 20 : size)
    // More arrive before the next run: other entries may follow than those whose files the killed one wrote.
    const more = await addReceipts(service, 3)
    expect(await sequence(service.tools)).toEqual({ added: isCommitted ? 3 : 23, size: size + 23, fault: null })
    expect(checkpointOf(service)).toContain(`\n${size + 23}\n`)
    await expectWhole(service, [...before, ...later, ...more])
  },
)

it('lets any number of sequencers run at the same time: one log without gaps', async () => {
  const receipts = await addReceipts(service, 400)
  const runs = await Promise.all(
    Array.from({ length: 8 }, () => sequence({ ...service.tools, folder: openLogFolder(service.data, null), limit: 50 })),
  )
  expect(runs.map(run => run.added)).toEqual(Array.from({ length: 8 }, () => 50))
  await expectWhole(service, receipts)
})

it('refuses to sign with a restored database, and goes on with the right one', async () => {
  await addReceipts(service, 10)
  await sequence(service.tools)
  // A backup of this moment, restored: another database with the same rows.
  const backup = {
    head: await service.db.selectFrom('log_head').selectAll().execute(),
    checkpoints: await service.db.selectFrom('log_checkpoint').selectAll().execute(),
  }
  const receipts = await addReceipts(service, 5)
  await sequence(service.tools)
  const published = checkpointOf(service)
  const restored = await newService(service.data)
  await sql`insert into signing_key select * from json_populate_recordset(null::signing_key, ${JSON.stringify(await service.db.selectFrom('signing_key').selectAll().execute())})`.execute(
    restored.db,
  )
  await restored.db.insertInto('log_head').values(backup.head).execute()
  await restored.db.insertInto('log_checkpoint').values(backup.checkpoints).execute()
  await addReceipts(restored, 7)
  const run = await sequence(restored.tools)
  expect(run).toMatchObject({ added: 0, size: 10 })
  expect(run.fault?.message).toContain('the database is older than what was published')
  expect(checkpointOf(service)).toBe(published)
  expect((await sequence(service.tools)).fault).toBeNull()
  expect(await findProof(service.db, service.tools.folder, receipts[0]?.receipt_id ?? '')).not.toBeNull()
})

it('logs each change of the keys, and keeps receipts of a stolen key valid whose index is older than the theft', async () => {
  const { db, data, tools } = service
  const before = await addReceipts(service, 5)
  await sequence(tools)
  const stolen = before[0]?.kid ?? ''
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db)
  const after = await addReceipts(service, 2)
  await sequence(tools)
  await revokeKey(db, stolen, rows[0]?.now ?? '')
  const { signer } = await rotateKey(db, tools.keysFolder, { fresh: true })
  // Until the new key signs a checkpoint, only the stolen key vouches for the log.
  expect(await findProof(db, tools.folder, before[0]?.receipt_id ?? '')).toBeNull()
  expect(await sequence(tools)).toEqual({ added: 1, size: 8, fault: null })
  const entries = decodeEntries(readFileSync(join(data, 'receipt-log/tile/entries/000.p/8'))) ?? []
  expect(JSON.parse(String(entries[7]))).toMatchObject({
    _type: 'urn:crossfile:log:keys:v1',
    keys: [
      { kid: stolen, status: 'compromised', to_index: 4 },
      { kid: signer.kid, status: 'active' },
    ],
  })
  expect((await sequence(tools)).added).toBe(0)
  const keys = keyRing(await listKeys(db))
  for (const [receipts, reason] of [
    [before, null],
    [after, 'key_compromised'],
  ] as const)
    for (const receipt of receipts) {
      const proof = (await findProof(db, tools.folder, receipt.receipt_id))?.text ?? null
      expect(verifyReceipt(receipt, keys, { proof }).reason).toBe(reason)
      expect(verifyReceipt(receipt, keys).reason).toBe('key_compromised')
      expect(verifyBundle(encodeBundle(receipt, await listKeys(db), null, proof))).toMatchObject({ reason })
    }
  // A thief backs a new statement with a proof from a log of his own, signed with the stolen key.
  const forged = issueReceipt(buildStatement(aStatementInput({ payload: Buffer.from('{"n":0}') })), findSigner(tools.keysFolder, stolen))
  const leaf = leafHash(forged.statement_bytes)
  const origin = (await findLogHead(db))?.origin ?? ''
  const thief = findSigner(tools.keysFolder, stolen)
  const checkpoint = signNote(checkpointText({ origin, size: 1, root: leaf }), [{ name: origin, x: thief.x, sign: thief.sign }])
  expect(verifyReceipt(forged, keys, { proof: printProof({ index: 0, hashes: [], checkpoint }) })).toMatchObject({
    valid: false,
    reason: 'key_compromised',
  })
})

it('continues after a restored backup with the entries that were published, without a fork', async () => {
  const before = await addReceipts(service, 300)
  await sequence(service.tools)
  const rows = {
    signing_key: await service.db.selectFrom('signing_key').selectAll().execute(),
    log_head: await service.db.selectFrom('log_head').selectAll().execute(),
    log_entry: await service.db.selectFrom('log_entry').selectAll().execute(),
    log_checkpoint: await service.db.selectFrom('log_checkpoint').selectAll().execute(),
  }
  const lost = await addReceipts(service, 400)
  await sequence(service.tools)
  const published = checkpointOf(service)
  const restored = await newService(service.data)
  for (const row of rows.signing_key) await restored.db.insertInto('signing_key').values(row).execute()
  await restored.db.insertInto('log_head').values(rows.log_head).execute()
  await restored.db.insertInto('log_entry').values(rows.log_entry).execute()
  await restored.db.insertInto('log_checkpoint').values(rows.log_checkpoint).execute()
  await insertReceipts(restored.db, before)
  await sql`update receipt set log_index = e.index from log_entry e where e.name = receipt_id`.execute(restored.db)
  expect((await readLogState(restored.db, openLogFolder(service.data, null))).fault?.message).toContain('older than what was published')
  expect(await continueLog(restored.db, openLogFolder(service.data, null))).toEqual({ did: 'recovered', size: 700, entries: 400 })
  expect(await continueLog(restored.db, openLogFolder(service.data, null))).toEqual({ did: 'nothing', size: 700 })
  expect(checkpointOf(service)).toBe(published)
  const later = await addReceipts(restored, 2)
  expect(await sequence(restored.tools)).toEqual({ added: 2, size: 702, fault: null })
  await expectWhole(restored, [...before, ...later])
  expect(await findDamagedFile(restored.db, restored.tools.folder, new AbortController().signal)).toBeNull()
  // The old installation must not go on now.
  await addReceipts(service, 1)
  expect((await sequence(service.tools)).fault?.message).toContain('older than what was published')
  expect(lost).toHaveLength(400)
})

it('continues after the copy was lost only on the word of the operator, and finds damaged files', async () => {
  await addReceipts(service, 300)
  await sequence(service.tools)
  rmSync(join(service.data, 'receipt-log', 'checkpoint'))
  await addReceipts(service, 1)
  expect((await sequence(service.tools)).added).toBe(0)
  expect(await continueLog(service.db, openLogFolder(service.data, null))).toEqual({ did: 'accepted', size: 300 })
  expect((await sequence(service.tools)).added).toBe(1)
  const damaged = (): Promise<string | null> => findDamagedFile(service.db, service.tools.folder, new AbortController().signal)
  expect(await damaged()).toBeNull()
  for (const name of ['tile/0/000', 'tile/0/001.p/45', 'tile/entries/000', 'tile/entries/001.p/45']) {
    const path = join(service.data, 'receipt-log', name)
    const bytes = readFileSync(path)
    const changed = Buffer.from(bytes)
    changed[77] = (changed[77] ?? 0) ^ 1
    writeFileSync(path, changed)
    expect(await damaged()).toContain(name.replace('entries', '0'))
    writeFileSync(path, bytes)
  }
})

it('writes all files again when asked to, but not if the log is in doubt, and notices a row that was changed', async () => {
  const receipts = await addReceipts(service, 600)
  await sequence(service.tools)
  const path = join(service.data, 'receipt-log')
  for (const name of ['tile/0/001', 'tile/entries/000']) writeFileSync(join(path, name), 'damaged')
  await expect(findProof(service.db, service.tools.folder, receipts[300]?.receipt_id ?? '')).rejects.toThrow('damaged on this server')
  const proof = (await unlessDamaged(findProof(service.db, service.tools.folder, receipts[300]?.receipt_id ?? ''))) ?? 'none'
  expect(proof).toBe('none')
  expect(await repairLogFiles(service.db, service.tools.folder)).toBe(true)
  expect(await findDamagedFile(service.db, service.tools.folder, new AbortController().signal)).toBeNull()
  await expectWhole(service, receipts)
  const checkpoint = checkpointOf(service)
  rmSync(join(path, 'checkpoint'))
  expect(await repairLogFiles(service.db, service.tools.folder)).toBe(false)
  writeFileSync(join(path, 'checkpoint'), checkpoint)
  await sql`update receipt set statement = statement || 'x'::bytea where receipt_id = ${receipts[599]?.receipt_id}`.execute(service.db)
  await addReceipts(service, 1)
  await expect(sequence(service.tools)).rejects.toThrow('was changed after it was logged')
})

it('notices every changed bit of a tile and of its entries', async () => {
  await addReceipts(service, 5)
  await sequence(service.tools)
  for (const [name, step] of [
    ['tile/0/000.p/5', 1],
    ['tile/entries/000.p/5', 5],
  ] as const) {
    const path = join(service.data, 'receipt-log', name)
    const bytes = readFileSync(path)
    for (let bit = 0; bit < bytes.byteLength * 8; bit += step) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      writeFileSync(path, changed)
      expect(await findDamagedFile(service.db, service.tools.folder, new AbortController().signal), `${name}, bit ${bit}`).not.toBeNull()
    }
    writeFileSync(path, bytes)
  }
  expect(await findDamagedFile(service.db, service.tools.folder, new AbortController().signal)).toBeNull()
})

it('refuses to sign a forked log, another log, no log, a lost copy and a damaged copy', async () => {
  const other = await newService()
  for (const each of [service, other]) {
    await addReceipts(each, 12)
    await sequence(each.tools)
    await addReceipts(each, 1)
  }
  const path = join(service.data, 'receipt-log', 'checkpoint')
  const own = readFileSync(path, 'utf8')
  const faultWith = async (text: string | null): Promise<string> => {
    if (text === null) rmSync(path)
    else writeFileSync(path, text)
    const { added, fault } = await sequence(service.tools)
    expect(added).toBe(0)
    return fault?.message ?? ''
  }
  expect(await faultWith(checkpointOf(other))).toContain('no known key signed it')
  await service.db
    .insertInto('signing_key')
    .columns(['kid', 'x', 'status', 'valid_from'])
    .expression(
      sql`select kid, x, 'retired', 1 from json_populate_recordset(null::signing_key, ${JSON.stringify(await other.db.selectFrom('signing_key').selectAll().execute())})`,
    )
    .execute()
  expect(await faultWith(checkpointOf(other))).toContain('the log was forked')
  expect(await faultWith(own.replace('\n12\n', '\n13\n'))).toContain('does not verify')
  expect(await faultWith(null)).toContain('is missing')
  const bytes = Buffer.from(own)
  for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    writeFileSync(path, changed)
    expect(await headFault(service.db, service.tools.folder, await findLogHead(service.db)), `bit ${bit}`).not.toBeNull()
  }
  const empty = await newService(service.data)
  writeFileSync(path, own)
  await addReceipts(empty, 1)
  expect((await sequence(empty.tools)).fault?.message).toContain('the database has no receipt log')
  expect(await sequence(service.tools)).toEqual({ added: 2, size: 14, fault: null }) // the foreign key is an entry too
})

it('signs nothing that its own rows contradict, whatever the clock says', async () => {
  await addReceipts(service, 3)
  await sequence(service.tools)
  await addReceipts(service, 3)
  // The clock jumped back: the new receipts look older than the sequenced ones, and get later indexes all the same.
  await sql`update receipt set created_at = '2001-01-01' where log_index is null`.execute(service.db)
  await sequence(service.tools)
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from receipt where created_at < '2002-01-01' and log_index >= 3`.execute(
    service.db,
  )
  expect(rows[0]?.n).toBe(3)
  await addReceipts(service, 1)
  await sql`update log_head set frontier = decode(repeat('00', 64), 'hex')`.execute(service.db)
  expect((await sequence(service.tools)).fault?.message).toContain('not the root of its last checkpoint')
})

it('writes files that are missing or damaged again, from the rows', async () => {
  const receipts = await addReceipts(service, 300)
  await sequence(service.tools)
  const tile = join(service.data, 'receipt-log/tile/0/001.p/44')
  const bytes = readFileSync(tile)
  bytes[5] = (bytes[5] ?? 0) ^ 1
  writeFileSync(tile, bytes)
  rmSync(join(service.data, 'receipt-log/tile/0/000'))
  const more = await addReceipts(service, 1)
  expect(await sequence(service.tools)).toEqual({ added: 1, size: 301, fault: null })
  await expectWhole(service, [...receipts, ...more])
  rmSync(join(service.data, 'receipt-log/tile'), { recursive: true })
  const last = await addReceipts(service, 1)
  await sequence(service.tools)
  await expectWhole(service, [...receipts, ...more, ...last])
})

it('keeps one partial tile per level, and rows that cannot be changed', async () => {
  await addReceipts(service, 256)
  for (let at = 0; at < 256; at += 64) await sequence({ ...service.tools, limit: 64 })
  expect(readdirSync(join(service.data, 'receipt-log/tile/0'))).toEqual(['000'])
  expect(readdirSync(join(service.data, 'receipt-log/tile/1'))).toEqual(['000.p'])
  expect(readdirSync(join(service.data, 'receipt-log/tile/entries'))).toEqual(['000'])
  await expect(sql`update log_entry set name = 'x'`.execute(service.db)).rejects.toThrow('append-only')
  await expect(sql`delete from log_checkpoint`.execute(service.db)).rejects.toThrow('append-only')
})
