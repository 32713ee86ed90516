// The bundled universe: a package of recorded documents that the simulator's program writes (fixtures/universe-package/package.ts).
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { Broken } from '#schemas/errors.ts'
import { diskOf, FullDisk, isLow } from '#warehouse/store/disk-faults.ts'
import { version } from '../jobs/version.ts'
import type { RawDocument } from '../read/parsed.ts'
import { compiledSibling, packageProgram, universeFolder } from './compiled.mjs'
import { makeUniverseFolder, removeStaleUniverseFolders } from './universe-folder.ts'

/** What is loaded. `clock`: the instant at which the data clock of the installation is set. */
export type Universe = { readonly clock: string; readonly documents: readonly RawDocument[] }
/** The universe with the example report of the documentation. */
export type BundledPackage = Universe & { readonly report: { readonly name: string; readonly bytes: Uint8Array } }

const simulatorFolder = join(import.meta.dirname, '..', '..', 'fixtures', 'world')
const pipelines = join(import.meta.dirname, '..')
const readerFolders = [join(pipelines, 'read'), join(pipelines, 'fetch', 'sources')]
const root = join(import.meta.dirname, '..', '..')

const About = z.object({ clock: z.string(), report: z.string() })

/**
 * Changes whenever the code does that makes the universe, or that decides which reader takes a document: what was remembered of it under
 * another fingerprint does not count.
 */
export function universeFingerprint(): string {
  const hash = createHash('sha256').update(version)
  for (const folder of [simulatorFolder, ...readerFolders])
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
      if (name.endsWith('.ts') && !name.endsWith('.test.ts')) hash.update(`${name}\n`).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}

/** The failure of the program, or the full disk of its folder: the program has printed that reason. */
async function failureIn(folder: string, failure: Broken): Promise<Broken> {
  const disk = await diskOf(folder)
  return disk !== null && isLow(disk) ? new FullDisk(folder, failure) : failure
}

/**
 * The package, which is written when the programs are compiled (compile-programs.ts); without compiled programs it is written to a temporary
 * folder, and folders that killed starts left are deleted. Rejects with `Broken` if the program that writes it fails.
 */
export async function readBundledPackage(signal: AbortSignal): Promise<BundledPackage> {
  const compiled = compiledSibling(root, packageProgram)
  if (compiled !== null) return await readPackage(join(dirname(compiled), universeFolder))
  await removeStaleUniverseFolders()
  const folder = await makeUniverseFolder()
  try {
    const child = spawn(process.execPath, [join(root, packageProgram), folder], { stdio: ['ignore', 'ignore', 'inherit'], signal })
    const [code, ended] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (...result) => resolve(result))
    })
    if (code !== 0) throw await failureIn(folder, new Broken(`the program that writes the bundled universe ended with ${code ?? ended}`))
    return await readPackage(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readPackage(folder: string): Promise<BundledPackage> {
  const { clock, report } = About.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
  const lines = (await readFile(join(folder, 'documents.jsonl'), 'utf8')).trimEnd().split('\n')
  const documents = lines.map(line => {
    const { body, ...document } = JSON.parse(line) as Omit<RawDocument, 'body'> & { body: string }
    return { ...document, body: Buffer.from(body, 'base64') }
  })
  return { clock, documents, report: { name: report, bytes: await readFile(join(folder, report)) } }
}
