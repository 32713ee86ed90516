// A small HTTP/1.1 client over raw sockets, as a process of its own: keep-alive, no pipelining. Two modes:
// `rate`: one request over and over on some connections; prints how many a second.
// `each`: every path of stdin once, over some connections; prints milliseconds and status of each, and how many a second.
import { connect, type Socket } from 'node:net'

type Rate = {
  readonly mode: 'rate'
  readonly address: string
  readonly path: string
  readonly headers: readonly string[]
  readonly connections: number
  readonly seconds: number
}
type Each = {
  readonly mode: 'each'
  readonly address: string
  readonly headers: readonly string[]
  readonly paths: readonly string[]
  readonly connections: number
}

const requestOf = (path: string, { address, headers }: Rate | Each): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(address).host}\r\n${headers.map(line => `${line}\r\n`).join('')}\r\n`

/** Calls back at each whole response with its status; the bytes are thrown away. */
function readResponses(socket: Socket, done: (status: number) => void): void {
  let head = ''
  let left = -1
  let status = 0
  socket.on('data', (chunk: Buffer) => {
    let at = 0
    while (at < chunk.length) {
      if (left < 0) {
        const seam = head.length
        head += chunk.toString('latin1', at)
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        status = Number(head.slice(9, 12))
        left = status === 304 || status === 204 ? 0 : Number(/^content-length: *(\d+)/im.exec(head.slice(0, end))?.[1] ?? Number.NaN)
        if (Number.isNaN(left)) throw new Error(`no Content-Length in the answer: ${head.slice(0, end)}`)
        at += end + 4 - seam
        head = ''
      }
      const taken = Math.min(left, chunk.length - at)
      left -= taken
      at += taken
      if (left === 0) {
        left = -1
        done(status)
      }
    }
  })
}

const open = (address: string): Socket => {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname).setNoDelay(true)
  socket.on('error', error => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  return socket
}

async function rate(plan: Rate): Promise<object> {
  const request = requestOf(plan.path, plan)
  const statuses: Record<number, number> = {}
  const begun = performance.now()
  const until = begun + plan.seconds * 1000
  await Promise.all(
    Array.from(
      { length: plan.connections },
      () =>
        new Promise<void>(resolve => {
          const socket = open(plan.address)
          readResponses(socket, status => {
            statuses[status] = (statuses[status] ?? 0) + 1
            if (performance.now() < until) socket.write(request)
            else resolve(void socket.destroy())
          })
          socket.write(request)
        }),
    ),
  )
  const count = Object.values(statuses).reduce((sum, each) => sum + each, 0)
  return { per_second: (count / (performance.now() - begun)) * 1000, statuses }
}

async function each(plan: Each): Promise<object> {
  const times: number[] = []
  const statuses: number[] = []
  let next = 0
  const ask = async (): Promise<void> => {
    const socket = open(plan.address)
    let settle: (status: number) => void = () => {}
    readResponses(socket, status => settle(status))
    for (let at = next++; at < plan.paths.length; at = next++) {
      const sent = performance.now()
      const answered = new Promise<number>(resolve => {
        settle = resolve
      })
      socket.write(requestOf(plan.paths[at] as string, plan))
      statuses[at] = await answered
      times[at] = performance.now() - sent
    }
    socket.destroy()
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: plan.connections }, ask))
  return { ms: times, statuses, per_second: (plan.paths.length / (performance.now() - begun)) * 1000 }
}

let input = ''
for await (const chunk of process.stdin) input += String(chunk)
const plan = JSON.parse(input) as Rate | Each
process.stdout.write(JSON.stringify(plan.mode === 'rate' ? await rate(plan) : await each(plan)))
