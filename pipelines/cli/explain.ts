// What a command prints when it fails.
import { CrossfileError } from '#schemas/errors.ts'
import { isConnectionError } from '#warehouse/store/connection-errors.ts'
import { type DiskFault, findDiskFault, findServerFault } from '#warehouse/store/disk-faults.ts'
import { exitCodeOf } from '#warehouse/store/exit-code.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error))

type Explained = {
  readonly message: string
  readonly hint: string | null
  /** The reason is known: `CROSSFILE_LOG=debug` would add nothing that helps. */
  readonly isKnown: boolean
}

/** Prints the error and returns its exit code. With `--json`, the output is one JSON document in every case; `start` prints its own kind of line. */
export async function explain(error: unknown, argv: readonly string[], io: Io): Promise<number> {
  io.bar(null)
  const { message, hint, isKnown } = await explainedOf(error, io)
  if (argv.includes('--json') && argv[0] !== 'start') printJson(io, { error: message, hint })
  io.err(`crossfile: ${message}`)
  if (hint !== null) io.err(`  ${hint}`)
  if (verbose(io) && error instanceof Error && error.stack) io.err(error.stack)
  else if (!isKnown) io.err('  CROSSFILE_LOG=debug shows where it happened')
  return exitCodeOf(error)
}

async function explainedOf(error: unknown, io: Io): Promise<Explained> {
  const message = messageOf(error)
  const fault = await diskFaultOf(error, io)
  if (fault !== null) return { message: fault.message, hint: fault.spare === null ? fault.hint : `${fault.hint}; ${fault.spare}`, isKnown: true }
  if (error instanceof CrossfileError) return { message, hint: error.hint ?? null, isKnown: true }
  return isConnectionError(error)
    ? {
        message: `the connection to the database was lost: ${message}`,
        hint: 'committed data is kept; run the same command again',
        isKnown: false,
      }
    : { message, hint: null, isKnown: false }
}

/** A full or read-only disk, if that is the reason of the error. */
async function diskFaultOf(error: unknown, io: Io): Promise<DiskFault | null> {
  try {
    const config = io.config()
    const fault = await findDiskFault(error, config)
    // Errors that are thrown on purpose are about another server.
    if (fault !== null || error instanceof CrossfileError || !(error instanceof Error) || !isConnectionError(error)) return fault
    return await findServerFault(error, config)
  } catch (invalid) {
    // The configuration is invalid, which is the error being reported.
    if (invalid instanceof CrossfileError) return null
    throw invalid
  }
}

function verbose(io: Io): boolean {
  try {
    return io.config().logLevel === 'debug'
  } catch {
    // The configuration is invalid, which is the error being reported.
    return false
  }
}
