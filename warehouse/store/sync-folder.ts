// The entries of a folder: files that were created in it or renamed into it survive a power cut only after the folder itself was synced.
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'

/** Syncs the entries of a folder. Windows does so automatically, and opens no folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** The same for code that cannot wait: start of the server, secrets. */
export function syncFolderNow(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Writes a new file `draft`, syncs it and renames it to `target`, so that a crash leaves the file before or the whole new one. The folder is
 * not synced. After an error the draft is removed.
 */
export async function replaceFile(target: string, draft: string, bytes: Uint8Array | string, mode: number): Promise<void> {
  try {
    const file = await open(draft, 'wx', mode)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
