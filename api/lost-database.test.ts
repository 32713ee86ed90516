// Postgres goes away under a running API: each operation answers as without it, or 503 with Retry-After, and never 500.
import { createServer, type Server as Listener, connect as open, type Socket } from 'node:net'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { credentialFor, signedInUser } from '#fixtures/users.ts'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { ErrorAnswer } from '#schemas/answer.ts'
import { Secret } from '#schemas/config.ts'
import { type Operation, operations } from '#schemas/operations.ts'
import { widePlans } from './fakes.ts'
import { type Server, startServer } from './server.ts'

type Mode = 'pass' | 'refuse' | 'break'

/** A way to the database that can be closed: `refuse` takes no connection, `break` ends each at its first byte. */
async function openGate(to: URL): Promise<{ port: number; set(mode: Mode): Promise<void> }> {
  let mode: Mode = 'pass'
  const sockets = new Set<Socket>()
  let listener: Listener
  const listen = async (port: number): Promise<number> => {
    listener = createServer(socket => {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
      if (mode === 'break') return void socket.once('data', () => socket.destroy())
      const onward = open(Number(to.port), to.hostname)
      onward.on('error', () => socket.destroy()).on('close', () => socket.destroy())
      socket.on('close', () => onward.destroy())
      socket.pipe(onward).pipe(socket)
    })
    await new Promise<void>(resolve => listener.listen(port, '127.0.0.1', resolve))
    return (listener.address() as { port: number }).port
  }
  const port = await listen(0)
  return {
    port,
    async set(next) {
      const closed = mode === 'refuse'
      mode = next
      if (next !== 'pass') for (const socket of sockets) socket.destroy()
      if (next === 'refuse') await new Promise(resolve => listener.close(resolve))
      else if (closed) await listen(port)
    },
  }
}

const warehouse = await worldWarehouse()
const key = await worldKey(warehouse)
const { db } = warehouse.runtime.postgres
let gate: Awaited<ReturnType<typeof openGate>>
let server: Server
let app: FastifyInstance
beforeAll(async () => {
  const url = new URL(warehouse.runtime.url)
  gate = await openGate(new URL(url))
  url.port = String(gate.port)
  server = await startServer({ ...warehouse.config, databaseUrl: new Secret(url.href) }, widePlans)
  app = server.app
})
afterAll(async () => {
  await gate.set('pass')
  await server.close()
  await gate.set('refuse')
})

const credential = ({ access }: Operation): Promise<Record<string, string>> => credentialFor(access, db, warehouse.config.dataFolder, key)
let serial = 0
function send({ method, example, body_media: [media = 'application/json'] }: Operation, headers: Record<string, string>) {
  serial += 1
  const form = media === 'application/x-www-form-urlencoded'
  const { body } = example
  const payload =
    body === undefined
      ? {}
      : { payload: form ? new URLSearchParams(body as Record<string, string>).toString() : typeof body === 'string' ? body : JSON.stringify(body) }
  const sent = { ...headers, ...(body === undefined ? {} : { 'content-type': media }) }
  return app.inject({
    method,
    url: example.request,
    headers: sent,
    ...payload,
    remoteAddress: `10.9.${serial >> 8}.${serial & 255}`,
  } as InjectOptions)
}

it.each(['refuse', 'break'] as const)(
  'no operation answers 500 when connections to the database are in mode %s, and all of them recover',
  async mode => {
    const faults: string[] = []
    const refused: string[] = []
    for (const operation of operations) {
      const headers = await credential(operation)
      await gate.set(mode)
      const response = await send(operation, headers)
      await gate.set('pass')
      if (response.statusCode < 500) continue
      refused.push(operation.id)
      // The answers of health and readiness have a shape of their own, which names what is not ready.
      const own = operation.id === 'get_health' || operation.id === 'get_readiness'
      // Refusals of the agent endpoints have the members of JSON-RPC as well.
      const { jsonrpc: _version, id: _id, error: _error, ...members } = response.json()
      const shaped = ErrorAnswer.safeParse(operation.agent === null ? response.json() : members).success
      const right = own || (shaped && response.json().code === 'upstream_unavailable')
      if (response.statusCode !== 503 || response.headers['retry-after'] === undefined || !right)
        faults.push(`${operation.id}: ${response.statusCode} ${response.headers['retry-after']} ${response.body.slice(0, 200)}`)
    }
    expect(faults).toEqual([])
    // What reads or writes a person's rows cannot be answered without them.
    expect(refused).toEqual(expect.arrayContaining(['list_alerts', 'create_alert', 'sign_in']))
    const again = await app.inject({ url: '/api/v1/alerts', headers: { ...(await signedInUser(db)).cookie } })
    expect(again.statusCode).toBe(200)
  },
)
