// Files are linked from `stage` into `lake` and `models`: a start refuses folders between which that is impossible.
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { testFolders } from '#fixtures/test-folder.ts'
import { checkDataFolder } from './start-check.ts'

const refused = vi.hoisted(() => ({ code: null as string | null, folder: '' }))
vi.mock('node:fs/promises', async original => {
  const files = await original<typeof import('node:fs/promises')>()
  const link = async (from: string, to: string): Promise<void> => {
    if (refused.code !== null && to.startsWith(refused.folder)) throw Object.assign(new Error(`${refused.code}: link`), { code: refused.code })
    await files.link(from, to)
  }
  return { ...files, link }
})

const folderOf = testFolders('links')
beforeEach(() => {
  refused.code = null
})

async function dataFolder(): Promise<string> {
  const data = folderOf()
  for (const name of ['lake', 'models', 'stage']) await mkdir(join(data, name))
  return data
}

test('parts of one file system are accepted, and nothing is left in them', async () => {
  const data = await dataFolder()
  expect(await checkDataFolder({ dataFolder: data })).toEqual([])
  for (const name of ['', 'lake', 'models', 'stage']) expect((await readdir(join(data, name))).filter(file => file.startsWith('.'))).toEqual([])
})

test.each(['lake', 'models'])('%s on another file system is refused, with both folders', async name => {
  const data = await dataFolder()
  Object.assign(refused, { code: 'EXDEV', folder: join(data, name) })
  expect(await checkDataFolder({ dataFolder: data })).toEqual([
    {
      setting: 'CROSSFILE_DATA',
      found: `${join(data, 'stage')} and ${join(data, name)} are on different file systems, and files are linked from one into the other`,
      remedy: expect.stringContaining('on one file system'),
    },
  ])
  expect(await readdir(join(data, 'stage'))).toEqual([])
})

test('a file system without hard links is refused before the first start makes anything', async () => {
  const data = folderOf()
  Object.assign(refused, { code: 'EPERM', folder: data })
  expect(await checkDataFolder({ dataFolder: data })).toMatchObject([
    { found: expect.stringContaining('can be linked'), remedy: expect.stringContaining('hard links') },
  ])
  expect(await readdir(data)).toEqual([])
})
