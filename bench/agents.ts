// What the protocol of agents costs: a tool call beside the same operation over HTTP, for an answer from memory and for one that is computed.
import { Agent, request } from 'node:http'
import type { ReleaseContexts } from './contexts.ts'
import { compared, interleave, type Report, spanOf } from './measure.ts'
import { startProgram } from './processes.ts'

const perRound = 200
const coldPerRound = 30
type Sent = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body: string | null }
const tool = (id: number, name: string, given: object): Sent => ({
  method: 'POST',
  path: '/mcp',
  body: JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name,
      arguments: given,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
})
const plain = (path: string): Sent => ({ method: 'GET', path, body: null })

/** Median milliseconds of a tool call and of its operation, one after the other over one connection. */
export async function toolCalls(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const { rounds } = contexts.options
  const { env, key } = await contexts.installation()
  const api = await startProgram('bench/api-process.ts', env, 0)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const address = String(api.ready['address'])
  const ask = ({ method, path, body }: Sent): Promise<number> =>
    new Promise((resolve, reject) => {
      const agentHeaders = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }
      const name = body === null ? {} : { 'mcp-name': (JSON.parse(body) as { params: { name: string } }).params.name }
      const headers = {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        ...(body === null ? {} : { ...agentHeaders, ...name }),
      }
      const began = performance.now() // with the message made: what its sender spends on it is no time of the service
      const sent = request(address + path, { method, agent, headers }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', part => {
          text += part
        })
        response.on('end', () => {
          const ms = performance.now() - began
          if (response.statusCode === 200 && !text.includes('"isError":true')) resolve(ms)
          else reject(new Error(`${path}: answered ${response.statusCode}: ${text.slice(0, 300)}`))
        })
      })
      sent.on('error', reject)
      sent.end(body ?? undefined)
    })
  const median = async (count: number, make: (at: number) => Sent): Promise<number> => {
    const times: number[] = []
    for (let at = 0; at < count; at += 1) times.push(await ask(make(at)))
    return spanOf(times).median
  }
  let fresh = 0
  const filter = (): string => {
    fresh += 1
    return `close > ${fresh}.25`
  }
  const form4 = '/api/v1/data/form4?limit=15&ticker=BRLX'
  try {
    const sides = [
      { name: 'http hot', run: () => median(perRound, () => plain(form4)) },
      { name: 'mcp hot', run: () => median(perRound, at => tool(at, 'insiders', { ticker: 'BRLX' })) },
      {
        name: 'http computed',
        run: () => median(coldPerRound, () => plain(`/api/v1/market/screener?limit=20&filter=${encodeURIComponent(filter())}`)),
      },
      { name: 'mcp computed', run: () => median(coldPerRound, at => tool(at, 'screener', { filter: filter() })) },
    ]
    for (const side of sides) await side.run() // the code is compiled, caches are filled, the SDK is loaded
    const values = await interleave(sides, rounds)
    const of = (name: string): number[] => values.get(name) ?? []
    const aim = { of: 'ratio', most: 1.3 } as const
    return {
      figures: [
        compared('a tool call that is computed, p50', 'ms', of('mcp computed'), 'the operation over HTTP', of('http computed'), aim),
        compared('a tool call from memory, p50', 'ms', of('mcp hot'), 'the operation over HTTP', of('http hot'), aim),
      ],
      notes: [
        `one connection, one request after the other, ${perRound} (computed: ${coldPerRound}, each another filter) a round`,
        'from memory both send stored bytes without routing; a tool call also reads and parses its message',
      ],
    }
  } finally {
    agent.destroy()
    await api.stop()
  }
}
