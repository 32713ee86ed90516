// The relevant parts of a prospectus: its section Use of Proceeds, the line of the summary about it, other sections by title.
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import { isUseOfProceeds, type Outline, plainTitle, type Section } from './sections.ts'

/** The relevant section: that of the supplement before that of the base prospectus, one of the document's level before that of a summary. */
export function useOfProceeds(outline: Outline, flags: string[]): Section | null {
  const all = outline.sections.filter(section => isUseOfProceeds(section.title) && section.end - section.bodyStart > 20)
  const own = all.filter(section => section.start < outline.baseStart)
  const linked = own.filter(section => section.found === 'contents')
  const summaryEnd = outline.sections.find(section => /^riskfactors/.test(plainTitle(section.title)))?.start ?? 0
  const behind = own.filter(section => section.start >= summaryEnd)
  const chosen = linked[0] ?? behind[0] ?? own[0] ?? all[0] ?? null
  if (chosen === null) flags.push('use_of_proceeds_not_found')
  else if (own.length === 0) flags.push('use_of_proceeds_of_base_prospectus')
  return chosen
}

/** Sections before a base prospectus with this title, compared by letters only. */
export const sectionsNamed = (outline: Outline, title: RegExp): Section[] =>
  outline.sections.filter(section => section.start < outline.baseStart && title.test(plainTitle(section.title))).slice(0, 3)

/** A bare dollar is the United States dollar in a filing with the SEC, unless the document states another one. */
export function currencyOf(stated: string | null, coverText: string, form: string): string | null {
  if (stated !== null) return stated
  if (/\bCanadian dollars\b/i.test(coverText) && !/\bU\.?S\.? dollars\b/i.test(coverText)) return 'CAD'
  if (/^(?:F-10|40-F|6-K)/.test(form) && !/US\$|U\.S\.\$|\bU\.?S\.? dollars\b/i.test(coverText)) return null
  return /[$]/.test(coverText) ? 'USD' : null
}

/** The registration number as the first page of the document prints it. */
export const fileNumberIn = (text: string): string | null =>
  /\b(?:Registration|File)\b[^\d]{0,40}\b(333-\d{4,7})\b/i.exec(text.slice(0, 2500))?.[1] ?? null

/** The line `Use of proceeds` of the summary. If the section differs, the section applies. */
export function summaryLine(prose: Prose, outline: Outline, use: Section | null): string | null {
  const until = Math.min(use?.start ?? prose.text.length, outline.baseStart)
  const blocks = prose.blocks
  const from = outline.sections[0]?.start ?? outline.coverEnd
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index]
    if (!block || block.start >= until) break
    if (block.start < from) continue
    const cells = prose.text
      .slice(block.start, block.end)
      .split('\t')
      .filter(cell => cell.trim() !== '')
    if (cells[0] === undefined || cells[0].length > 40 || !isUseOfProceeds(cells[0].trim())) continue
    if (cells.length > 1 && /^(?:S-)?\d{1,3}$/.test((cells.at(-1) as string).trim())) continue // a line of the contents
    const text = cells.slice(1).join(' ').trim()
    const next = blocks[index + 1]
    const shown = text.length > 20 ? text : next ? prose.text.slice(next.start, next.end) : ''
    if (shown.length > 40) return shown.replace(/\s+/g, ' ').slice(0, 3000)
  }
  return null
}
