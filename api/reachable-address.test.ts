import { lookup } from 'node:dns/promises'
import { hostname, networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { reachableAddress } from './reachable-address.ts'

const here = 'postgres://user:secret@127.0.0.1:5432/crossfile'
const external = Object.values(networkInterfaces())
  .flat()
  .find(each => each?.family === 'IPv4' && !each.internal)?.address

/** For an API that listens on every interface. */
const everywhere = (database: string, host = '0.0.0.0') => reachableAddress('http://127.0.0.1:8080', host, database)

describe('the address by which workers reach an API', () => {
  test.each([
    ['127.0.0.1', 'http://127.0.0.1:8080'],
    ['::1', 'http://[::1]:8080'],
    ['192.0.2.7', 'http://192.0.2.7:8080'],
  ])('is the one it listens on: %s', async (host, listening) => {
    expect(await reachableAddress(listening, host, here)).toBe(listening)
  })
  test.each(['0.0.0.0', '::'])('is the name of this machine if the database is on it, for all interfaces: %s', async host => {
    const name = await lookup(hostname()).then(
      () => hostname(),
      () => '127.0.0.1',
    )
    expect(await everywhere(here, host)).toBe(`http://${name}:8080`)
  })
  test.skipIf(external === undefined)('is that of the interface which leads to the database (skipped without a network)', async () => {
    expect(await everywhere(`postgres://user:secret@${external}/crossfile`)).toBe(`http://${external}:8080`)
  })
  test('is that of this machine if the database has no address', async () => {
    for (const database of ['postgres://user:secret@nowhere.invalid/crossfile', 'postgres:///crossfile'])
      expect(await everywhere(database)).toBe(await everywhere(here))
  })
})
