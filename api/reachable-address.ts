// The address by which the workers reach an API process: they check its health, from other machines and containers too.
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'

const everyInterface = ['0.0.0.0', '::', '::0']
export const isEveryInterface = (host: string): boolean => everyInterface.includes(host)
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

/**
 * The address of an API that listens at `listening`, an `http://` address, because of the setting `host`. With `host` for every interface: the
 * address of the interface that leads to the database, because the workers reach that too; with the database on this machine, its name if the
 * name has an address. `database`: `postgres://…`.
 */
export async function reachableAddress(listening: string, host: string, database: string): Promise<string> {
  const { origin, port } = new URL(listening)
  return isEveryInterface(host) ? `http://${inUrl(await hostOfThisMachine(database))}:${port}` : origin
}
const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

async function hostOfThisMachine(database: string): Promise<string> {
  const towards = await addressTowards(new URL(database))
  if (towards !== null && !isLoopback(towards)) return towards
  return (await addressOf(hostname())) === null ? '127.0.0.1' : hostname()
}

/** The address of a name; null if it has none. */
const addressOf = async (name: string): Promise<{ readonly address: string; readonly family: number } | null> => await lookup(name).catch(() => null)

/** The address of this machine on the way to another one, as it routes; null without a route. Nothing is sent. */
async function addressTowards({ hostname: name, port }: URL): Promise<string | null> {
  const found = name === '' ? null : await addressOf(name.replace(/^\[|\]$/g, ''))
  if (found === null) return null
  const socket = createSocket(found.family === 6 ? 'udp6' : 'udp4')
  try {
    return await new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.connect(Number(port) || 5432, found.address, () => resolve(socket.address().address))
    })
  } catch {
    return null // no route, which the connection to the database reports
  } finally {
    socket.close()
  }
}
