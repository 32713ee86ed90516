// `npm start` as somebody types it, on a data folder of its own.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { cpuSecondsBelow, root } from './processes.ts'

export type Installation = {
  readonly api: string
  readonly key: string
  readonly seconds: number
  /** Processor time of all its processes until it was ready; null on systems other than Linux. */
  readonly cpuSeconds: number | null
  readonly pid: number
  stop(): Promise<void>
}

/** Compiles the programs if their sources changed, as an installation does, so that no start is measured with it. */
export function compilePrograms(): void {
  spawnSync(process.execPath, [join(root, 'pipelines/cli/crossfile.mjs'), '--version'], { stdio: 'inherit' })
}

/** Starts and waits for the ready line; `seconds` is from the command to that line. */
export async function startInstallation(data: string): Promise<Installation> {
  const begun = performance.now()
  const { CROSSFILE_CONTACT: _contact, DATABASE_URL: _url, ...rest } = process.env
  const env = { ...rest, CROSSFILE_DATA: data, PORT: '0', CROSSFILE_LOG: 'warn' }
  const child = spawn(process.execPath, [join(root, 'pipelines/cli/crossfile.mjs'), 'start', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stderr?.on('data', chunk => {
    errors = (errors + String(chunk)).slice(-4000)
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const ready = await Promise.race([
    new Promise<{ api: string; key: string }>(resolve => {
      child.stdout?.on('data', chunk => {
        output += String(chunk)
        const line = output.split('\n').find(each => each.startsWith('{"ready":true'))
        if (line) resolve(JSON.parse(line) as { api: string; key: string })
      })
    }),
    ended.then(() => {
      throw new Error(`npm start ended before it was ready:\n${errors}`)
    }),
  ])
  const seconds = (performance.now() - begun) / 1000
  return {
    api: ready.api,
    key: ready.key,
    seconds,
    cpuSeconds: process.platform === 'linux' ? cpuSecondsBelow(child.pid as number) : null,
    pid: child.pid as number,
    async stop() {
      child.kill('SIGINT')
      await ended
    },
  }
}
