// The sentences about one day at one release, before they are signed.
import type { ReleaseContext } from '../context/answer.ts'
import { askAt } from './ask.ts'
import { findCandidates } from './candidates.ts'
import { type DayWindow, windowOf } from './day.ts'
import { updateRules } from './rules.ts'
import { type Draft, draftsOf } from './statements.ts'

/** `context` is at the release, as known at the end of the day. The same release and day give the same sentences. */
export async function buildDay(context: ReleaseContext, day: string): Promise<{ readonly window: DayWindow; readonly drafts: readonly Draft[] }> {
  const window = windowOf(day)
  const found = await findCandidates(context.lake, window, updateRules)
  return { window, drafts: await draftsOf({ ask: askAt(context, window.until), context, window, rules: updateRules }, found) }
}
