// The thread of in-thread.ts: one interpretation per message.
import { parentPort } from 'node:worker_threads'
import type { DrillInterpretRequest } from '#schemas/drill.ts'
import { BadRequest } from '#schemas/errors.ts'
import { drillRulesOf } from '../../rulesets/drill/rules.ts'
import { interpretDrill } from './interpret.ts'

parentPort?.on('message', ({ request, ruleset }: { readonly request: DrillInterpretRequest; readonly ruleset: string }) => {
  try {
    parentPort?.postMessage({ read: interpretDrill(request, drillRulesOf(ruleset)) })
  } catch (error) {
    // Our error classes are lost when an error passes between threads.
    if (!(error instanceof BadRequest)) throw error
    parentPort?.postMessage({ refused: { message: error.message, status: error.status, code: error.code, hint: error.hint, items: error.items } })
  }
})
