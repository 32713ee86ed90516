// What the next start wants to know of this one: the port, so that an address that somebody noted stays good.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileName = 'server.json'

/** The port of the last start, 0 where there is none. */
export function readPort(dataDir: string): number {
  const file = join(dataDir, fileName)
  if (!existsSync(file)) return 0
  try {
    const { port } = JSON.parse(readFileSync(file, 'utf8')) as { port?: unknown }
    return Number.isInteger(port) ? Number(port) : 0
  } catch {
    // A wish only: without it the server takes any free port.
    return 0
  }
}

export function writePort(dataDir: string, port: number): void {
  if (readPort(dataDir) === port) return
  const draft = join(dataDir, `${fileName}.${process.pid}`)
  writeFileSync(draft, JSON.stringify({ port }), { mode: 0o600 })
  renameSync(draft, join(dataDir, fileName))
}
