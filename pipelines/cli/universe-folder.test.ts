import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testFolder } from '#fixtures/test-folder.ts'
import { makeUniverseFolder, removeStaleUniverseFolders } from './universe-folder.ts'

const { folder } = testFolder('universe-folders')
beforeAll(() => void vi.stubEnv('TMPDIR', folder))
afterAll(() => void vi.unstubAllEnvs())

/** The process id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await new Promise(resolve => child.once('exit', resolve))
  return child.pid as number
}

test.skipIf(process.platform === 'win32')('only folders of processes of this machine that no longer run are deleted', async () => {
  const mine = await makeUniverseFolder()
  const pid = await deadPid()
  const name = (of: number): string => (mine.split('/').at(-1) as string).replace(`-${process.pid}-`, `-${of}-`)
  const make = (each: string): string => {
    const path = join(folder, each)
    mkdirSync(path)
    writeFileSync(join(path, 'documents.jsonl'), 'text')
    return path
  }
  const stale = make(name(pid))
  const kept = [
    mine,
    make(name(process.ppid)),
    make(`crossfile-universe-another-machine-${pid}-abcdef`),
    make('crossfile-universe-abcdef'),
    make(`not-${name(pid)}`),
  ]
  symlinkSync(mine, join(folder, name(pid).replace(/\w{6}$/, 'zzzzzz')))
  expect(await removeStaleUniverseFolders()).toEqual([stale])
  expect(kept.filter(path => !existsSync(path))).toEqual([])
  expect(readdirSync(folder)).toHaveLength(kept.length + 1)
  expect(await removeStaleUniverseFolders()).toEqual([])
})
