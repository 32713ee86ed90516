// The journal of operators' decisions, next to the raw documents: lines of a file, or, with a lake in a bucket, an object for each line.
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RawPlace } from './place.ts'

export const journalName = 'decisions.jsonl'
/** What the name of the object of a line begins with. */
export const decisionsUnder = 'raw/decisions/'

/** Appends a line durably. `key`: the name of its object; keys sort by time, and a line that is appended again has the same key. */
export async function appendToJournal({ folder, objects }: RawPlace, key: string, line: string): Promise<void> {
  if (objects !== null) return await objects.writeOnce(`${decisionsUnder}${key}.json`, `${line}\n`)
  await mkdir(folder, { recursive: true })
  const file = await open(join(folder, journalName), 'a+')
  try {
    // A last line that a power cut tore was never acknowledged, and would make one damaged line with the next.
    const held = await file.readFile()
    const end = held.lastIndexOf(10) + 1
    if (end < held.length) await file.truncate(end)
    await file.appendFile(`${line}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A line of the journal, with the name of its object or its place in the file. */
type JournalEntry = { readonly name: string; readonly text: string }

/** The lines of the journal, oldest first; empty if there is none. Without the last line of a file if a power cut tore it: it has no end of line. */
export async function readJournalEntries({ folder, objects }: RawPlace): Promise<JournalEntry[]> {
  if (objects === null) {
    const text = await readFile(join(folder, journalName), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    const lines = text.split('\n').slice(0, -1)
    return lines.map((line, at) => ({ name: `${journalName}:${at + 1}`, text: line }))
  }
  const names: string[] = []
  for await (const { name } of objects.list(decisionsUnder)) names.push(name)
  const entries: JournalEntry[] = []
  // Objects are written whole, so that one without an end of line is damaged.
  for (const name of names.sort()) {
    const text = await objects.text(name)
    if (text !== null) entries.push({ name, text: text.endsWith('\n') ? text.slice(0, -1) : '' })
  }
  return entries
}

/** The journal as the text of a file. */
export const readJournalText = async (place: RawPlace): Promise<string> => (await readJournalEntries(place)).map(({ text }) => `${text}\n`).join('')
