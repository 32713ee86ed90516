// The official conformance suites over the handler that serves our tools (fixtures/agents/).
import { expect, it } from 'vitest'
import { runSuite, suites } from '#fixtures/agents/conformance.ts'

it.each(suites.map(suite => [suite.name, suite] as const))('%s: everything that its revision requires passes', async (_name, suite) => {
  const { status, output } = await runSuite(suite)
  if (status === 'absent') return void process.stderr.write(`${output}\n`)
  expect([status, output.slice(-4000)]).toEqual(['passed', expect.stringContaining('passed')])
})
