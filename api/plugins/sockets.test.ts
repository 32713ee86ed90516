import { expect, it } from 'vitest'
import { createLateness, serverBounds } from './sockets.ts'

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
