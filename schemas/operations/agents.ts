// The agent endpoints (Model Context Protocol over HTTP), and their authentication metadata for clients (RFC 9728).
import { z } from 'zod'
import { Text } from '../values.ts'
import { operation, question } from './operation.ts'

const Metadata = z.object({
  resource: Text.describe('address of the endpoint'),
  resource_name: Text,
  scopes_supported: z.array(Text),
  bearer_methods_supported: z.array(z.literal('header')),
  resource_documentation: Text.describe('page on which a user makes an API key; keys are sent as bearer tokens'),
})
const metadata = {
  tag: 'Agents',
  curated: false,
  access: 'public',
  description:
    'RFC 9728. There is no authorization server: authorization_servers is absent, and an API key made on the developer page is the bearer token.',
  question: question({}),
  answer: Metadata,
  served_from: 'process',
  cache: 'steady',
} as const
const endpoint = {
  method: 'POST',
  tag: 'Agents',
  curated: false,
  access: 'agent',
  question: question({}),
  raw_body: true,
  body: z.record(z.string(), z.unknown()),
  // 1 MiB; batches are refused.
  body_bytes: 1024 * 1024,
  // Programs and pages of this service call it; the Origin is checked against a list (api/plugins/agent-access.ts).
  cross_site: true,
  answer: z.record(z.string(), z.unknown()),
  served_from: 'process',
  limit_class: 'agents',
  cache: 'live',
} as const
/** The description of an endpoint that takes the keys that `needs` names. */
const transportFor = (needs: string): string =>
  `One JSON-RPC message of the Model Context Protocol (Streamable HTTP): revision 2026-07-28, and 2025-03-26 to 2025-11-25 without sessions. GET and DELETE answer 405. A message costs 1 unit of the limit agents, and each operation that a tool calls adds its cost. Needs ${needs}, in a header.`

export const agentOperations = [
  operation('call_research_agent', 'GET /mcp', {
    ...endpoint,
    summary: 'Research tools for agents',
    description: transportFor('an API key of tier trader or higher with the scope mcp:research or data:read'),
    agent: { scopes: ['mcp:research', 'data:read'], lowest_tier: 'trader' },
    example: { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  }),
  operation('call_mineral_agent', 'GET /mcp/mineral', {
    ...endpoint,
    summary: 'Mining tools for agents',
    description: transportFor('an API key of any tier with the scope mcp:mineral, mcp:research or data:read'),
    agent: { scopes: ['mcp:mineral', 'mcp:research', 'data:read'], lowest_tier: 'free' },
    example: { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  }),
  operation('get_agent_metadata', 'GET /.well-known/oauth-protected-resource', {
    ...metadata,
    summary: 'How to authenticate at /mcp',
  }),
  operation('get_research_agent_metadata', 'GET /.well-known/oauth-protected-resource/mcp', {
    ...metadata,
    summary: 'How to authenticate at /mcp',
  }),
  operation('get_mineral_agent_metadata', 'GET /.well-known/oauth-protected-resource/mcp/mineral', {
    ...metadata,
    summary: 'How to authenticate at /mcp/mineral',
  }),
] as const
