// The program that writes the bundled universe fails.
import { tmpdir } from 'node:os'
import { expect, test, vi } from 'vitest'
import { testFolder } from '#fixtures/test-folder.ts'
import { explainFullDisk } from '#warehouse/store/start-check/full-disk.ts'
import { readBundledPackage } from './bundled-package.ts'

const disks = vi.hoisted(() => new Map<string, { free: number }>())
vi.mock('node:fs/promises', async importOriginal => {
  const { withDisks } = await import('#fixtures/disk.ts')
  return withDisks(await importOriginal<typeof import('node:fs/promises')>(), disks)
})
vi.mock('node:child_process', async importOriginal => {
  const original = await importOriginal<typeof import('node:child_process')>()
  return { ...original, spawn: () => original.spawn(process.execPath, ['-e', 'process.exit(1)']) }
})

const { folder } = testFolder('bundled-package')
const fail = async (): Promise<unknown> => await readBundledPackage(new AbortController().signal).catch((error: unknown) => error)
const config = { dataFolder: folder, databaseUrl: null }

test('its exit code is the error, and a full temporary folder is named with its setting', async () => {
  const failed = await fail()
  expect(failed).toMatchObject({ message: 'the program that writes the bundled universe ended with 1' })
  expect(await explainFullDisk(failed, config)).toBe(failed)
  disks.set(folder, { free: 50e9 })
  disks.set(tmpdir(), { free: 0 })
  expect(await explainFullDisk(await fail(), config)).toMatchObject({ message: `TMPDIR: the disk of ${tmpdir()} is full` })
})
