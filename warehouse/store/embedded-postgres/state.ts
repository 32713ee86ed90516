// State for the next start: the port, so that a noted address stays valid.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileName = 'server.json'

/** The port of the last start, 0 if there is none. */
export function readPort(dataDir: string): number {
  const file = join(dataDir, fileName)
  if (!existsSync(file)) return 0
  try {
    const { port } = JSON.parse(readFileSync(file, 'utf8')) as { port?: unknown }
    return Number.isInteger(port) ? Number(port) : 0
  } catch {
    // Only a preference: without it, the server uses any free port.
    return 0
  }
}

export function writePort(dataDir: string, port: number): void {
  if (readPort(dataDir) === port) return
  const draft = join(dataDir, `${fileName}.${process.pid}`)
  writeFileSync(draft, JSON.stringify({ port }), { mode: 0o600 })
  renameSync(draft, join(dataDir, fileName))
}
