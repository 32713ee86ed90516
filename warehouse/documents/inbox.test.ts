import { spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ProcessReportRequest } from '#schemas/documents.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { maxInboxBytes, openInboxFile, readInboxFile } from './inbox.ts'

const root = mkdtempSync(join(tmpdir(), 'inbox-'))
afterAll(() => rmSync(root, { recursive: true }))
const inbox = join(root, 'inbox')
mkdirSync(join(inbox, '2026'), { recursive: true })
writeFileSync(join(root, 'secret.pdf'), 'secret')
writeFileSync(join(inbox, 'a.pdf'), 'plain')
writeFileSync(join(inbox, '2026', 'b.pdf'), 'below')
symlinkSync(join(root, 'secret.pdf'), join(inbox, 'link.pdf'))
symlinkSync('a.pdf', join(inbox, 'inner-link.pdf'))
symlinkSync(root, join(inbox, 'out'))
writeFileSync(join(inbox, 'twice.pdf'), 'twice')
linkSync(join(inbox, 'twice.pdf'), join(root, 'other-name.pdf'))
mkdirSync(join(inbox, 'folder.pdf'))
const text = async (path: string): Promise<string> => Buffer.from(await readInboxFile(inbox, path)).toString('utf8')

describe('a file of the inbox', () => {
  it('is read by its path below the folder', async () => {
    expect([await text('a.pdf'), await text('2026/b.pdf')]).toEqual(['plain', 'below'])
  })
  it.each([
    ['link.pdf', /it is a link/],
    ['inner-link.pdf', /it is a link/],
    ['out/secret.pdf', /link to one/],
    ['twice.pdf', /hard link/],
    ['folder.pdf', /it is a folder/],
    ['../secret.pdf', /leads out/],
    ['2026/../a.pdf', /leads out/],
    ['.hidden.pdf', /leads out/],
    ['/etc/hostname', /leads out/],
    ['', /leads out/],
    ['a.pdf/b.pdf', /no folder/],
  ])('%s is refused', async (path, message) => {
    const error = await text(path).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BadRequest)
    expect((error as BadRequest).message).toMatch(message)
    expect((error as BadRequest).status).toBe(422)
  })
  it('that is a pipe is refused without waiting for a writer', async () => {
    if (spawnSync('mkfifo', [join(inbox, 'pipe.pdf')]).status !== 0) return console.info('mkfifo is not on this machine: skipped')
    await expect(text('pipe.pdf')).rejects.toThrow(/no plain file/)
  })
  it('that is not there, or whose folder is not there, is not found', async () => {
    for (const path of ['none.pdf', 'no/such.pdf', `${'a'.repeat(300)}.pdf`]) await expect(text(path)).rejects.toBeInstanceOf(NotFound)
    await expect(readInboxFile(join(root, 'no-inbox'), 'a.pdf')).rejects.toBeInstanceOf(NotFound)
  })
  it('that is too large is refused before it is read', async () => {
    writeFileSync(join(inbox, 'large.pdf'), '')
    truncateSync(join(inbox, 'large.pdf'), maxInboxBytes + 1)
    await expect(text('large.pdf')).rejects.toThrow(/at most 104857600 are read/)
  })
  it('stays the file that was checked when its name is given to another', async () => {
    writeFileSync(join(inbox, 'swapped.pdf'), 'checked')
    const { file } = await openInboxFile(inbox, 'swapped.pdf')
    renameSync(join(inbox, 'swapped.pdf'), join(inbox, 'moved.pdf'))
    symlinkSync(join(root, 'secret.pdf'), join(inbox, 'swapped.pdf'))
    expect((await file.readFile()).toString('utf8')).toBe('checked')
    await file.close()
    await expect(text('swapped.pdf')).rejects.toThrow(/it is a link/)
  })
})

describe('pdf_path', () => {
  const isRead = (pdf_path: string): boolean => ProcessReportRequest.safeParse({ pdf_path }).success
  it('names a PDF below the inbox', () => {
    for (const path of ['a.pdf', '2026/Q3 report (final).PDF', 'rapport-été.pdf']) expect([path, isRead(path)]).toEqual([path, true])
    for (const path of [
      '',
      'a.txt',
      '/a.pdf',
      '../a.pdf',
      'x/../a.pdf',
      './a.pdf',
      'x//a.pdf',
      '.a.pdf',
      'C:\\a.pdf',
      'c:a.pdf',
      'a\u0000.pdf',
      'a\n.pdf',
      ' a.pdf',
      '~/a.pdf/',
      'a.pdf/',
    ])
      expect([path, isRead(path)]).toEqual([path, false])
  })
})
