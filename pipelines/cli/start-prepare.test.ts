// The program that prepares a start, when it is asked to stop before its work is done.
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inherited } from '#fixtures/inherited.ts'
import { testFolders } from '#fixtures/test-folder.ts'

const folderOf = testFolders('prepare')

/** Stops the program at its first message; resolves to its exit code when it has ended. */
async function stopAtFirstMessage(env: NodeJS.ProcessEnv): Promise<number | null> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start-prepare.ts')], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  child.once('message', () => child.kill('SIGTERM'))
  return await new Promise(resolve => child.once('exit', code => resolve(code)))
}

test.skipIf(process.platform === 'win32')(
  'does not report a regular end, so that its supervisor starts it again, and leaves no package',
  async () => {
    const data = folderOf()
    const temporary = folderOf()
    expect(await stopAtFirstMessage({ ...inherited, PORT: '0', CROSSFILE_DATA: data, TMPDIR: temporary })).toBe(130)
    expect(await readdir(temporary)).toEqual([])
  },
)
