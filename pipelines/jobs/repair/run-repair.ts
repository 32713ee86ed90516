// The job `repair`: `crossfile repair` as a separate process, because it rebuilds datasets in a separate catalogue and may need much memory.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import { Broken } from '#schemas/errors.ts'
import type { Log } from '#warehouse/store/log.ts'

const launcher = join(import.meta.dirname, '..', '..', 'cli', 'crossfile.mjs')
/** Bytes of output that are read: a report has a line for each damaged file. */
const mostBytes = 16 * 1024 * 1024
const Report = z.object({
  files: z.int(),
  damaged: z.int(),
  repairs: z.array(z.object({ dataset: z.string(), file: z.string(), reason: z.string(), result: z.string(), repaired: z.boolean() })),
})

/** `command`: the program and its arguments; the one of this installation without it. */
export type RepairCommand = { readonly command?: readonly [program: string, ...args: string[]]; readonly log: Log; readonly signal: AbortSignal }

/**
 * Hashes every stored file and repairs what is damaged, from raw documents. Returns a note with what was done. Throws `Broken` with the
 * first reason if a file could not be repaired, or if the command failed.
 */
export async function runRepair({ command = [process.execPath, launcher, 'repair', '--json'], log, signal }: RepairCommand): Promise<string> {
  const { code, out, err } = await runCommand(command, signal)
  signal.throwIfAborted()
  if (code !== 0 && code !== 1) throw new Broken(`repair ended with code ${code ?? 'of a signal'}: ${lastLine(err) ?? 'without a reason'}`)
  const read = Report.safeParse(parsed(out))
  if (!read.success) throw new Broken(`repair reported nothing that can be read: ${lastLine(err) ?? lastLine(out) ?? 'no output'}`)
  const { files, damaged, repairs } = read.data
  for (const each of repairs) log(each.repaired ? 'info' : 'warn', `${each.dataset} ${each.file.slice(0, 12)}: ${each.reason}; ${each.result}`)
  const [left, ...more] = repairs.filter(each => !each.repaired)
  if (left !== undefined)
    throw new Broken(
      `${more.length + 1} damaged ${more.length === 0 ? 'file was' : 'files were'} not repaired, such as ${left.dataset} ${left.file.slice(0, 12)}: ${left.result}`,
      { hint: 'crossfile repair --from PLACE takes files from a backup' },
    )
  return damaged === 0 ? `every file is whole: ${files} hashed` : `${damaged} damaged files repaired, ${files} hashed`
}

function runCommand([program, ...args]: readonly [string, ...string[]], signal: AbortSignal) {
  return new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const text = { out: '', err: '' }
    const take = (name: 'out' | 'err') => (chunk: Buffer) => {
      if (text[name].length < mostBytes) text[name] += chunk.toString('utf8')
    }
    child.stdout.on('data', take('out'))
    child.stderr.on('data', take('err'))
    const stop = (): void => void child.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    child.once('error', reject)
    child.once('close', code => {
      signal.removeEventListener('abort', stop)
      resolve({ code, ...text })
    })
    if (signal.aborted) stop()
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const lastLine = (text: string): string | undefined =>
  text
    .split('\n')
    .filter(line => line.trim() !== '')
    .at(-1)
    ?.slice(0, 500)
