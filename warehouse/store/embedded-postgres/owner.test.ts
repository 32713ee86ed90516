// Which of several data folders that name one cluster may use it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkOwner, pointerName, writeOwner } from './owner.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'crossfile-owner-')))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** A cluster's folder and data folders whose pointers name it; the first is its owner. */
function aCluster(name: string, copies: number): { readonly site: string; readonly folders: readonly string[] } {
  const site = join(scratch, name)
  const cluster = join(site, 'cluster')
  mkdirSync(cluster, { recursive: true })
  const folders = Array.from({ length: copies + 1 }, (_, at) => join(scratch, `${name}-data-${at}`))
  for (const folder of folders) {
    mkdirSync(folder)
    writeFileSync(join(folder, pointerName), JSON.stringify({ cluster }))
  }
  writeOwner(cluster, folders[0] as string)
  return { site, folders }
}

test('the owner goes on, a copy is refused, and after each move the folder at the new place is the owner', () => {
  const { folders } = aCluster('moved', 2)
  const [first = '', second = '', third = ''] = folders
  checkOwner(first)
  expect(() => checkOwner(second)).toThrow(`${second} is a copy of ${first}`)
  rmSync(first, { recursive: true })
  checkOwner(second)
  checkOwner(second)
  expect(() => checkOwner(third)).toThrow(`${third} is a copy of ${second}`)
  rmSync(second, { recursive: true })
  checkOwner(third)
})

test.skipIf(process.platform === 'win32')(
  'of six copies that are opened at the same instant after their original is gone, one is accepted',
  async () => {
    for (let round = 0; round < 3; round += 1) {
      const { site, folders } = aCluster(`race-${round}`, 6)
      const [original = '', ...copies] = folders
      rmSync(original, { recursive: true })
      const go = join(site, 'go')
      // Each process waits at the same place for the file, so that all of them read the owner before one of them writes it.
      const script = `import { existsSync } from 'node:fs'
      import { checkOwner } from ${JSON.stringify(join(import.meta.dirname, 'owner.ts'))}
      process.stdout.write('waits')
      while (!existsSync(${JSON.stringify(go)})) continue
      try { checkOwner(process.argv[1]); process.exitCode = 0 } catch (error) { process.exitCode = /is a copy of/.test(error.message) ? 7 : 1 }`
      const children = copies.map(folder =>
        spawn(process.execPath, ['--input-type=module-typescript', '-e', script, folder], {
          cwd: import.meta.dirname,
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
      )
      const ended = children.map(child => once(child, 'exit'))
      await Promise.all(children.map(child => once(child.stdout, 'data')))
      writeFileSync(go, '')
      const codes = (await Promise.all(ended)).map(([code]) => code)
      expect(codes.toSorted((a, b) => a - b)).toEqual([0, 7, 7, 7, 7, 7])
      // The folder that was accepted is the one that goes on.
      checkOwner(copies[codes.indexOf(0)] as string)
      expect(
        readdirSync(site)
          .filter(name => name.startsWith('owner'))
          .toSorted(),
      ).toEqual(['owner-1.json', 'owner.json'])
      expect(existsSync(go)).toBe(true)
    }
  },
)
