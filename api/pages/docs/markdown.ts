// Markdown of the guides as HTML: the constructs that docs/ uses, escaped by construction. Raw HTML of a document is shown as text.
import { type Content, type Html, html } from '../html.ts'

/** Turns a link target of the document into an address of this service; null: the target is not served, so only its text is shown. */
export type Resolve = (target: string) => string | null
type Heading = { readonly level: number; readonly text: string; readonly id: string }
export type Section = { readonly heading: Heading; readonly text: string }

/** The id that GitHub gives to a heading: lower case, words joined by hyphens. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** Text of a line without its marks. */
export const plainLine = (line: string): string =>
  line
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim()

/** Text, code, links, bold and italic of one paragraph. Code is taken first: nothing inside it is marked. */
function renderInline(text: string, resolve: Resolve): Html {
  const parts: Content[] = []
  const pattern = /(`+)(.+?)\1|\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|<(https?:\/\/[^>\s]+)>/gs
  let at = 0
  for (const match of text.matchAll(pattern)) {
    parts.push(unescaped(text.slice(at, match.index)))
    at = match.index + match[0].length
    const [, , code, label, target = '', bold, italic, address] = match
    if (code !== undefined) parts.push(html`<code>${code.trim() === '' ? code : code.trim()}</code>`)
    else if (label !== undefined) parts.push(link(renderInline(label, resolve), resolve(target)))
    else if (bold !== undefined) parts.push(html`<strong>${renderInline(bold, resolve)}</strong>`)
    else if (italic !== undefined) parts.push(html`<em>${renderInline(italic, resolve)}</em>`)
    else if (address !== undefined) parts.push(link(address, address))
  }
  parts.push(unescaped(text.slice(at)))
  return html`${parts}`
}
const unescaped = (text: string): string => text.replaceAll(/\\([\\`*_{}[\]()#+.!|<>-])/g, '$1')
const link = (label: Content, address: string | null): Html => (address === null ? html`${label}` : html`<a href="${address}">${label}</a>`)

type Line = { readonly text: string; readonly indent: number }
const fence = /^(\s*)(`{3,}|~{3,})\s*(\S*)/
const item = /^(\s*)(?:[-*+]|(\d{1,3})[.)])\s+(.*)$/
const heading = /^(#{1,6})\s+(.+?)\s*#*$/

/** The headings of a document with the ids that links to them use. */
function headingsOf(source: string): Heading[] {
  return sectionsOf(source).map(each => each.heading)
}

/** A document in parts, each with the heading above it. Text in front of the first heading is left out. */
export function sectionsOf(source: string): Section[] {
  const used = new Map<string, number>()
  const found: { heading: Heading; lines: string[] }[] = []
  let closing: string | null = null
  for (const line of source.split('\n')) {
    const mark = fence.exec(line)
    if (mark !== null && (closing === null || line.trim() === closing)) closing = closing === null ? (mark[2] as string) : null
    const head = closing === null && mark === null ? heading.exec(line) : null
    if (head === null) {
      found.at(-1)?.lines.push(line)
      continue
    }
    const text = plainLine(head[2] as string)
    const slug = slugOf(text)
    const before = used.get(slug) ?? 0
    used.set(slug, before + 1)
    found.push({ heading: { level: (head[1] as string).length, text, id: before === 0 ? slug : `${slug}-${before}` }, lines: [] })
  }
  return found.map(({ heading: each, lines }) => ({ heading: each, text: lines.join('\n') }))
}

/** A document as HTML, without its first heading of level 1, which is the title of the page. */
export function renderMarkdown(source: string, resolve: Resolve): Html {
  const headings = headingsOf(source)
  const ids = headings[Symbol.iterator]()
  const lines = source.replaceAll(/<!--[\s\S]*?-->/g, '').split('\n')
  return renderBlocks(lines, resolve, () => ids.next().value as Heading)
}

function renderBlocks(lines: readonly string[], resolve: Resolve, nextHeading: () => Heading): Html {
  const blocks: Content[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] as string
    const [block, next] = blockAt(lines, at, resolve, nextHeading)
    blocks.push(block)
    at = next > at ? next : at + 1
    if (line.trim() === '') continue
  }
  return html`${blocks}`
}

/** The block that begins at a line, and the line behind it. */
function blockAt(lines: readonly string[], at: number, resolve: Resolve, nextHeading: () => Heading): readonly [Content, number] {
  const line = lines[at] as string
  if (line.trim() === '') return [null, at + 1]
  if (fence.test(line)) return codeBlock(lines, at)
  if (heading.test(line)) return [headingBlock(nextHeading(), (heading.exec(line)?.[2] ?? '') as string, resolve), at + 1]
  if (line.startsWith('|') && /^\|[\s:|-]+\|?\s*$/.test(lines[at + 1] ?? '')) return tableBlock(lines, at, resolve)
  if (item.test(line)) return listBlock(lines, at, resolve, nextHeading)
  if (line.startsWith('>')) {
    const end = lines.findIndex((each, index) => index >= at && !each.startsWith('>'))
    const quoted = lines.slice(at, end < 0 ? lines.length : end).map(each => each.replace(/^>\s?/, ''))
    return [html`<blockquote>${renderBlocks(quoted, resolve, nextHeading)}</blockquote>`, end < 0 ? lines.length : end]
  }
  if (/^(?:-{3,}|\*{3,})\s*$/.test(line)) return [html`<hr>`, at + 1]
  let end = at + 1
  while (end < lines.length && !startsBlock(lines[end] as string)) end += 1
  return [html`<p>${renderInline(lines.slice(at, end).join('\n').trim(), resolve)}</p>\n`, end]
}
const startsBlock = (line: string): boolean =>
  line.trim() === '' || fence.test(line) || heading.test(line) || line.startsWith('|') || line.startsWith('>') || item.test(line)

function headingBlock({ level, id }: Heading, text: string, resolve: Resolve): Content {
  if (level === 1) return null
  const inner = html`${renderInline(text, resolve)} <a class="anchor" href="#${id}" aria-label="Link to ${plainLine(text)}">#</a>`
  if (level === 2) return html`<h2 id="${id}">${inner}</h2>\n`
  return level === 3 ? html`<h3 id="${id}">${inner}</h3>\n` : html`<h4 id="${id}">${inner}</h4>\n`
}

function codeBlock(lines: readonly string[], at: number): readonly [Content, number] {
  const [, indent = '', mark = '', language = ''] = fence.exec(lines[at] as string) ?? []
  let end = at + 1
  while (end < lines.length && (lines[end] as string).trim() !== mark) end += 1
  const inner = lines.slice(at + 1, end).map(each => (each.startsWith(indent) ? each.slice(indent.length) : each))
  return [codeBox(inner.join('\n'), language), end + 1]
}

/** A block of code with a button that copies it. `language`: the name in the fence, or ''. */
export const codeBox = (code: string, language: string): Html =>
  html`<div class="code"${language !== '' && html` data-language="${language}"`}><pre tabindex="0"><code>${code}</code></pre><button type="button" class="copy" data-copy hidden>Copy</button></div>\n`

/** Cells of a row of a table; a bar in code or behind a backslash does not end a cell. */
function cellsOf(line: string): string[] {
  const cells: string[] = []
  let cell = ''
  let inCode = false
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] as string
    if (letter === '\\' && line[at + 1] === '|') {
      cell += '|'
      at += 1
    } else if (letter === '`') {
      inCode = !inCode
      cell += letter
    } else if (letter === '|' && !inCode) {
      cells.push(cell.trim())
      cell = ''
    } else cell += letter
  }
  if (cell.trim() !== '') cells.push(cell.trim())
  return cells.slice(1)
}

