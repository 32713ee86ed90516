// `crossfile doctor`: every check with its finding and what to do. A failing check does not stop the others.
import type { Config } from '#schemas/config.ts'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { type OpenDatabase, openDatabase } from './database.ts'
import { type DoctorCheck, type Finding, type ReleaseContext, wrong } from './doctor/check.ts'
import { modelsCheck, publicationCheck, warehouseFileCheck } from './doctor/derived.ts'
import { documentsCheck } from './doctor/documents.ts'
import { filesCheck } from './doctor/files.ts'
import { jobsCheck } from './doctor/jobs.ts'
import { keysCheck, receiptLogCheck } from './doctor/keys.ts'
import { listsCheck } from './doctor/lists.ts'
import { bucketCheck, clockCheck, databaseCheck, diskCheck, folderCheck } from './doctor/machine.ts'
import { settingsCheck } from './doctor/settings.ts'
import type { Io } from './io.ts'
import { printJson, some } from './output.ts'

/** In print order: findings that explain others come first. */
export const doctorChecks: readonly DoctorCheck[] = [
  settingsCheck,
  diskCheck,
  folderCheck,
  databaseCheck,
  bucketCheck,
  clockCheck,
  keysCheck,
  receiptLogCheck,
  documentsCheck,
  filesCheck,
  listsCheck,
  publicationCheck,
  modelsCheck,
  warehouseFileCheck,
  jobsCheck,
]

type Checked = Finding & { readonly check: string }

async function runChecks(context: ReleaseContext): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const { name, run } of doctorChecks) {
    const findings = await run(context).catch((error: unknown): Finding[] => {
      if (context.signal.aborted) throw error
      return [
        wrong(
          `the check failed: ${error instanceof Error ? error.message : String(error)}`,
          error instanceof CrossfileError && error.hint ? error.hint : 'set CROSSFILE_LOG=debug to see where',
        ),
      ]
    })
    checked.push(...findings.map(finding => ({ check: name, ...finding })))
  }
  return checked
}

export async function doctor(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('doctor', commands.doctor.options, argv)
  const config = io.config()
  let database: OpenDatabase | null = null
  let databaseFault: ReleaseContext['databaseFault'] = null
  try {
    database = await openDatabase(io, { write: false })
  } catch (error) {
    databaseFault = {
      message: error instanceof Error ? error.message : String(error),
      hint: error instanceof CrossfileError ? (error.hint ?? null) : null,
    }
  }
  try {
    const checked = await runChecks({
      config,
      db: database?.db ?? null,
      databaseFault,
      bucketFault: await findBucketFault(config),
      now: io.now,
      signal: io.interrupted(),
    })
    const wrongs = checked.filter(each => each.state === 'wrong').length
    if (values.json) printJson(io, { ok: wrongs === 0, findings: checked })
    else for (const line of render(checked)) io.out(line)
    return wrongs === 0 ? 0 : 1
  } finally {
    await database?.close()
  }
}

/** Found once, so that no check waits for the attempts of its requests. */
async function findBucketFault(config: Config): Promise<string | null> {
  try {
    return (await (await openRemote(config))?.availability.probe()) ?? null
  } catch (error) {
    // No credentials: the check of the bucket names the settings.
    if (error instanceof BadRequest) return error.message
    throw error
  }
}

function render(checked: readonly Checked[]): string[] {
  const words = { ok: 'ok', wrong: 'WRONG', unchecked: 'not checked' }
  const width = Math.max(...checked.map(each => each.check.length))
  const lines = checked.flatMap(({ check, state, found, remedy }) => {
    const first = `${check.padEnd(width)}  ${words[state].padEnd(11)}  ${found.replaceAll('\n', `\n${' '.repeat(width + 15)}`)}`
    return remedy === null ? [first] : [first, `${' '.repeat(width + 15)}-> ${remedy}`]
  })
  const wrongs = checked.filter(each => each.state === 'wrong').length
  return [...lines, '', wrongs === 0 ? 'no problem found' : `${some(wrongs, 'finding needs', 'findings need')} attention`]
}
