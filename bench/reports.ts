// Item 1A of a large annual report: from the bytes of 3 MB of HTML to the located items, beside cheerio's load of the same text.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { load } from 'cheerio'
import { randomOf } from '#fixtures/world/random.ts'
import { locateItems } from '#pipelines/read/reports/locate.ts'
import { itemOf } from '#pipelines/read/reports/located.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import type { ReleaseContexts } from './contexts.ts'
import { compared, type Figure, interleave, type Report } from './measure.ts'

const megabytes = 3
const recorded = join(import.meta.dirname, '..', '..', 'shared', 'real', 'edgar', 'tenk', 'jnj-10k-fy2024.html.gz')

const titles: readonly (readonly [string, string])[] = [
  ['1', 'Business'],
  ['1A', 'Risk Factors'],
  ['1B', 'Unresolved Staff Comments'],
  ['1C', 'Cybersecurity'],
  ['2', 'Properties'],
  ['3', 'Legal Proceedings'],
  ['7', 'Management’s Discussion and Analysis of Financial Condition and Results of Operations'],
  ['8', 'Financial Statements and Supplementary Data'],
]
const style = "color:#000000;font-family:'Times New Roman',sans-serif;font-size:10pt;font-weight:400;line-height:120%"

/** A fictional 10-K with the markup that filing software writes: a styled span in a styled div a paragraph, tables of tagged figures. */
function annualReport(seed: number): string {
  const random = randomOf(seed, 'bench report')
  const words =
    'the kiln furnace harbour may could lease supply customers of in and winter cost freight price we our quarter which although vessel'.split(' ')
  const text = (count: number): string => Array.from({ length: count }, () => random.pick(words)).join(' ')
  const paragraph = (look = style): string =>
    `<div style="margin-bottom:6pt;text-align:justify"><span style="${look}">${text(random.int(40, 110))}.</span></div>\n`
  const row = (): string =>
    `<tr>${Array.from({ length: 6 }, () => `<td colspan="3" style="padding:2px 1pt;text-align:right;vertical-align:bottom"><span style="${style}"><ix:nonFraction unitRef="usd" contextRef="c-${random.int(1, 900)}" decimals="-6" scale="6" name="us-gaap:Revenues" format="ixt:num-dot-decimal">${random.int(1000, 99_999).toLocaleString('en-US')}</ix:nonFraction></span></td>`).join('')}</tr>\n`
  const contents = titles
    .map(([item, title]) => `<tr><td><a href="#i${item}">Item ${item}.</a></td><td><a href="#i${item}">${title}</a></td></tr>`)
    .join('')
  const parts = [`<html><head><title>10-K</title></head><body><p>FORM 10-K</p><table>${contents}</table>\n`]
  const share = (megabytes * 1_048_576) / titles.length
  for (const [item, title] of titles) {
    let length = 0
    parts.push(`<div id="i${item}"></div><div><span style="${style.replace('400', '700')}">Item ${item}. ${title}</span></div>\n`)
    while (length < share) {
      const part =
        item === '8' || random.next() < 0.15
          ? `<table>${row()}${row()}${row()}</table>\n`
          : paragraph(random.next() < 0.2 ? style.replace('400', '700') : style)
      parts.push(part)
      length += part.length
    }
  }
  return `${parts.join('')}<div>SIGNATURES</div></body></html>`
}

async function measured(label: string, body: Buffer, contexts: ReleaseContexts, aim: number): Promise<Figure> {
  const timed = (work: () => unknown) => async (): Promise<number> => {
    const begun = performance.now()
    work()
    return performance.now() - begun
  }
  const locate = (): void => {
    const item = itemOf(locateItems(readProse(decodeText(body)), '10-K'), '1A')
    if (item?.status !== 'full') throw new Error(`${label}: Item 1A is ${item?.status ?? 'missing'}`)
  }
  const cheerio = (): void => {
    if (load(decodeText(body))('body').length !== 1) throw new Error(`${label}: no body`)
  }
  for (let warm = 0; warm < 3; warm += 1) locate()
  cheerio()
  const values = await interleave(
    [
      { name: 'own', run: timed(locate) },
      { name: 'cheerio', run: timed(cheerio) },
    ],
    Math.max(5, contexts.options.rounds),
  )
  const figure = compared(label, 'ms', values.get('own') ?? [], 'cheerio, load alone', values.get('cheerio') ?? [])
  return { ...figure, aim: { of: 'value', most: aim } }
}

export async function reportItems(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const generated = Buffer.from(annualReport(7))
  const figures = [await measured('Item 1A of a generated 10-K, bytes to located items', generated, contexts, 125)]
  const notes = [`generated: ${(generated.byteLength / 1_048_576).toFixed(1)} MB; one thread, warm; the text is decoded in both`]
  if (existsSync(recorded)) {
    const body = gunzipSync(readFileSync(recorded))
    figures.push(await measured('Item 1A of a recorded 10-K, bytes to located items', body, contexts, 125))
    notes.push(`recorded: ${(body.byteLength / 1_048_576).toFixed(1)} MB (JNJ, fiscal 2024)`)
  } else notes.push('the recorded 10-K is not on this machine')
  return { figures, notes }
}
