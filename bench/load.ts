// Asking the servers under measurement: how many a second (wrk where it is installed, else our client) and how long each.
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installed, pinned } from './processes.ts'

const hasWrk = installed('wrk')
export const loader = hasWrk ? 'wrk' : 'bench/client.ts'
const connections = 16

async function output(command: string, args: readonly string[], input: string | null): Promise<string> {
  const child = spawn(command, args, { stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'inherit'] })
  child.stdin?.end(input ?? undefined)
  let text = ''
  child.stdout?.on('data', chunk => {
    text += String(chunk)
  })
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${text.slice(-500)}`)
  return text
}

const client = async <T>(plan: object, core: 0 | 1 | null): Promise<T> => {
  const [command, args] = pinned(core, process.execPath, [join(import.meta.dirname, 'client.ts')])
  return JSON.parse(await output(command, args, JSON.stringify(plan))) as T
}

/** Requests a second of one address over keep-alive connections; throws where an answer has another status than `status`. */
export async function requestsPerSecond(address: string, path: string, headers: readonly string[], seconds: number, status: number): Promise<number> {
  if (!hasWrk || status === 304) {
    // wrk counts whatever is not 2xx or 3xx only; our client sees each status, so it proves a 304 first.
    const probe = await client<{ statuses: Record<string, number> }>({ mode: 'rate', address, path, headers, connections: 1, seconds: 0.05 }, 1)
    if (Object.keys(probe.statuses).join() !== String(status))
      throw new Error(`${path}: answered ${JSON.stringify(probe.statuses)}, expected ${status}`)
  }
  if (!hasWrk) return (await client<{ per_second: number }>({ mode: 'rate', address, path, headers, connections, seconds }, 1)).per_second
  const [command, args] = pinned(1, 'wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    ...headers.flatMap(header => ['-H', header]),
    `${address}${path}`,
  ])
  const text = await output(command, args, null)
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(text)
  if (failed) throw new Error(`${path}: ${failed[0]}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1])
}

/** The script of wrk that requests each line of a file, one after the other. */
const eachLine = (file: string): string => `local requests = {}
for line in io.lines(${JSON.stringify(file)}) do requests[#requests + 1] = line end
local at = 0
function request()
  at = at % #requests + 1
  return wrk.format("GET", requests[at])
end
`

/**
 * Answers a second to different paths, over so many connections for some seconds with wrk, which begins again after the last path; without
 * wrk, each path once with our client. Throws if one is not answered 200.
 */
export async function answersPerSecond(address: string, paths: readonly string[], connections: number, seconds: number): Promise<number> {
  if (!hasWrk) return (await eachPath(address, paths, [], connections)).per_second
  const folder = await mkdtemp(join(tmpdir(), 'crossfile-bench-paths-'))
  try {
    const [script, list] = [join(folder, 'each.lua'), join(folder, 'paths')]
    await writeFile(list, paths.join('\n'))
    await writeFile(script, eachLine(list))
    const text = await output('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, address], null)
    const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(text)
    if (failed) throw new Error(`${paths[0]} and others: ${failed[0]}`)
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Asked = { readonly ms: readonly number[]; readonly per_second: number }
/** Every path once, over so many connections; throws where one is not answered 200. */
async function eachPath(address: string, paths: readonly string[], headers: readonly string[], connections: number): Promise<Asked> {
  const asked = await client<Asked & { statuses: number[] }>({ mode: 'each', address, headers, paths, connections }, null)
  const wrong = asked.statuses.findIndex(status => status !== 200)
  if (wrong >= 0) throw new Error(`${paths[wrong]}: answered ${asked.statuses[wrong]}`)
  return asked
}

/** Milliseconds of each path, asked once and one after the other; throws where one is not answered 200. */
export const eachMs = async (address: string, paths: readonly string[], headers: readonly string[] = []): Promise<number[]> => [
  ...(await eachPath(address, paths, headers, 1)).ms,
]
