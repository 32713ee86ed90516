// Password storage: Argon2id over an HMAC with a pepper that is not in the database. Hashing runs in a few dedicated threads, so that
// neither the event loop nor the pool that reads files waits for it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Broken } from '#schemas/errors.ts'
import { requireKeyFiles } from '../../store/key-files.ts'
import { openWorkerPool } from '../../store/worker-pool.ts'
import { openHashQueue, type Turn } from './hash-queue.ts'

export type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number }
/** reliability.md, 5: 64 MiB, three passes, one lane. A stored hash with lower costs is replaced at the next sign-in. */
export const currentCost: Cost = { memory: 64 * 1024, passes: 3, parallelism: 1 }
const tagBytes = 32
const saltBytes = 16
const mostAtOnce = 4
export const pepperName = 'pepper'

type Verdict = { readonly matches: boolean /** Made with lower costs than today's. */; readonly outdated: boolean }
export type Passwords = {
  /** A PHC string. Throws `Overloaded` or `TooMany` when its queue refuses (hash-queue.ts), `Upstream` when the pepper is not available. */
  hash(password: string, turn?: Turn): Promise<string>
  /** Whether the password matches the stored one; without a stored one the same work is done, and the result is false. */
  verify(password: string, stored: string | null, turn?: Turn): Promise<Verdict>
}
type Parts = { readonly cost: Cost; readonly pepper: number; readonly salt: Buffer; readonly tag: Buffer }

const shape = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,3}),keyid=(\d{1,6})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/
const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** `$argon2id$v=19$m=65536,t=3,p=1,keyid=<number of the pepper>$salt$tag`. */
export function phcText({ cost, pepper, salt, tag }: Parts): string {
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism},keyid=${pepper}$${bare(salt)}$${bare(tag)}`
}

/** The parts of a PHC string. Throws `Broken` for any other text, which this service cannot have written. */
export function parsePhc(text: string): Parts {
  const [, memory, passes, parallelism, pepper, salt = '', tag = ''] = shape.exec(text) ?? []
  if (memory === undefined) throw new Broken('a stored password hash is not readable')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    pepper: Number(pepper),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** The queue entry of a command line, which has its process to itself. */
const ownTurn: Turn = { kind: 'known', address: 'local' }

type Input = { message: Uint8Array; nonce: Uint8Array; parallelism: number; tagLength: number; memory: number; passes: number }

/** One thread per worker: its computations run one after another. */
const openThread = (): ((input: Input) => Promise<Uint8Array>) =>
  openWorkerPool<Input, Uint8Array>({
    module: new URL('./argon2-thread.ts', import.meta.url),
    what: 'checking the password',
    hint: 'repeat the request in a few seconds',
    limitMs: 20_000,
    heapMegabytes: 32,
  })

/** `peppers`: by number; new hashes use the newest. Read at each hash, because the file may be created after this process starts. */
export function createPasswords(peppers: () => ReadonlyMap<number, Buffer>, cost: Cost = currentCost, atOnce: number = threads()): Passwords {
  const compute = openHashQueue<Input, Uint8Array>(Array.from({ length: atOnce }, openThread))
  // Compared if there is no stored hash; it matches no password.
  const dummyHash = { salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) }

  async function tagOf(password: string, parts: Pick<Parts, 'cost' | 'pepper' | 'salt'>, turn: Turn): Promise<Buffer> {
    const pepper = peppers().get(parts.pepper)
    if (!pepper) throw new Broken(`pepper ${parts.pepper} is missing`, { hint: 'restore the data folder’s keys/ from its backup' })
    const message = createHmac('sha256', pepper).update(password.normalize('NFC')).digest()
    return Buffer.from(await compute({ message, nonce: parts.salt, tagLength: tagBytes, ...parts.cost }, turn))
  }
  const newest = (): number => Math.max(...peppers().keys())

  return {
    async hash(password, turn = ownTurn) {
      const parts = { cost, pepper: newest(), salt: randomBytes(saltBytes) }
      return phcText({ ...parts, tag: await tagOf(password, parts, turn) })
    },
    async verify(password, stored, turn = ownTurn) {
      const parts = stored === null ? { ...dummyHash, cost, pepper: newest() } : parsePhc(stored)
      const same = timingSafeEqual(await tagOf(password, parts, turn), parts.tag)
      const less = parts.cost.memory < cost.memory || parts.cost.passes < cost.passes || parts.pepper < newest()
      return { matches: same && stored !== null, outdated: less }
    },
  }
}

/** One processor is left to the serving threads; more concurrent hashes than processors would only wait for each other. */
const threads = (): number => Math.max(1, Math.min(mostAtOnce, availableParallelism() - 1))

const opened = new Map<string, Passwords>()

/** The passwords of an installation: one instance per folder of keys in a process, so that the limits apply to all callers. */
export function openPasswords(keysFolder: string): Passwords {
  let passwords = opened.get(keysFolder)
  if (!passwords) {
    let held: ReadonlyMap<number, Buffer> | null = null
    passwords = createPasswords(() => (held ??= requireKeyFiles(keysFolder, pepperName)))
    opened.set(keysFolder, passwords)
  }
  return passwords
}
