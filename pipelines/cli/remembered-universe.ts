// What a start stores about the bundled universe, so that the next one can see that all of it was read, without creating it again and
// without loading the readers.
import { readFile, writeFile } from 'node:fs/promises'
import type { Db } from '#warehouse/store/postgres.ts'
import { findUnreadBy } from '../ingest/was-read.ts'
import type { RawDocument } from '../read/parsed.ts'
import { type Universe, universeFingerprint } from './bundled-package.ts'
import { rememberedFile } from './remembered-file.ts'

/** A document of the universe, and the name of the reader that takes it; null: none does. */
type Known = Omit<RawDocument, 'body'> & { readonly reader: string | null }
type Remembered = { readonly fingerprint: string; readonly clock: string; readonly documents: readonly Known[] }

async function recall(dataFolder: string): Promise<Remembered | null> {
  try {
    const held = JSON.parse(await readFile(rememberedFile(dataFolder), 'utf8')) as Remembered
    return held.fingerprint === universeFingerprint() ? held : null
  } catch {
    // Absent or truncated: the universe is created again.
    return null
  }
}

/**
 * The instant of the universe's clock, if this version of the universe is remembered and the database has a committed reading of each of
 * its documents by the reader that takes it now; null: it has to be loaded.
 */
export async function findRememberedClock(db: Db, dataFolder: string): Promise<string | null> {
  const held = await recall(dataFolder)
  if (held === null) return null
  const keyOf = ({ url, sha256 }: Pick<RawDocument, 'url' | 'sha256'>): string => `${sha256} ${url}`
  const names = new Map(held.documents.map(document => [keyOf(document), document.reader]))
  const documents = held.documents.map(({ reader: _reader, ...document }) => ({ ...document, body: new Uint8Array() }))
  const unread = await findUnreadBy(db, document => names.get(keyOf(document)) ?? null, documents, 'any')
  return unread.length === 0 ? held.clock : null
}

/** Remembers a universe of which every document was read. */
export async function remember(dataFolder: string, { clock, documents }: Universe, nameOf: (document: RawDocument) => string | null): Promise<void> {
  const known = documents.map((document): Known => {
    const { body: _body, ...rest } = document
    return { ...rest, reader: nameOf(document) }
  })
  const held: Remembered = { fingerprint: universeFingerprint(), clock, documents: known }
  await writeFile(rememberedFile(dataFolder), JSON.stringify(held))
}
