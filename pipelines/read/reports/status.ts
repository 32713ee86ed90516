// The status of an item's section: content, or a short text that states why there is none (the table of statuses is in schemas/reports.ts).
import type { ItemStatus } from '#schemas/reports.ts'
import { countWords } from '#warehouse/documents/prose/prose.ts'

export type Verdict = { readonly status: ItemStatus; readonly reason: string | null }

/** Maximum words of a reference; longer text is content. The shortest risk factors have about 250 words. */
const stubWords = 260
/** A reference to another text has a few sentences. */
const pointerWords = 140
/** A quarterly report with this many words prints its risk factors at length. */
const longUpdate = 3000
const longQuarterly = 1000

const annualReport =
  /annual\sreports?\s(?:on\sform\s)?(?:10-?k|20-?f|40-?f|10-?ksb|filed|for\s(?:the|our|fiscal)|of\s)|form\s?10-?k|our\sannual\sreport|the\sannual\sreport|\b20\d\d\s(?:form\s)?10-?k\b/i
const noChange =
  /\bno\s(?:other\s|new\s)?(?:material|significant|substantive|substantial)?\s?(?:changes?|updates?|developments?|additions?|modifications?)\b|\b(?:not|n['’]t)\s(?:been\s(?:any\s)?)?(?:materially\s|significantly\s|substantially\s)?(?:changed|change|any\s(?:material|significant)|a\smaterial|material\schange|aware\sof\sany\smaterial)|(?:remain|are)\s(?:materially\s|substantially\s)?unchanged|not\s(?:materially|significantly|substantially)\s(?:changed|different)/i
const notRequired =
  /\bnot\s(?:applicable|required|needed)\b|\bn\s?\/\s?a\b|smaller\sreporting\s(?:compan|issuer)|\bnot\s(?:be\s)?(?:obligated|obliged)\b|\bwe\sare\snot\srequired|\bomitted\s(?:pursuant|in\s(?:reliance|accordance)|because|as|under|by)\b|\bgeneral\sinstruction\s(?:i|j)\b|permitted\sto\somit|\bnot\sprovid(?:ed|ing)\b|\bdoes\snot\sapply|intentionally\somitted|\breduced\sdisclosure|small\sbusiness\sissuer/i
const elsewhere =
  /\b(?:exhibits?\s\(?\d|(?:19|20)\d\d\sannual\sreport|annual\sreport\sto\s(?:the\s|our\s|its\s)?(?:share|stock|security)|proxy\sstatement|information\sstatement|prospectus|registration\sstatement|form\s[sf]-\d|form\s10\b(?!-)|form\s8-k|current\sreport|annual\sinformation\sform|(?:the|our|its)\sannual\sreport\b(?!\son\sform|\sunder)|original\s(?:form|filing|10-k)|appendix|annex)/i
const incorporated =
  /\bincorporated\s(?:herein\s|into\s[\w\s]{1,30}\s)?by\s(?:this\s)?reference|\bincorporated\sherein|\bincorporates?\sby\sreference/i
const within =
  /\bpages?\s\d|\bthis\s(?:annual\s|quarterly\s)?(?:report|form\s10|filing|document)|\bherein\b|\bitem\s\d|\bpart\si{1,2}\b|\bunder\sthe\s(?:heading|caption|section|title)|\b(?:section|heading|caption)s?\s(?:entitled|titled|headed|captioned)|management['’]s\sdiscussion|\bmd&a\b|\babove\b|\bbelow\b|\belsewhere\b|\bnotes?\s\d/i
const pointing =
  /\b(?:see|refer|referred|set\sforth|included|contained|found|discussed|described|appears?|presented|provided|disclosed|incorporated|review|consider|reference\sis\smade|located|captioned|appearing)\b/i
const changesOnly =
  /\b(?:except|other\sthan|in\saddition\sto|addition(?:al)?|supplement(?:s|ed|ing)?|updates?|updated|updating|amend(?:s|ed)|modif(?:y|ies|ied)|material\schanges?|new\srisk|should\sbe\sread\s(?:in\sconjunction|together)|restated|replaced|revised)\b/i

/** Sentences without a reference: a separate answer, before or after those that incorporate the rest. */
const mostOwnWords = 100
function ownWords(plain: string): number {
  let own = 0
  for (const sentence of plain.split(/(?<=[.!?:;])\s+(?=[\p{Lu}(“"])/u)) {
    if (!pointing.test(sentence) && !incorporated.test(sentence) && !elsewhere.test(sentence)) own += countWords(sentence)
  }
  return own
}

/** A line at the end of a page: its number, a link to the contents, `Name | 2024 Form 10-K | 18`. */
function isFooter(line: string): boolean {
  if (/^\W*(?:\d{1,3}|table of contents|index)\W*$/i.test(line)) return true
  const named = line.length <= 90 && /\d/.test(line) && !/[.;]\s*$/.test(line) && !pointing.test(line)
  // A line of a paragraph in plain text may also name pages of a report.
  if (/\b(?:of|in|to|for)\s(?:the|our|its|share|stock|security)\b|[()]/i.test(line) || /^\p{Ll}/u.test(line)) return false
  return named && /\bform 10-?[kq]\b|\bannual report\b|\s\|\s/i.test(line)
}

/** A short text without the lines of a page's end. */
const unfooted = (body: string): string =>
  body.length > 4000
    ? body
    : body
        .split('\n')
        .filter(line => !isFooter(line))
        .join('\n')

const shorten = (text: string): string => {
  const plain = text
    .replace(/\s+/g, ' ')
    .replace(/^[\s.:;–—-]{1,12}/, '')
    .trim()
  return plain.length <= 400 ? plain : `${plain.slice(0, 399)}…`
}

/** Several pages after a heading are the location of its section; a single number may be that of the page. */
const pageRange = /^[ .\u2026]{0,200}(?:pages? ?)?(\d{1,3}(?: ?(?:[-–—,&]|and) ?\d{1,3}){1,12})[ .]{0,9}$/i

/** The status of a risk-factor section by its text (FACTS.md, Item 1A: table of statuses). */
export function riskVerdict(body: string, form: string): Verdict {
  const words = countWords(body)
  const quarterly = /^10-?Q/i.test(form)
  const intro = body.slice(0, 2500)
  if (words > stubWords) {
    if (!quarterly || words >= longUpdate) return { status: 'full', reason: null }
    if (changesOnly.test(intro) && annualReport.test(intro)) return { status: 'update', reason: shorten(firstSentences(intro)) }
    return words >= longQuarterly ? { status: 'full', reason: null } : { status: 'update', reason: shorten(firstSentences(intro)) }
  }
  const pages = pageRange.exec(body.replace(/\s+/g, ' ').trim())
  if (pages !== null) return { status: 'cross_reference', reason: `pages ${pages[1] ?? ''}` }
  const plain = unfooted(body).replace(/\s+/g, ' ').trim()
  const reason = shorten(plain)
  if (!/[\p{L}]/u.test(plain) || /^[\s[(]*reserved[\s\])._]*$/i.test(plain)) return { status: 'empty', reason: 'nothing stands behind the heading' }
  if (quarterly) return quarterlyStub(plain, words, reason)
  if (/^\W*(?:none|omitted|intentionally left blank)\W*$/i.test(plain)) return { status: 'not_required', reason }
  if (notRequired.test(plain) && !(words > 120 && /\brisk/i.test(plain) && !/smaller\sreporting|not\srequired/i.test(plain)))
    return { status: 'not_required', reason }
  if (noChange.test(plain) && annualReport.test(plain)) return { status: 'no_material_change', reason }
  return pointer(plain, reason) ?? { status: 'full', reason: null }
}

function quarterlyStub(plain: string, words: number, reason: string): Verdict {
  if (/^\W*none\W*$/i.test(plain)) return { status: 'no_material_change', reason }
  if (notRequired.test(plain) && !noChange.test(plain)) return { status: 'not_required', reason }
  const factorsFollow = /\b(?:except|other\sthan)\b[^.]{0,160}\b(?:below|following|set\sforth|as\sfollows)\b/i.test(plain)
  if (factorsFollow && words > 110) return { status: 'update', reason: shorten(firstSentences(plain)) }
  if (noChange.test(plain)) return { status: 'no_material_change', reason }
  if (notRequired.test(plain)) return { status: 'not_required', reason }
  // A report that only refers to the last annual one does not state changes.
  if (annualReport.test(plain) && pointing.test(plain)) return { status: 'incorporated_by_reference', reason }
  return pointer(plain, reason) ?? { status: 'update', reason: shorten(firstSentences(plain)) }
}

/** A text that only refers: to another document, or to a position in this one. */
function pointer(plain: string, reason: string): Verdict | null {
  // `The section “Risk Factors”, pages 20 to 31`: a reference need not be a sentence.
  if (countWords(plain) > pointerWords) return null
  if (!pointing.test(plain) && (plain.length > 250 || !/\bpages?\s\d|\b(?:section|heading|caption)s?\b/i.test(plain))) return null
  if (elsewhere.test(plain)) return { status: 'incorporated_by_reference', reason }
  if (within.test(plain)) return { status: 'cross_reference', reason }
  return incorporated.test(plain) ? { status: 'incorporated_by_reference', reason } : null
}

const firstSentences = (text: string): string => {
  const end = /[.!?]\s/.exec(text.slice(60))
  return end === null ? text : text.slice(0, 60 + end.index + 1)
}

/** The status of any other item: a short answer such as `None.` is its content. */
export function itemVerdict(body: string, title: string | null): Verdict {
  const words = countWords(body)
  if (words > stubWords) return { status: 'full', reason: null }
  const plain = unfooted(body).replace(/\s+/g, ' ').trim()
  const reason = shorten(plain)
  if (!/[\p{L}]/u.test(plain) || /^[\s[(]*reserved[\s\])._]*$/i.test(plain)) return { status: 'empty', reason: 'nothing stands behind the heading' }
  // A list of exhibits states where each was filed before; that is its content.
  if (title !== null && /exhibit/i.test(title)) return { status: 'full', reason: null }
  if (noChange.test(plain) && annualReport.test(plain)) return { status: 'no_material_change', reason }
  if (/^\W*(?:intentionally\s)?omitted\W*$/i.test(plain)) return { status: 'not_required', reason }
  if (words <= 60 && notRequired.test(plain)) return { status: 'not_required', reason }
  if (ownWords(plain) > mostOwnWords) return { status: 'full', reason: null }
  if (incorporated.test(plain) && elsewhere.test(plain)) return { status: 'incorporated_by_reference', reason }
  if (words > 90) return { status: 'full', reason: null }
  return pointer(plain, reason) ?? { status: 'full', reason: null }
}

/** Usual number of words of an item of an annual report: a section outside of this range is kept and flagged, because its end may be wrong. */
const bands: Readonly<Record<string, readonly [least: number, most: number]>> = {
  '1': [100, 60_000],
  '1A': [400, 60_000],
  '1B': [1, 800],
  '1C': [40, 4_000],
  '2': [5, 20_000],
  '3': [3, 15_000],
  '4': [1, 1_500],
  '7': [300, 80_000],
  '7A': [5, 8_000],
  '9': [1, 1_500],
  '9A': [40, 5_000],
  '3.D': [400, 60_000],
  risk_factors: [300, 60_000],
}

/** A finding on the length of content; none for references, whose status describes them. */
export function lengthFlags(item: string, status: ItemStatus, words: number, form: string): string[] {
  const band = /^10-?Q/i.test(form) ? undefined : bands[item]
  if (band === undefined || status !== 'full') return []
  return words < band[0] ? ['shorter_than_usual'] : words > band[1] ? ['longer_than_usual'] : []
}
