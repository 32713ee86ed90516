// Forms 3, 4 and 5: the keyed read of an issuer's transactions, and parsing the XML that they come as.
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownershipXml } from '#fixtures/world/render/ownership.ts'
import { buildWorld } from '#fixtures/world/world.ts'
import { type ReleaseContexts, signedPath } from './contexts.ts'
import { hotRead } from './eod.ts'
import { compared, figure, interleave, type Report } from './measure.ts'
import { installed, pinned, startProgram } from './processes.ts'

type Outcome = Pick<Report, 'figures' | 'notes'>

export async function form4Hot(contexts: ReleaseContexts): Promise<Outcome> {
  const { env, key } = await contexts.installation()
  // The API alone: its database is the folder's own, its worker is not needed for a page that stands.
  const api = await startProgram('bench/api-process.ts', env, 0)
  try {
    return await hotRead(contexts, api, signedPath, [`Authorization: Bearer ${key}`])
  } finally {
    await api.stop()
  }
}

const documents = 4000

/** Fictional Forms 3, 4 and 5, all different, as files of the shape that EDGAR publishes. */
async function writeForms(folder: string): Promise<string[]> {
  const world = buildWorld({ name: 'bench', sessions: 250, lastSession: '2026-11-19', listings: 1500, filings: documents, actions: 0 })
  const texts = new Set(world.filings.flatMap(filing => (filing.ownership && filing.oddity === null ? [ownershipXml(filing, filing.ownership)] : [])))
  const names: string[] = []
  for (const text of texts) {
    const name = `${names.length}.xml`
    await writeFile(join(folder, name), text)
    names.push(name)
  }
  return names
}

export async function form4Parse(contexts: ReleaseContexts): Promise<Outcome> {
  const folder = await contexts.folder('forms')
  const names = await writeForms(folder)
  const parser = await startProgram('bench/parse-process.ts', {}, 1, [folder])
  const bytes = { total: 0 }
  const own = async (): Promise<number> => {
    const answer = await parser.ask<{ ms: number; bytes: number }>({ names })
    bytes.total = answer.bytes
    return (names.length / answer.ms) * 1000
  }
  const xmllint = (files: readonly string[]): number => {
    const [command, args] = pinned(1, 'xmllint', ['--stream', '--noout', ...files])
    const begun = performance.now()
    const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`xmllint: ${stderr.slice(0, 300)}`)
    return performance.now() - begun
  }
  // Starting the process is not parsing: the time of a call with one file comes off.
  const other = async (): Promise<number> => {
    const start = xmllint(names.slice(0, 1))
    return ((names.length - 1) / (xmllint(names) - start)) * 1000
  }
  try {
    for (let warm = 0; warm < 3; warm += 1) await own()
    const hasXmllint = installed('xmllint')
    const values = await interleave([{ name: 'own', run: own }, ...(hasXmllint ? [{ name: 'xmllint', run: other }] : [])], contexts.options.rounds)
    const [mine, theirs] = [values.get('own') ?? [], values.get('xmllint')]
    const label = 'parsing Forms 3, 4 and 5'
    return {
      figures: [
        theirs
          ? compared(label, 'documents/s', mine, 'xmllint --stream --noout', theirs, { of: 'ratio', least: 0.67 })
          : figure(label, 'documents/s', mine),
      ],
      notes: [
        `${names.length} different documents, ${Math.round(bytes.total / names.length).toLocaleString('en-US')} bytes on average, one core each, reading the files included, the start of the process not`,
        'xmllint checks well-formedness and throws the events away; our parser gives typed rows, footnotes tied to their cells, and findings',
        ...(hasXmllint ? [] : ['xmllint is not installed (libxml2-utils): our own figure stands alone']),
      ],
    }
  } finally {
    await parser.stop()
  }
}
