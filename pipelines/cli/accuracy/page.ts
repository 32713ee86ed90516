// The page of `accuracy --report`: every fact, read and expected, with its place in the document. Pure; no script, no external address.
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { some } from '../output.ts'
import type { Outcome } from './compare.ts'
import { type Lines, linesOf, type Place, placesOf, quotedWords } from './places.ts'

export type EvaluatedDocument = {
  readonly key: string
  readonly form: string | null
  readonly outcomes: readonly Outcome[]
  /** Null if there is none: the document is missing, or it is a pair. */
  readonly body: Uint8Array | null
}

type Counts = { readonly documents: number; readonly facts: number; readonly equal: number; readonly unequal: number }
/** The part of the command's report that the page repeats. */
export type Verdict = {
  readonly folders: Readonly<Record<string, Counts>>
  readonly differences: readonly { readonly document: string }[]
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const cell = (text: string): string => `<td>${escaped(text)}</td>`

/** Characters of a value that the page shows. */
const longest = 400
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > longest ? `${text.slice(0, longest)} … (${text.length} characters)` : text
}

const placeText = ({ line, before, printed, after }: Place): string =>
  `<li>line ${line}: <span>${escaped(before)}<mark>${escaped(printed)}</mark>${escaped(after)}</span></li>`

function factRow({ field, equal, expected, got, hint, quotes }: Outcome, document: Lines): string {
  const verdict = hint ? 'reported' : equal ? 'equal' : 'differs'
  const quoted = quotes === undefined ? [] : placesOf(document, quotes, quotedWords)
  const places = (quoted.length > 0 ? quoted : placesOf(document, got)).concat(equal ? [] : placesOf(document, expected))
  const where =
    places.length > 0
      ? `<ul>${places.map(placeText).join('')}</ul>`
      : 'not printed as such: counted, derived, absent, or too short to be distinguished'
  return `<tr class="${verdict}">${cell(field)}${cell(shown(expected))}${cell(shown(got))}${cell(verdict)}<td>${where}</td></tr>`
}

function documentPart({ key, form, outcomes, body }: EvaluatedDocument, at: number): string {
  const text = linesOf(body === null ? '' : decodeText(body))
  const counted = outcomes.filter(outcome => !outcome.hint)
  const equal = counted.filter(outcome => outcome.equal).length
  const state = equal === counted.length ? '' : ' open'
  return `<details id="d${at}"${state}><summary>${escaped(key)}${form === null ? '' : ` (${escaped(form)})`}: ${equal} of ${counted.length} facts equal</summary>
<table><thead><tr><th>fact</th><th>expected</th><th>ours</th><th>verdict</th><th>place in the document</th></tr></thead>
<tbody>${outcomes.map(outcome => factRow(outcome, text)).join('\n')}</tbody></table></details>`
}

function folderRows(report: Verdict): string {
  return Object.entries(report.folders)
    .map(
      ([folder, { documents, facts, equal, unequal }]) =>
        `<tr>${[folder, documents, facts, equal, unequal].map(each => cell(String(each))).join('')}</tr>`,
    )
    .join('\n')
}

/** One HTML page. Documents with a difference are open, the others closed. */
export function renderReport(report: Verdict, documents: readonly EvaluatedDocument[]): string {
  const facts = Object.values(report.folders).reduce((sum, tally) => sum + tally.facts, 0)
  const differing = new Set(report.differences.map(difference => difference.document))
  const links = documents
    .map((document, at) => (differing.has(document.key) ? `<li><a href="#d${at}">${escaped(document.key)}</a></li>` : ''))
    .join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Accuracy: every fact</title>
<style>
body{font:14px/1.4 system-ui,sans-serif;margin:2rem;max-width:110rem}
table{border-collapse:collapse;width:100%;table-layout:fixed}th,td{border:1px solid #bbb;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
td ul{margin:0;padding-left:1rem}td span{font-family:monospace;font-size:12px}mark{background:#ffe9a8}tr.differs{background:#fde3e3}tr.reported{color:#666}
details{margin:.6rem 0}summary{cursor:pointer;font-weight:600}details th:nth-child(1){width:11%}details th:nth-child(4){width:6%}details th:nth-child(5){width:40%}
.totals{width:auto;table-layout:auto}
</style></head><body>
<h1>What the readers read, fact by fact</h1>
<p>${some(documents.length, 'document')}, ${some(facts, 'fact')}, ${some(report.differences.length, 'differs', 'differ')}. A place is the first line on which the document prints the value, or the heading or sentence by which it was read, with the surrounding text; lines are counted in the unpacked file.</p>
<table class="totals"><thead><tr><th>folder</th><th>documents</th><th>facts</th><th>equal</th><th>unequal</th></tr></thead><tbody>${folderRows(report)}</tbody></table>
${links === '' ? '<p>Every compared fact is equal.</p>' : `<h2>Documents with a difference</h2><ul>${links}</ul>`}
<h2>Every document</h2>
${documents.map(documentPart).join('\n')}
</body></html>
`
}
