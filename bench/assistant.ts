// A planned answer from the question to its Markdown and envelope: over the lake of a started installation, hot (asked before) and cold
// (a new process state: connections and grounds opened for each question).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clockOf } from '#fixtures/world/upstream.ts'
import { buildWorld } from '#fixtures/world/world.ts'
import { openRuntime } from '#pipelines/ingest/runtime.ts'
import { AssistantCorpus } from '#schemas/assistant-cases.ts'
import { loadConfig } from '#schemas/config.ts'
import { answerQuestion } from '#warehouse/assistant/answer-question.ts'
import { lakeCalls } from '#warehouse/assistant/lake-calls.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { ReleaseContexts } from './contexts.ts'
import { ascending, figure, quantile, type Report } from './measure.ts'
import { root } from './processes.ts'

/** Cold answers read their listings, bars and filings anew: every so many questions of the corpus. */
const coldEvery = 6

export async function plannedAnswers(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const { env } = await contexts.installation()
  const runtime = await openRuntime(loadConfig(env), () => {}, 'crossfile bench')
  try {
    const now = new Date(clockOf(buildWorld('small', 7)))
    const questions = AssistantCorpus.parse(JSON.parse(readFileSync(join(root, 'fixtures/assistant/corpus.json'), 'utf8')))
      .filter(each => each.after.length === 0 && each.refused === null && each.operations.length > 0)
      .map(each => each.question)
    const catalogue = await loadCatalogue(runtime.postgres.db)
    const context = () => contextOf(openLake(catalogue, runtime.tools.writer.connections, runtime.tools.writer.verifier), null)
    const timed = async (question: string, call: ReturnType<typeof lakeCalls>): Promise<number> => {
      const begun = performance.now()
      const { envelope } = await answerQuestion({
        question,
        conversation: null,
        profile: null,
        call,
        now,
        signal: new AbortController().signal,
        signed: false,
      })
      if (envelope.refused !== null) throw new Error(`"${question}" was refused: ${envelope.refused.reason}`)
      return performance.now() - begun
    }
    const warm = lakeCalls(await context(), now)
    for (const question of questions) await timed(question, warm)
    const hot: number[][] = []
    const cold: number[][] = []
    for (let round = 0; round < contexts.options.rounds; round += 1) {
      const [hotTimes, coldTimes]: [number[], number[]] = [[], []]
      for (const [index, question] of questions.entries()) {
        hotTimes.push(await timed(question, warm))
        if (index % coldEvery !== round % coldEvery) continue
        const begun = performance.now()
        const fresh = lakeCalls(await context(), now)
        coldTimes.push(performance.now() - begun + (await timed(question, fresh)))
      }
      hot.push(ascending(hotTimes))
      cold.push(ascending(coldTimes))
    }
    return {
      figures: [
        figure(
          'a planned answer, hot, p50',
          'ms',
          hot.map(each => quantile(each, 0.5)),
          { of: 'value', most: 50 },
        ),
        figure(
          'a planned answer, hot, p99',
          'ms',
          hot.map(each => quantile(each, 0.99)),
        ),
        figure(
          'a planned answer, cold, p50',
          'ms',
          cold.map(each => quantile(each, 0.5)),
        ),
        figure(
          'a planned answer, cold, p99',
          'ms',
          cold.map(each => quantile(each, 0.99)),
        ),
      ],
      notes: [
        `${questions.length} questions of the corpus over the bundled universe, answered from the lake without signatures; cold: listings and issuers of the release are loaded for each question`,
      ],
    }
  } finally {
    await runtime.close()
  }
}
