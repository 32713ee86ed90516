// Where models are kept, and how their files are named in errors and in `damaged_file`.
import { open } from 'node:fs/promises'
import { join } from 'node:path'

export const modelsFolder = (data: string): string => join(data, 'models')
/** The name of a model in `damaged_file` and in errors. No dataset of the register has a blank in its name. */
export const modelDataset = (model: string): string => `model ${model}`

/** Flushes a file or the entries of a folder to the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
