import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testFolder } from '#fixtures/test-folder.ts'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import { FullDisk } from '#warehouse/store/disk-faults.ts'
import { explain } from './explain.ts'
import { keptIo } from './kept-io.ts'

const { folder } = testFolder('explain')
const env = { CROSSFILE_DATA: folder }
const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path: join(folder, 'stage/a') })

async function explained(error: unknown, argv: readonly string[] = [], settings: Readonly<Record<string, string>> = env) {
  const io = keptIo(settings)
  return { code: await explain(error, argv, io), lines: io.output.err, io }
}

test('a full disk is named with what to do, and keeps the exit code of its error', async () => {
  const { code, lines } = await explained(full())
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.stringContaining(`crossfile: no space is left on the disk of ${folder} (`),
    expect.stringContaining('  free space on that disk, or move the data folder to a larger one and set CROSSFILE_DATA; the contents of '),
  ])
  const failed = await explained(new Upstream('raw pack 1: writing failed', { cause: full() }))
  expect(failed).toMatchObject({ code: 3, lines: [expect.stringContaining(' free): raw pack 1: writing failed'), expect.any(String)] })
  const given = { ...env, DATABASE_URL: 'postgres://crossfile@db.example/crossfile' }
  const server = await explained(Object.assign(new Error('could not extend file'), { code: '53100' }), [], given)
  expect(server).toMatchObject({
    code: 3,
    lines: ['crossfile: the disk of the PostgreSQL server is full: could not extend file', expect.any(String)],
  })
  expect((await explained(new FullDisk(folder, full()))).code).toBe(1)
})

test('a full disk is named in the JSON document', async () => {
  const { io } = await explained(full(), ['ingest', '--json'])
  expect(io.json()).toEqual({ error: expect.stringContaining(`the disk of ${folder} (`), hint: expect.stringContaining('CROSSFILE_DATA') })
})

test('any other error is printed as it is', async () => {
  expect((await explained(new BadRequest('CROSSFILE_DATA: it is full', { cause: full(), hint: 'free space' }))).lines).toEqual([
    'crossfile: CROSSFILE_DATA: it is full',
    '  free space',
  ])
  expect((await explained(new TypeError('a fault'))).lines).toEqual(['crossfile: a fault', '  CROSSFILE_LOG=debug shows where it happened'])
  const lost = await explained(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), [], {
    ...env,
    DATABASE_URL: 'postgres://crossfile@db.example/crossfile',
  })
  expect(lost.lines[0]).toBe('crossfile: the connection to the database was lost: connect ECONNREFUSED')
  // A configuration that cannot be read names no folder.
  expect((await explained(full(), [], { CROSSFILE_LOG: 'loud' })).lines[0]).toBe('crossfile: ENOSPC: no space left on device, write')
})
