// The file `mode` of a data folder: what it holds, decided by the first start. The bundled universe and live data are never mixed.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'

/**
 * Records the mode of a new data folder. Of two starts at the same time one does, and the other is compared with it. Throws `BadRequest`
 * (exit code 2) if the folder has the other mode.
 */
export async function claimFolder({ dataFolder: data, mode }: Pick<Config, 'dataFolder' | 'mode'>): Promise<void> {
  await mkdir(data, { recursive: true })
  const path = join(data, 'mode')
  // A power cut may have left an empty file of an older version.
  if (!existsSync(path)) await createComplete(path, `${mode}\n`)
  else if ((await readFile(path, 'utf8')).trim() === '') await writeFile(path, `${mode}\n`, { flush: true })
  const held = (await readFile(path, 'utf8')).trim()
  if (held !== mode) {
    throw new BadRequest(`the data folder holds the ${held === 'bundled' ? 'bundled fictional universe' : 'live data'}, and this start is ${mode}`, {
      hint:
        mode === 'live'
          ? 'give live data a separate folder, e.g. CROSSFILE_DATA=./data-live'
          : 'set CROSSFILE_CONTACT again, or give the bundled universe a separate folder with CROSSFILE_DATA',
    })
  }
}

/** Creates the file with its content, or changes nothing if it exists: no process reads a part of it. */
async function createComplete(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}-${randomUUID()}`
  await writeFile(draft, text, { flag: 'wx', flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
}
