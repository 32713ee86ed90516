import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { createLateness, extendWhileConnected, serverBounds } from './sockets.ts'

it('the timeouts of clients are extended by the delay of a busy process, and return to what they were', () => {
  const server = { headersTimeout: serverBounds.headersTimeout, requestTimeout: serverBounds.requestTimeout }
  let now = 0
  const tick = createLateness(server, () => now)
  const after = (ms: number): void => {
    now += ms
    tick()
  }
  after(250)
  expect(server).toEqual({ headersTimeout: 5_000, requestTimeout: 15_000 })
  after(8_250)
  expect(server).toEqual({ headersTimeout: 13_000, requestTimeout: 23_000 })
  for (let at = 0; at < 20; at += 1) after(250)
  expect(server.headersTimeout).toBeLessThan(5_900)
  for (let at = 0; at < 100; at += 1) after(250)
  expect(server).toEqual({ headersTimeout: 5_000, requestTimeout: 15_000 })
  after(600_000)
  expect(server.headersTimeout).toBe(65_000)
})

it('a process without connections is not woken, and one with a connection extends its timeouts', async () => {
  const server = http.createServer(serverBounds)
  let now = 0
  let looks = 0
  const looked = new EventEmitter()
  extendWhileConnected(server, () => {
    looks += 1
    looked.emit('looked')
    return now
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    expect(looks).toBe(0)
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    await once(server, 'connection')
    expect(looks).toBe(1)
    now = 8_250
    await once(looked, 'looked')
    expect(server.headersTimeout).toBe(13_000)
    socket.destroy()
    await expect.poll(async () => await new Promise(resolve => server.getConnections((_error, open) => resolve(open)))).toBe(0)
    const after = looks
    // Longer than two ticks: a timer that was not cleared would have looked.
    await new Promise(resolve => setTimeout(resolve, 600))
    expect(looks).toBe(after)
  } finally {
    server.close()
  }
})
