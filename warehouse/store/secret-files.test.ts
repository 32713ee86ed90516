import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createSecretFile, readSecretFile } from './secret-files.ts'

const folders: string[] = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-secret-'))
  folders.push(folder)
  return join(folder, 'keys')
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe('a secret file', () => {
  it('is made once: a second one of the same name changes nothing', () => {
    const folder = newFolder()
    const path = join(folder, 'a.key')
    expect(createSecretFile(path, 'first')).toBe(true)
    expect(createSecretFile(path, 'second')).toBe(false)
    expect(readSecretFile(path, 'key').toString()).toBe('first')
    expect(readdirSync(folder)).toEqual(['a.key'])
  })
  it.skipIf(process.platform === 'win32')('is readable by its owner alone, in a folder of its owner alone', () => {
    const folder = newFolder()
    createSecretFile(join(folder, 'a.key'), 'secret')
    expect([statSync(folder).mode & 0o777, statSync(join(folder, 'a.key')).mode & 0o777]).toEqual([0o700, 0o600])
    chmodSync(join(folder, 'a.key'), 0o640)
    expect(() => readSecretFile(join(folder, 'a.key'), 'push key')).toThrow(/^push key .*a\.key has mode 0640, expected 0600$/)
  })
  it.skipIf(process.platform === 'win32')('is a plain file of a sensible size: no link, folder or long file is read', () => {
    const folder = newFolder()
    createSecretFile(join(folder, 'a.key'), 'secret')
    symlinkSync(join(folder, 'a.key'), join(folder, 'link.key'))
    mkdirSync(join(folder, 'folder.key'))
    expect(() => readSecretFile(join(folder, 'link.key'), 'key')).toThrow('is a symbolic link')
    expect(() => readSecretFile(join(folder, 'folder.key'), 'key')).toThrow('is not a file')
    truncateSync(join(folder, 'a.key'), 16 * 1024 + 1)
    expect(() => readSecretFile(join(folder, 'a.key'), 'key')).toThrow('has 16385 bytes: that is not one key')
  })
})
