// Tokenizes speech for search: identically in the index, in the lake's search, and in requests.
import { cacheLimits } from '#schemas/cache-limits.ts'
import type { TranscriptLanguage } from '#schemas/transcripts.ts'
import { stemEnglish } from './stem-english.ts'
import { stemFrench } from './stem-french.ts'

/** Raised when the cut or a stemmer changes: the worker then fills the index again. */
export const wordsVersion = 1
const longestWord = 64

/** The commonest words of a language: they identify it, and a question without quotation marks leaves them out. */
const common: Readonly<Record<TranscriptLanguage, ReadonlySet<string>>> = {
  en: new Set(
    'the of and to in a is that for it on was with as be by this are from or have an they which you were their has our we will been at but not there what about up more when who can if so would your its these i he she do did does how than them us my me his her into out also just very'.split(
      ' ',
    ),
  ),
  fr: new Set(
    'le la les de des du un une et en à au aux que qui dans pour sur par avec ce cette ces est sont nous vous ils elles il elle on ne pas plus se sa son ses leur leurs notre nos votre vos été a ont avons avez être où ou mais donc si comme aussi très y l d c n s qu j m t'.split(
      ' ',
    ),
  ),
}

/** The words of a text in their order, in lower case; letters and digits of any script, cut at everything else, apostrophes included. */
export function spokenWords(text: string): string[] {
  return text
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
    .map(word => word.slice(0, longestWord))
}

const withoutAccents = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('œ', 'oe').replaceAll('æ', 'ae')

/** Stems that were made before: a language's common words are most of all words. */
const known = { en: new Map<string, string>(), fr: new Map<string, string>(), none: new Map<string, string>() }

/** The stem by which a word of a language is found: accents are taken off after stemming, so `societe` finds `société`. */
export function stemOf(word: string, language: TranscriptLanguage | null): string {
  const stems = known[language ?? 'none']
  let stem = stems.get(word)
  if (stem === undefined) {
    stem = withoutAccents(language === 'en' ? stemEnglish(word) : language === 'fr' ? stemFrench(word) : word)
    if (stems.size >= cacheLimits.stems) stems.clear()
    stems.set(word, stem)
  }
  return stem
}
export const stemsOf = (text: string, language: TranscriptLanguage | null): string[] => spokenWords(text).map(word => stemOf(word, language))

export const isCommon = (word: string): boolean => common.en.has(word) || common.fr.has(word)

/** Share of words that must be common ones of a language before it is named, and how much more of them than of the other. */
const fewestCommon = 0.1
const clearly = 1.5
/**
 * The language of a text by its commonest words: at least a tenth of all words are common in it, and at least one and a half times as
 * many as are common in the other. Null otherwise.
 */
export function languageOf(text: string): TranscriptLanguage | null {
  const words = spokenWords(text)
  const count = (language: TranscriptLanguage): number => words.filter(word => common[language].has(word)).length
  const [en, fr] = [count('en'), count('fr')]
  const [best, most, other] = en >= fr ? (['en', en, fr] as const) : (['fr', fr, en] as const)
  return words.length > 0 && most >= words.length * fewestCommon && most >= other * clearly ? best : null
}
