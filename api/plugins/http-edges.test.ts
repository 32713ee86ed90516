// What reaches the service below its routes: repeated headers, OPTIONS of every path, connections that end early.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#schemas/operations.ts'
import { buildApp } from '../app.ts'
import { aKey, exampleRequest, fakes, keyList } from '../fakes.ts'

const key = aKey()
const other = aKey()
const lines: string[] = []
let app: Awaited<ReturnType<typeof buildApp>>
let port = 0
let held: (() => void) | null = null
beforeAll(async () => {
  const given = fakes({ keys: keyList(key, other) })
  const options = {
    ...given.options,
    logLevel: 'info' as const,
    logStream: { write: (line: string) => void lines.push(line) },
    accessLog: 'all' as const,
  }
  app = await buildApp({
    ...given,
    options,
    handlers: {
      ...given.handlers,
      sign_in: async (_question, { client }) => {
        await new Promise<void>(resolve => {
          client.gone.addEventListener('abort', () => resolve())
          held = resolve
        })
        return { kind: 'empty', status: 204 }
      },
    },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as { port: number }).port
})
afterAll(() => app.close())

/** Status and text of the answer to a request as it is typed; with `cut` the connection is destroyed after sending. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text.replaceAll('\n', '\r\n')))
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}
const get = (headers: string): Promise<string> => raw(`GET /api/v1/data/health HTTP/1.1\n${headers}\nConnection: close\n\n`)

describe('a header that may be sent once', () => {
  it('is 400 when it is sent twice: Host always, credentials where they differ', async () => {
    const bearer = `Authorization: Bearer ${key.text}`
    expect(await get(`Host: a\n${bearer}`)).toMatch(/^HTTP\/1.1 200 /)
    expect(await get(`Host: a\n${bearer}\n${bearer}`)).toMatch(/^HTTP\/1.1 200 /)
    for (const [name, headers] of [
      ['Authorization', `Host: a\n${bearer}\nauthorization: Bearer ${other.text}`],
      ['X-API-Key', `Host: a\nX-API-Key: ${key.text}\nX-API-Key: ${other.text}`],
      ['Host', `Host: a\n${bearer}\nHost: b`],
      ['Host', `Host: a\n${bearer}\nhost: a`],
    ] as const) {
      // Twice: an answer in memory is refused too.
      for (let n = 0; n < 2; n += 1) {
        const answer = await get(headers)
        expect(answer).toMatch(/^HTTP\/1.1 400 /)
        expect(answer).toContain(`the header ${name} was sent more than once`)
      }
    }
  })
})

describe('OPTIONS', () => {
  it('names for every path exactly the methods that are not 405', async () => {
    // The agent endpoints answer 401 to every method of a client without a key.
    const named = operations.filter(each => each.agent === null)
    const paths = ['/%68ealth', ...new Set(named.map(each => exampleRequest(each, key.text).url.split('?')[0] as string))]
    const wrong: string[] = []
    for (const path of paths) {
      const response = await app.inject({ method: 'OPTIONS', url: path })
      expect([path, response.statusCode]).toEqual([path, 204])
      const allowed = String(response.headers['allow']).split(', ')
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        // The request has no session and no body: whatever the route answers, it is not 405.
        const { statusCode } = await app.inject({ method, url: path })
        if (path.endsWith('/login') && method === 'POST') continue
        if ((statusCode !== 405) !== allowed.includes(method)) wrong.push(`${method} ${path}: ${statusCode}, Allow: ${allowed.join(', ')}`)
      }
      const origins = response.headers['access-control-allow-methods']
      if (origins !== undefined) expect([path, origins]).toEqual([path, 'GET, HEAD'])
    }
    expect(wrong).toEqual([])
  })
})

describe('a client that leaves', () => {
  const logged = (from: number): string => lines.slice(from).join('\n')
  const quiet = async (): Promise<void> => void (await new Promise(resolve => setTimeout(resolve, 200)))
  const login = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const body = '{"email":"a@example.org","password":"x"}'
  it('in the middle of its body, or while it is answered, is no error in the log, and its work is counted', async () => {
    const from = lines.length
    await new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${login}Content-Length: 500\r\n\r\n{"email"`, () => socket.destroy()))
      socket.on('close', () => resolve())
    })
    await quiet()
    held = null
    let gone = false
    await new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${login}Content-Length: ${body.length}\r\n\r\n${body}`))
      socket.on('close', () => resolve())
      const poll = setInterval(() => {
        if (held === null) return
        clearInterval(poll)
        gone = true
        socket.destroy()
      }, 5)
    })
    await quiet()
    expect(gone).toBe(true)
    expect(logged(from)).not.toMatch(/"level":(?:40|50|60)/)
    expect(logged(from)).not.toContain('request failed')
  })
})

describe('a request that arrives while the service stops', () => {
  it('is answered as ever, and its connection is closed', async () => {
    const given = fakes({ keys: keyList(key) })
    let release: () => void = () => {}
    const begun = Promise.withResolvers<void>()
    const stopping = await buildApp({
      ...given,
      handlers: {
        ...given.handlers,
        sign_in: async () => {
          begun.resolve()
          await new Promise<void>(resolve => {
            release = resolve
          })
          return { kind: 'empty', status: 204 }
        },
      },
    })
    await stopping.listen({ port: 0, host: '127.0.0.1' })
    let answer = ''
    const socket = connect((stopping.server.address() as { port: number }).port, '127.0.0.1')
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part
    })
    const ended = new Promise<void>(resolve => socket.once('close', () => resolve()))
    const body = '{"email":"a@example.org","password":"tulip-kettle-brisk"}'
    socket.write(`POST /api/v1/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    await begun.promise
    const closed = stopping.close()
    const arrived = once(stopping.server, 'request')
    socket.write(`GET /api/v1/data/health HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key.text}\r\n\r\n`)
    await arrived
    release()
    await ended
    await closed
    const [first = '', second = ''] = answer.split(/(?=HTTP\/1\.1 )/)
    expect(first).toMatch(/^HTTP\/1\.1 204 /)
    expect(second).toMatch(/^HTTP\/1\.1 200 /)
    expect(second.toLowerCase()).toContain('\r\nconnection: close\r\n')
  })
})
