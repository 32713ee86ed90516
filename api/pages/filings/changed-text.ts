// The text of a factor in both filings, with the words that differ marked.
import type { AnswerOf } from '#schemas/operations.ts'
import { type Content, type Html, html } from '../html.ts'
import { counted } from '../words.ts'

type Change = AnswerOf<'get_filing_diff'>['changes'][number]
type Hunk = Change['hunks'][number]

/** Removed words are in `del`, added ones in `ins`, so that the difference does not depend on colours. */
export function changedText(change: Change, view: 'inline' | 'side'): Html {
  const [old, recent] = [textOf(change.old), textOf(change.new)]
  const further = change.hunks_total - change.hunks.length
  const note =
    further > 0 && html`<p class="small">${counted(further, 'further difference')} in this factor ${further === 1 ? 'is' : 'are'} not marked.</p>`
  if (view === 'inline' || old === '' || recent === '') return html`<p class="factor-text">${inline(old, recent, change.hunks)}</p>${note}`
  return html`<div class="factor-sides"><div><h4>Before</h4><p class="factor-text">${oneSide(old, change.hunks, 'old')}</p></div><div><h4>After</h4><p class="factor-text">${oneSide(recent, change.hunks, 'new')}</p></div></div>${note}`
}

/** The texts of a split or merged factor follow each other, as the offsets of hunks count them. */
const textOf = (factors: Change['old']): string => factors.map(each => each.untrusted_text ?? '').join('\n')

function inline(old: string, recent: string, hunks: readonly Hunk[]): Content {
  if (old === '') return html`<ins>${recent}</ins>`
  if (recent === '') return html`<del>${old}</del>`
  let at = 0
  const parts: Content[] = hunks.map(hunk => {
    const same = recent.slice(at, hunk.new_start)
    at = hunk.new_end
    const [gone, added] = [old.slice(hunk.old_start, hunk.old_end), recent.slice(hunk.new_start, hunk.new_end)]
    return html`${same}${gone !== '' && html`<del>${gone}</del>`}${gone !== '' && added !== '' && ' '}${added !== '' && html`<ins>${added}</ins>`}${added === '' && gone !== '' && ' '}`
  })
  return [...parts, recent.slice(at)]
}

function oneSide(text: string, hunks: readonly Hunk[], side: 'old' | 'new'): Content {
  let at = 0
  const parts: Content[] = hunks.map(hunk => {
    const [start, end] = side === 'old' ? [hunk.old_start, hunk.old_end] : [hunk.new_start, hunk.new_end]
    const same = text.slice(at, start)
    at = end
    const words = text.slice(start, end)
    return html`${same}${words !== '' && (side === 'old' ? html`<del>${words}</del>` : html`<ins>${words}</ins>`)}`
  })
  return [...parts, text.slice(at)]
}
