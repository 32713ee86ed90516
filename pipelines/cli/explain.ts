// What a command prints when it fails.
import { CrossfileError } from '#schemas/errors.ts'
import { isConnectionError } from '#warehouse/store/connection-errors.ts'
import { exitCodeOf } from '#warehouse/store/exit-code.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error))

/** Prints the error and returns its exit code. With `--json`, the output is one JSON document in every case; `start` prints its own kind of line. */
export function explain(error: unknown, argv: readonly string[], io: Io): number {
  io.bar(null)
  if (argv.includes('--json') && argv[0] !== 'start')
    printJson(io, { error: messageOf(error), hint: error instanceof CrossfileError ? (error.hint ?? null) : null })
  const deep = verbose(io)
  if (!(error instanceof CrossfileError)) {
    const lost = isConnectionError(error)
    io.err(`crossfile: ${lost ? 'the connection to the database was lost: ' : ''}${messageOf(error)}`)
    if (lost) io.err('  committed data is kept; run the same command again')
    if (deep && error instanceof Error && error.stack) io.err(error.stack)
    else io.err('  CROSSFILE_LOG=debug shows where it happened')
    return exitCodeOf(error)
  }
  io.err(`crossfile: ${error.message}`)
  if (error.hint) io.err(`  ${error.hint}`)
  if (deep && error.stack) io.err(error.stack)
  return exitCodeOf(error)
}

function verbose(io: Io): boolean {
  try {
    return io.config().logLevel === 'debug'
  } catch {
    // The configuration is invalid, which is the error being reported.
    return false
  }
}
