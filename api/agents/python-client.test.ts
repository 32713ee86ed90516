// The official Python client against the endpoint that serves our tools. Skipped where python3 has no package `mcp` (pip install mcp).
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { researchTools } from '#schemas/agent-tools.ts'
import { startServer } from '../server.ts'

const client = join(import.meta.dirname, '..', '..', 'fixtures', 'agents', 'python-client.py')
const installed = spawnSync('python3', ['-c', 'import mcp.client.streamable_http, httpx2']).status === 0

it.skipIf(!installed)('lists the tools in our order and reads a result', async () => {
  const warehouse = await worldWarehouse()
  const server = await startServer(warehouse.config)
  try {
    const key = await worldKey(warehouse)
    const printed = await new Promise<string>((resolve, reject) => {
      execFile('python3', [client, `${server.address}/mcp`, key], (error, out, err) => (error ? reject(new Error(err)) : resolve(out)))
    })
    const { version, tools, is_error, structured } = JSON.parse(printed)
    expect([version, tools, is_error]).toEqual(['2026-07-28', researchTools.map(each => each.name), false])
    expect(structured).toMatchObject({ count: 1, symbols: [{ symbol: 'GLPR.TO' }] })
  } finally {
    await server.close()
  }
})
