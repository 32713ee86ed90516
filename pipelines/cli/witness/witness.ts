// `crossfile witness`: cosigns the checkpoints of other installations' logs. It needs no database and no data folder.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { BadRequest } from '#schemas/errors.ts'
import { createLog } from '#warehouse/store/log.ts'
import { readArguments } from '../arguments.ts'
import { commands } from '../commands.ts'
import type { Io } from '../io.ts'
import { columnsOf, printJson, printTable } from '../output.ts'
import { followLogList } from './logs-file.ts'
import { witnessServer } from './serve.ts'
import { openWitness } from './store.ts'

const defaultFolder = 'witness'
const defaultListen = '127.0.0.1:4040'

/** Serves until Ctrl-C. Exit code 0. `BadRequest` for arguments, `Broken` for a folder that cannot be used. */
export async function witness(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('witness', commands.witness.options, argv)
  const folder = resolve(values.folder ?? defaultFolder)
  const [host, port] = readListen(values.listen ?? defaultListen)
  const log = createLog('info', line => io.err(line.trimEnd()))
  const logs = followLogList(resolve(values.logs ?? join(folder, 'logs')), message => log('error', message))
  const store = openWitness(folder, values.name ?? null)
  try {
    const server = witnessServer({ store, logs, log, clockCorrected: values['clock-corrected'] === true }, () => io.now().getTime())
    const stopping = io.interrupted()
    server.listen(port, host)
    await once(server, 'listening').catch(error => {
      throw new BadRequest(`cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`, {
        hint: 'give another address with --listen',
      })
    })
    const { port: taken } = server.address() as AddressInfo
    const address = `http://${host.includes(':') ? `[${host}]` : host}:${taken}/`
    if (values.json) printJson(io, { vkey: store.vkey, address, logs: [...logs().keys()], folder })
    else {
      io.out(store.vkey)
      io.err(`cosigns ${[...logs().keys()].join(', ') || 'no log yet'} at ${address}; state in ${folder}`)
    }
    if (!stopping.aborted) await once(stopping, 'abort')
    const closed = once(server, 'close')
    server.close()
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 1_000).unref()
    await closed
  } finally {
    store.close()
  }
  return 0
}

function readListen(text: string): [host: string, port: number] {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text)
  const port = Number(found?.[3] ?? Number.NaN)
  if (!(port <= 65_535))
    throw new BadRequest(`--listen ${text.slice(0, 64)} is not an address with a port`, { hint: 'expected such as 127.0.0.1:4040 or [::1]:4040' })
  return [found?.[1] ?? found?.[2] ?? '', port]
}

/** What a witness keeps: its key, the trees that it cosigned last, and evidence of forks. Exit code 1 if there is evidence of a fork. */
export async function witnessStatus(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('witness status', commands['witness status'].options, argv)
  const folder = resolve(values.folder ?? defaultFolder)
  const store = openWitness(folder, null)
  try {
    const evidence = store.listEvidence()
    const logs = store.list().map(({ origin, size, root, seconds }) => ({
      origin,
      size,
      root: root.toString('base64'),
      cosigned_at: new Date(seconds * 1000).toISOString(),
    }))
    if (values.json) printJson(io, { vkey: store.vkey, folder, logs, evidence })
    else {
      io.out(store.vkey)
      printTable(
        io,
        columnsOf('*log', '>size', 'cosigned at', 'root'),
        logs.map(each => [each.origin, each.size, each.cosigned_at, each.root]),
      )
      for (const file of evidence) io.out(`evidence: ${join(folder, 'evidence', file)}`)
    }
    return evidence.some(file => file.startsWith('fork-')) ? 1 : 0
  } finally {
    store.close()
  }
}
