// Every use of a lake file is proved: content hashed, identity unchanged before and after.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Damaged, Upstream } from '#schemas/errors.ts'
import { datasetOf } from '#schemas/index.ts'
import { sha256Hex } from '../raw/pack.ts'
import type { LakeFile } from './catalogue.ts'
import { proofOf, proven } from './proof.ts'
import { lakeFilesOf, scrubOnce } from './scrub.ts'
import { seal } from './seal.ts'
import type { Staged } from './stage.ts'
import { createVerifier, lakePath } from './verifier.ts'

const data = mkdtempSync(join(tmpdir(), 'crossfile-verifier-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))
let made = 0

/** A lake file that was written long ago: its timestamps can show a later change. */
function aFile(): { file: LakeFile; path: string; bytes: Buffer } {
  made += 1
  const bytes = Buffer.from(`content ${made} `.repeat(500))
  const file = { dataset: 'bars', bucket: 'new', sha256: sha256Hex(bytes) } as LakeFile
  const path = lakePath(data, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  return { file, path, bytes }
}
/** Waits until the change time of what was just written is old enough to show a later change. */
const settle = () => new Promise(resolve => setTimeout(resolve, 120))
function flip(path: string, bytes: Buffer): void {
  const { atime, mtime } = statSync(path)
  const wrong = Buffer.from(bytes)
  wrong[7] = (wrong[7] as number) ^ 1
  writeFileSync(path, wrong)
  utimesSync(path, atime, mtime)
}

describe('a file that was verified', () => {
  test('is refused after one bit was flipped, though its modification time was put back', async () => {
    const { file, path, bytes } = aFile()
    await settle()
    const verifier = createVerifier(data)
    const opened = await verifier.open(file)
    expect(await verifier.confirm([opened])).toBe(true)
    flip(path, bytes)
    expect(await verifier.confirm([opened])).toBe(false)
    await expect(verifier.open(file)).rejects.toThrow(Damaged)
  })
  test('is refused if the bit was flipped within the tick of the clock in which it was written', async () => {
    // A busy machine may need longer than a tick to open the file: then with another one.
    let { file, path, bytes } = aFile()
    let verifier = createVerifier(data)
    let opened = await verifier.open(file)
    while (opened.settled) {
      ;({ file, path, bytes } = aFile())
      verifier = createVerifier(data)
      opened = await verifier.open(file)
    }
    flip(path, bytes)
    expect(await verifier.confirm([opened])).toBe(false)
    await expect(verifier.open(file)).rejects.toThrow(Damaged)
  })
  test('is verified again if only its identity changed, as by a hard link of a backup', async () => {
    const { file, path } = aFile()
    await settle()
    const verifier = createVerifier(data)
    const opened = await verifier.open(file)
    chmodSync(path, 0o444)
    expect(await verifier.confirm([opened])).toBe(false)
    expect((await verifier.open(file)).path).toBe(path)
  })
  test('is refused if it becomes a symbolic link out of the lake, and sealing it again replaces the link', async () => {
    const { file, path, bytes } = aFile()
    const verifier = createVerifier(data)
    await verifier.open(file)
    const away = join(data, `away-${made}.parquet`)
    renameSync(path, away)
    symlinkSync(away, path)
    await expect(verifier.open(file)).rejects.toThrow('the dataset bars is damaged: one of its files is a symbolic link to another folder')
    const staged = join(data, `staged-${made}.parquet`)
    writeFileSync(staged, bytes)
    await seal({ data }, { dataset: datasetOf('bars'), path: staged } as Staged, file.bucket)
    expect(lstatSync(path).isFile()).toBe(true)
    expect(await verifier.open(file)).toMatchObject({ sha256: file.sha256 })
    expect(readFileSync(away)).toEqual(bytes)
  })
  test('is accepted if the whole lake folder is a symbolic link', async () => {
    const { file, path, bytes } = aFile()
    const linked = mkdtempSync(join(tmpdir(), 'crossfile-verifier-'))
    symlinkSync(join(data, 'lake'), join(linked, 'lake'))
    expect(sha256Hex(readFileSync((await createVerifier(linked).open(file)).path))).toBe(sha256Hex(bytes))
    expect(path).not.toContain(linked)
    rmSync(linked, { recursive: true })
  })
  test('that is missing names its dataset and no path', async () => {
    const { file, path } = aFile()
    rmSync(path)
    const error = await createVerifier(data)
      .open(file)
      .catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(Damaged)
    expect((error as Damaged).message).toBe('the dataset bars is damaged: one of its files is missing or cannot be reached')
    expect((error as Damaged).status).toBe(503)
  })
  test('is reported once, whoever opens it, and again only after it was whole', async () => {
    const { file, path, bytes } = aFile()
    const reports: string[] = []
    const verifier = createVerifier(data, { onDamage: each => reports.push(each.sha256) })
    flip(path, bytes)
    for (let at = 0; at < 3; at += 1) await expect(verifier.recheck(verifier.expected(file))).rejects.toThrow(Damaged)
    expect(reports).toEqual([file.sha256])
    writeFileSync(path, bytes)
    await verifier.open(file)
    flip(path, bytes)
    await expect(verifier.open(file)).rejects.toThrow(Damaged)
    expect(reports).toEqual([file.sha256, file.sha256])
  })
  test('is found by the scrub, which asks no timestamp, and one damaged file does not end the pass', async () => {
    const [first, second] = [aFile(), aFile()]
    await settle()
    const reports: string[] = []
    const verifier = createVerifier(data, { onDamage: each => reports.push(each.sha256) })
    for (const { file } of [first, second]) await verifier.open(file)
    for (const { path, bytes } of [first, second]) flip(path, bytes)
    const catalogue = { release: 1, version: 1, files: new Map([['bars', [first.file, second.file]]]), releases: new Map() }
    await scrubOnce(lakeFilesOf(catalogue, verifier), verifier, new AbortController().signal, 0)
    expect(reports).toEqual([first.file.sha256, second.file.sha256])
  })
})

describe('a read of a file', () => {
  const reading = (file: LakeFile, read: (attempt: number) => string, most?: number) => {
    const verifier = createVerifier(data)
    let attempt = 0
    return proven(
      async () => ({ proof: proofOf(verifier, [await verifier.open(file)]) }),
      async () => {
        attempt += 1
        return read(attempt)
      },
      most,
    )
  }
  test('is thrown away if the file is damaged while it runs', async () => {
    const { file, path, bytes } = aFile()
    await settle()
    const run = reading(file, () => {
      flip(path, bytes)
      return 'wrong'
    })
    await expect(run).rejects.toThrow(Damaged)
  })
  test('is done again if the file was damaged and put back while it ran', async () => {
    const { file, path, bytes } = aFile()
    await settle()
    const run = reading(file, attempt => {
      if (attempt > 1) return 'right'
      flip(path, bytes)
      writeFileSync(path, bytes)
      return 'wrong'
    })
    expect(await run).toBe('right')
    expect(sha256Hex(readFileSync(path))).toBe(file.sha256)
  })
  test('that fails on damaged bytes says that the dataset is damaged, not that the statement is wrong', async () => {
    const { file, path, bytes } = aFile()
    await settle()
    const run = reading(file, () => {
      flip(path, bytes)
      throw new Error('IO Error: no magic bytes')
    })
    await expect(run).rejects.toThrow(Damaged)
  })
  test('that fails on whole files fails with its own error, and one that never holds still is refused', async () => {
    const { file, path } = aFile()
    await settle()
    const failing = reading(file, () => {
      throw new RangeError('no such column')
    })
    await expect(failing).rejects.toThrow(RangeError)
    let mode = 0o444
    const restless = reading(file, () => {
      mode ^= 0o200
      chmodSync(path, mode)
      return 'unproved'
    })
    await expect(restless).rejects.toThrow(Upstream)
  })
})
