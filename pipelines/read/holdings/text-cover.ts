// The cover and summary page of a 13F before 2013: the form as text, with the irregularities of a typewriter. A label and its value are
// on one line, or the value is on the next; boxes are `[X]`, `[ x ]`, `_X_`.
import { decimalText } from '#schemas/values.ts'
import { blankCover, type Cover, formDay, type Manager } from './cover.ts'

/** As much of a document as a cover and its lists of managers may take. */
const coverLines = 1500

export function parseTextCover(lines: readonly string[]): Cover {
  const page = lines.slice(0, coverLines)
  const value = (label: RegExp): string | null => labelled(page, label)
  const number = (label: RegExp): string | null => {
    const printed = value(label)
    if (printed === null) return null
    const digits = /^\(?\$?\s*([\d,]+(?:\.\d+)?)/.exec(printed)?.[1]
    if (digits !== undefined) return digits.length > 40 ? null : decimalText(digits.replace(/,/g, ''))
    return /^(?:none|nil|-0-)/i.test(printed) ? '0' : null
  }
  const checked = (label: RegExp): boolean => page.some((line, at) => label.test(line) && isChecked(line, page[at - 1] ?? '', label))
  const restates = checked(/is a restatement/i)
  const adds = checked(/adds new holdings/i)
  const amends = /Check here if Amendment/i
  const amendmentNumber = value(/Amendment Number/i)
  const signer = page.findIndex(line => /Person(?:\(?s\)?)? Signing this Report/i.test(line))
  const manager = page.findIndex(line => /Manager Filing this Report/i.test(line))
  const period = value(/Report for the (?:Calendar )?(?:Year|Quarter)[^:]*(?:Ended)?/i)
  return {
    ...blankCover,
    manager_name: manager < 0 ? null : named(page, manager, 12),
    period_of_report: period === null ? null : (spelledDay(period) ?? null),
    report_type: checked(/13F NOTICE/i)
      ? '13F NOTICE'
      : checked(/13F COMBINATION REPORT/i)
        ? '13F COMBINATION REPORT'
        : checked(/13F HOLDINGS REPORT/i)
          ? '13F HOLDINGS REPORT'
          : null,
    is_amendment: page.some(line => amends.test(line)) ? String(checked(amends) || restates || adds) : null,
    amendment_number: /^\d+/.exec(amendmentNumber ?? '')?.[0] ?? null,
    amendment_type_filed: restates === adds ? null : restates ? 'RESTATEMENT' : 'NEW HOLDINGS',
    file_number: /28-\s?\d+|028-\d+/.exec(value(/13F File Number(?! Name)/i) ?? '')?.[0] ?? null,
    signature_name: signer < 0 ? null : named(page, signer, 8),
    included_managers: includedManagers(page),
    cover_managers: coverManagers(page),
    included_managers_count: number(/Number of Other Included Managers/i),
    entry_total: number(/Information Table Entry Total/i),
    value_total: number(/Information Table Value Total/i),
    confidential_omitted: page.some(line => /confidential (?:information|portion|treatment)/i.test(line) && /omitted|separately|request/i.test(line))
      ? 'true'
      : null,
  }
}

const isRule = (line: string): boolean => /^[\s\-_=]*$/.test(line)

/** The text after a label, or on the next line with text. */
function labelled(page: readonly string[], label: RegExp): string | null {
  for (const [at, line] of page.entries()) {
    const match = label.exec(line)
    if (match === null) continue
    const rest = line
      .slice(match.index + match[0].length)
      .replace(/^[\s:._]+/, '')
      .trim()
    if (rest !== '' && !isRule(rest)) return rest.replace(/_+$/, '').trim()
    const next = page.slice(at + 1, at + 4).find(each => !isRule(each))
    if (next !== undefined && !/:\s*\S|:$/.test(next)) return next.trim()
  }
  return null
}

/** `Name:` in the lines after a heading. */
function named(page: readonly string[], from: number, within: number): string | null {
  for (const line of page.slice(from, from + within)) {
    const name = /^\W{0,4}Name:?\s+(\S.*)$/i.exec(line.trim())?.[1]
    if (name !== undefined && !isRule(name)) return name.replace(/[\s_]+$/, '')
  }
  return null
}

/** True if the box at a label is marked; several boxes may share the line, and some forms print the box after the label. */
function isChecked(line: string, above: string, label: RegExp): boolean {
  const at = line.search(label)
  const before = line.slice(Math.max(0, at - 14), at)
  const boxes = before.match(/[[({|_]\s*[xX*]?\s*[\])}|_]/g) ?? []
  const box = boxes.at(-1)
  if (box !== undefined) return /[xX*]/.test(box)
  const behind = /^[^[(]{0,60}\[\s*([xX*]?)\s*\]/.exec(line.slice(at))
  if (behind !== null && /Check here/i.test(line)) return behind[1] !== ''
  return /^\s*[xX]\s+$/.test(before) || /^\s*\[\s*[xX]\s*\]\s*$/.test(above)
}

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december']
/** `December 31, 2003`, `12/31/03`, `31-Dec-2003`, `2003-12-31` as a calendar day. */
export function spelledDay(text: string): string | undefined {
  const named = /([A-Za-z]{3,9})\.?\s+(\d{1,2})\s*,?\s*(\d{4})/.exec(text)
  const dashed = /(\d{1,2})[-\s]([A-Za-z]{3,9})[-\s](\d{4})/.exec(text)
  const parts = named ? [named[1], named[2], named[3]] : dashed ? [dashed[2], dashed[1], dashed[3]] : null
  if (parts !== null) {
    const month = months.findIndex(name => name.startsWith((parts[0] ?? '').toLowerCase()))
    if (month >= 0) return formDay(`${month + 1}/${parts[1]}/${parts[2]}`)
  }
  const short = /(\d{1,2})[/-](\d{1,2})[/-](\d{2,4})/.exec(text)
  if (short) {
    const year = (short[3] ?? '').length === 2 ? `${Number(short[3]) > 70 ? '19' : '20'}${short[3]}` : short[3]
    return formDay(`${short[1]}/${short[2]}/${year}`)
  }
  return formDay(text.trim())
}

/** The numbered list of the summary page: number, file number, name. */
function includedManagers(page: readonly string[]): Manager[] {
  const start = page.findIndex(line => /List of Other Included Managers/i.test(line))
  if (start < 0) return []
  const found: Manager[] = []
  for (const line of page.slice(start + 1)) {
    if (/Information Table/i.test(line) && found.length > 0) break
    if (/\bCUSIP\b/i.test(line)) break
    const match = /^\s*(\d{1,3})[.)]?\s+(?:(0?28-\s?\d*)\s+)?([A-Za-z].*\S)\s*$/.exec(line)
    if (match !== null && (match[2] !== undefined || found.length > 0 || /^\s*\d{1,3}[.)]/.test(line)))
      found.push(manager(match[1] ?? null, match[2] ?? null, match[3] ?? ''))
  }
  return found
}

/** Managers that report for this one: file number and name, on the cover. */
function coverManagers(page: readonly string[]): Manager[] {
  const start = page.findIndex(line => /List of Other Managers Reporting/i.test(line))
  if (start < 0) return []
  const found: Manager[] = []
  for (const line of page.slice(start + 1, start + 200)) {
    if (/SUMMARY PAGE|Report Summary/i.test(line)) break
    const match = /^\s*(?:\d{1,3}[.)]\s+)?(0?28-\s?\d+)\s+(\S.*\S)\s*$/.exec(line)
    if (match !== null) found.push(manager(null, match[1] ?? null, match[2] ?? ''))
  }
  return found
}

const manager = (number: string | null, file: string | null, name: string): Manager => ({
  number,
  cik: null,
  file_number: file === null || /-\s*$/.test(file) ? null : file.replace(/\s/g, ''),
  crd_number: null,
  sec_file_number: null,
  name: name.replace(/\s{2,}/g, ' '),
})