function tableBlock(lines: readonly string[], at: number, resolve: Resolve): readonly [Content, number] {
  let end = at + 2
  while (end < lines.length && (lines[end] as string).startsWith('|')) end += 1
  const head = cellsOf(lines[at] as string)
  const rows = lines.slice(at + 2, end).map(cellsOf)
  const named = head.some(each => each !== '')
  const label = named
    ? head
        .map(plainLine)
        .filter(each => each !== '')
        .join(', ')
    : 'Table'
  return [
    html`<div class="scroll" tabindex="0" role="group" aria-label="${`Table: ${label}`}"><table>${named && html`<thead><tr>${head.map(cell => html`<th scope="col">${cell === '' ? html`<span class="hidden">Row</span>` : renderInline(cell, resolve)}</th>`)}</tr></thead>`}
<tbody>${rows.map(row => html`<tr>${head.map((_, index) => html`<td>${renderInline(row[index] ?? '', resolve)}</td>`)}</tr>\n`)}</tbody></table></div>\n`,
    end,
  ]
}

function listBlock(lines: readonly string[], at: number, resolve: Resolve, nextHeading: () => Heading): readonly [Content, number] {
  const [, margin = '', number] = item.exec(lines[at] as string) ?? []
  const base = margin.length
  const entries: string[][] = []
  let end = at
  for (; end < lines.length; end += 1) {
    const line: Line = { text: lines[end] as string, indent: (lines[end] as string).search(/\S/) }
    const mark = item.exec(line.text)
    if (mark !== null && line.indent === base) entries.push([mark[3] ?? ''])
    else if (line.indent > base || (line.text.trim() === '' && indentAfter(lines, end) > base)) entries.at(-1)?.push(line.text)
    else if (line.text.trim() === '' && item.test(lines[end + 1] ?? '') && (lines[end + 1] as string).search(/\S/) === base) continue
    else break
  }
  const content = entries.map(([first = '', ...rest]) => {
    const depth = Math.min(...rest.filter(each => each.trim() !== '').map(each => each.search(/\S/)))
    const inner = rest.map(each => each.slice(Number.isFinite(depth) ? depth : 0))
    // Lines that continue the text of the entry, up to a nested block.
    const nested = inner.findIndex(startsBlock)
    const text = [first, ...(nested < 0 ? inner : inner.slice(0, nested))].join('\n')
    return html`<li>${renderInline(text, resolve)}${nested >= 0 && renderBlocks(inner.slice(nested), resolve, nextHeading)}</li>\n`
  })
  return [number === undefined ? html`<ul>${content}</ul>\n` : html`<ol${number !== '1' && html` start="${number}"`}>${content}</ol>\n`, end]
}
const indentAfter = (lines: readonly string[], at: number): number => {
  const next = lines.slice(at + 1).find(each => each.trim() !== '')
  return next === undefined ? -1 : next.search(/\S/)
}
