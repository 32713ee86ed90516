import { expect, it } from 'vitest'
import { researchTools } from '#schemas/agent-tools.ts'
import { hintForAgents } from './hints.ts'

it('names the tool and view behind an address, and leaves addresses that no tool asks', () => {
  expect(hintForAgents('GET /api/v1/macro/CA lists them', researchTools)).toBe('the tool macro with view country lists them')
  expect(hintForAgents('pe < 15; GET /api/v1/market/screener/fields lists the fields', researchTools)).toBe(
    'pe < 15; the tool screener with view fields lists the fields',
  )
  expect(hintForAgents('GET /api/v1/chat/none helps', researchTools)).toBe('GET /api/v1/chat/none helps')
})
