// What a witness keeps in its folder: its key, its name, and for each log the tree that it cosigned last. The state is an SQLite file: a
// transaction is exclusive between processes, and is flushed to the disk before it ends, so that two requests never both win and a kill
// loses no cosigned tree.
import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { COSIGNER_KEY, KEY_NAME, printVerifierKey } from '#schemas/verifier-key.ts'
import { type Signer, signerOf } from '#warehouse/store/receipts/signer.ts'
import { createSecretFile, readSecretFile } from '#warehouse/store/secret-files.ts'

/** The tree of a log as this witness cosigned it last. */
export type Cosigned = {
  readonly origin: string
  readonly size: number
  readonly root: Buffer
  /** The signed checkpoint as it was submitted. */
  readonly note: string
  /** The line of this witness. */
  readonly line: string
  /** POSIX seconds of the cosignature. */
  readonly seconds: number
}

export type WitnessStore = {
  readonly name: string
  readonly vkey: string
  readonly signer: Signer
  /** Runs `work` with exclusive access to the state; what it wrote is on the disk when this returns, or undone if it throws. */
  readonly exclusively: <T>(work: () => T) => T
  readonly find: (origin: string) => Cosigned | null
  readonly list: () => Cosigned[]
  readonly put: (cosigned: Cosigned) => void
  /** Time of the newest cosignature of any log, in POSIX seconds; 0 before the first. */
  readonly newestSeconds: () => number
  /** Keeps a text as evidence of a fork, once; false if the folder is full. */
  readonly keepEvidence: (kind: 'fork' | 'inconsistent', origin: string, size: number, text: string) => boolean
  readonly listEvidence: () => string[]
  readonly close: () => void
}

const KEY_FILE = 'witness-key.pem'
const STATE_FILE = 'witness.sqlite'
/** Files of each kind: a log can have many forks, and everyone can send a wrong proof. */
const evidenceLimit = { fork: 1_000, inconsistent: 100 }

/**
 * Opens the folder of a witness. The first time, it creates the folder, the key (mode 0600) and the state, for which `name` is needed: a
 * cosignature does not contain the name, so the name of a key never changes. `BadRequest` for a missing or another name; `Broken` if the key of
 * a state is missing or cannot be used.
 */
export function openWitness(folder: string, name: string | null): WitnessStore {
  if (name !== null && !KEY_NAME.test(name))
    throw new BadRequest(`--name ${name.slice(0, 64)} is not a name of a key`, {
      hint: 'give an address without scheme, such as witness.example.org',
    })
  const isNew = !existsSync(join(folder, STATE_FILE))
  if (isNew && name === null)
    throw new BadRequest(`${folder} has no witness yet`, {
      hint: 'make one with crossfile witness --name witness.example.org --logs FILE, or name its folder with --folder',
    })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keyPath = join(folder, KEY_FILE)
  // The key first: a state without its key is a fault, a key without a state is a first start that was interrupted.
  if (isNew) createSecretFile(keyPath, generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const signer = readKey(keyPath)
  const db = openState(join(folder, STATE_FILE), name, signer)
  const own = db.prepare('select name, x from witness').get() as { name: string; x: string } | undefined
  const refuse = (error: Error): never => {
    db.close()
    throw error
  }
  if (own === undefined) return refuse(new Broken(`${folder}/${STATE_FILE} has no name`, { hint: 'restore it from a backup' }))
  if (own.x !== signer.x)
    return refuse(new Broken(`${keyPath} is not the key of the state in this folder`, { hint: 'bring the key of this witness back from a backup' }))
  if (name !== null && name !== own.name)
    return refuse(
      new BadRequest(`this witness has the name ${own.name}, not ${name}`, { hint: 'leave --name out, or use another folder for another witness' }),
    )
  return {
    ...stateOf(db),
    ...evidenceOf(join(folder, 'evidence')),
    name: own.name,
    vkey: printVerifierKey({ name: own.name, algorithm: COSIGNER_KEY, x: signer.x }),
    signer,
  }
}

function readKey(path: string): Signer {
  if (!existsSync(path))
    throw new Broken(`the key of this witness is missing: ${path}`, { hint: 'bring it back from a backup, or use another folder' })
  return signerOf(createPrivateKey(readSecretFile(path, 'key of the witness')))
}

function openState(path: string, name: string | null, { x }: Signer): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 5_000 })
  // EXTRA flushes the folder too when the journal is removed: a commit survives a power cut.
  db.exec('pragma journal_mode = delete; pragma synchronous = extra; pragma foreign_keys = on')
  db.exec(`begin immediate;
    create table if not exists witness (one integer primary key check (one = 1), name text not null, x text not null) strict;
    create table if not exists log (origin text primary key, size integer not null, root blob not null, note text not null,
      line text not null, seconds integer not null) strict;`)
  if (name !== null) db.prepare('insert into witness values (1, ?, ?) on conflict do nothing').run(name, x)
  db.exec('commit')
  return db
}

type Row = { origin: string; size: number; root: Uint8Array; note: string; line: string; seconds: number }
const cosignedOf = (row: Row): Cosigned => ({ ...row, root: Buffer.from(row.root) })

function stateOf(db: DatabaseSync): Pick<WitnessStore, 'exclusively' | 'find' | 'list' | 'put' | 'newestSeconds' | 'close'> {
  return {
    exclusively(work) {
      db.exec('begin immediate')
      try {
        const result = work()
        db.exec('commit')
        return result
      } catch (error) {
        db.exec('rollback')
        throw error
      }
    },
    find(origin) {
      const row = db.prepare('select * from log where origin = ?').get(origin) as Row | undefined
      return row === undefined ? null : cosignedOf(row)
    },
    list: () => (db.prepare('select * from log order by origin').all() as Row[]).map(cosignedOf),
    put: ({ origin, size, root, note, line, seconds }) => {
      db.prepare(
        `insert into log values (?, ?, ?, ?, ?, ?) on conflict (origin) do update
          set size = excluded.size, root = excluded.root, note = excluded.note, line = excluded.line, seconds = excluded.seconds`,
      ).run(origin, size, root, note, line, seconds)
    },
    newestSeconds: () => (db.prepare('select coalesce(max(seconds), 0) as newest from log').get() as { newest: number }).newest,
    close: () => db.close(),
  }
}

function evidenceOf(folder: string): Pick<WitnessStore, 'keepEvidence' | 'listEvidence'> {
  const list = (): string[] => (existsSync(folder) ? readdirSync(folder).sort() : [])
  return {
    keepEvidence(kind, origin, size, text) {
      const id = createHash('sha256').update(`${origin}\n${text}`).digest('hex').slice(0, 16)
      const file = `${kind}-${size}-${id}.txt`
      const kept = list()
      if (kept.includes(file)) return true
      if (kept.filter(each => each.startsWith(kind)).length >= evidenceLimit[kind]) return false
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(join(folder, file), text, { flush: true })
      return true
    },
    listEvidence: list,
  }
}
