// The official conformance suites over the handler that serves our tools (fixtures/agents/).
import { expect, it } from 'vitest'
import { runSuite, type SuiteResult, suites } from '#fixtures/agents/conformance.ts'

/** The suites have time limits of their own, which a busy machine exceeds: what fails three times is wrong. */
const attempts = 3

it.each(suites.map(suite => [suite.name, suite] as const))('%s: everything that its revision requires passes', async (_name, suite) => {
  let result: SuiteResult | undefined
  for (let attempt = 1; attempt <= attempts && result?.status !== 'passed' && result?.status !== 'absent'; attempt += 1) {
    if (result) process.stderr.write(`${suite.name} failed and runs again; the end of its output: ${result.output.slice(-1000)}\n`)
    result = await runSuite(suite)
  }
  const { status, output } = result as SuiteResult
  if (status === 'absent') return void process.stderr.write(`${output}\n`)
  expect([status, output.slice(-4000)]).toEqual(['passed', expect.stringContaining('passed')])
})
