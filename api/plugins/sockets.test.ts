import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { checkWhileConnected, createLateness, extendWhileConnected, serverBounds } from './sockets.ts'

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

it('slow clients are looked for while there are any: each is refused, and between them an idle process is not woken', async () => {
  const server: http.Server & { connectionsCheckingInterval?: number } = http.createServer(
    { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 },
    (_request, response) => void response.end('answered'),
  )
  const day = 86_400_000
  checkWhileConnected(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    for (const sent of ['GET / HTTP/1.1\r\nHost: here\r\n', '', 'GET / HTTP/1.1\r\nHost: here\r\nX-Slow: ']) {
      expect(server.connectionsCheckingInterval).toBeGreaterThan(day)
      const socket = connect(port, '127.0.0.1')
      await once(server, 'connection')
      expect(server.connectionsCheckingInterval).toBe(20)
      socket.write(sent)
      let received = ''
      socket.on('data', part => {
        received += part.toString('latin1')
      })
      await once(socket, 'close')
      expect(received).toMatch(/^HTTP\/1\.1 408 /)
      await expect.poll(() => server.connectionsCheckingInterval).toBeGreaterThan(day)
    }
    // The second request of a connection that was answered before, next to another client.
    const other = connect(port, '127.0.0.1')
    await once(server, 'connection')
    other.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
    const [answer] = (await once(other, 'data')) as [Buffer]
    expect(answer.toString('latin1')).toContain('answered')
    const next = connect(port, '127.0.0.1')
    await once(server, 'connection')
    next.destroy()
    other.write('GET / HTTP/1.1\r\n')
    const [refusal] = (await once(other, 'data')) as [Buffer]
    expect(refusal.toString('latin1')).toMatch(/^HTTP\/1\.1 408 /)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

it.each(['GET / HTTP/1.1\r\nHost: here\r\nX-Slow: ', 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n{'])(
  'a slow client does not hold up the close of the server: %j',
  async sent => {
    const bounds = { ...serverBounds, headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 20 }
    const server: http.Server & { connectionsCheckingInterval?: number } = http.createServer(
      bounds,
      (request, response) => void request.resume().once('end', () => response.end()),
    )
    checkWhileConnected(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
    const arrived = once(server, 'connection')
    socket.write(sent)
    const [accepted] = (await arrived) as [Socket]
    // Its first part was read: a connection without any would be closed at once.
    await once(accepted, 'data')
    server.close()
    await once(server, 'close')
    expect(server.connectionsCheckingInterval).toBe(2 ** 31 - 1)
    socket.destroy()
  },
)
