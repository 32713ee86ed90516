// The journal of operators' decisions, next to the raw documents: lines of a file, or, with a lake in a bucket, an object for each line.
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RawPlace } from './place.ts'

export const journalName = 'decisions.jsonl'
const under = 'raw/decisions/'

/** Appends a line durably. `key`: the name of its object; keys sort by time, and a line that is appended again has the same key. */
export async function appendToJournal({ folder, objects }: RawPlace, key: string, line: string): Promise<void> {
  if (objects !== null) return await objects.writeOnce(`${under}${key}.json`, `${line}\n`)
  await mkdir(folder, { recursive: true })
  const file = await open(join(folder, journalName), 'a')
  try {
    await file.appendFile(`${line}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The lines of the journal, oldest first; empty if there is none. The last line may be torn by a power cut: it has no end of line. */
export async function readJournalText({ folder, objects }: RawPlace): Promise<string> {
  if (objects === null)
    return await readFile(join(folder, journalName), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
  const names: string[] = []
  for await (const { name } of objects.list(under)) names.push(name)
  const lines: string[] = []
  for (const name of names.sort()) lines.push((await objects.text(name)) ?? '')
  return lines.join('')
}
