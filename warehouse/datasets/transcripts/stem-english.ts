// English stems by the Porter2 algorithm (snowballstem.org/algorithms/english/stemmer.html, as of Snowball 2.2): `guided`, `guides` and `guiding` are
// `guid`. Written here because answers must be reproducible without Postgres; a test compares it with Postgres' own stemmer.

const vowel = /[aeiouy]/
const exceptions = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map(word => [word, word] as const),
])
const afterStep1a = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed'])

/** The start of the region after the first consonant that follows a vowel, searched from `from`. */
function regionAfter(word: string, from: number): number {
  for (let at = from + 1; at < word.length; at += 1) if (vowel.test(word[at - 1] as string) && !vowel.test(word[at] as string)) return at + 1
  return word.length
}

function firstRegion(word: string): number {
  const special = /^(?:gener|commun|arsen)/.exec(word)
  return special ? special[0].length : regionAfter(word, 0)
}

/** A short syllable at the end: consonant, vowel, consonant other than w, x, Y; or a vowel and a consonant that are the whole word. */
const endsShort = (word: string): boolean => /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word)

const step2: readonly (readonly [suffix: string, by: string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
]
const step3: readonly (readonly [suffix: string, by: string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const step4 = ['ement', 'ance', 'ence', 'able', 'ible', 'ment', 'ant', 'ent', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize', 'ion', 'al', 'er', 'ic']

/** The stem of one word in lower case, a to z; returns words with other letters unchanged. */
export function stemEnglish(given: string): string {
  if (given.length <= 2 || !/^[a-z]+$/.test(given)) return given
  const exception = exceptions.get(given)
  if (exception !== undefined) return exception
  let word = given.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y')
  const r1 = firstRegion(word)
  const r2 = regionAfter(word, r1)
  const inR1 = (suffix: string): boolean => word.length - suffix.length >= r1
  const inR2 = (suffix: string): boolean => word.length - suffix.length >= r2
  const cut = (suffix: string, by = ''): void => {
    word = word.slice(0, word.length - suffix.length) + by
  }

  // Step 1a: plurals.
  if (word.endsWith('sses')) cut('sses', 'ss')
  else if (/ie[ds]$/.test(word)) cut('ied', word.length > 4 ? 'i' : 'ie')
  else if (word.endsWith('s') && !/(?:us|ss)$/.test(word) && vowel.test(word.slice(0, -2))) cut('s')
  if (afterStep1a.has(word)) return word

  // Step 1b: eed, ed, ing.
  const eed = /(?:eedly|eed)$/.exec(word)?.[0]
  const ed = eed === undefined ? /(?:ingly|edly|ing|ed)$/.exec(word)?.[0] : undefined
  if (eed !== undefined) {
    if (inR1(eed)) cut(eed, 'ee')
  } else if (ed !== undefined && vowel.test(word.slice(0, -ed.length))) {
    cut(ed)
    if (/(?:at|bl|iz)$/.test(word)) word += 'e'
    else if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(word) && !/^[aeo]..$/.test(word)) word = word.slice(0, -1)
    else if (word.length <= r1 && endsShort(word)) word += 'e'
  }

  // Step 1c: y after a consonant that is not the first letter.
  if (/.[^aeiouy][yY]$/.test(word)) cut('y', 'i')

  const second = step2.find(([suffix]) => word.endsWith(suffix))
  if (second && inR1(second[0])) {
    const [suffix, by] = second
    const before = word.at(-suffix.length - 1) ?? ''
    if (suffix === 'ogi' ? before === 'l' : suffix === 'li' ? /[cdeghkmnrt]/.test(before) : true) cut(suffix, by)
  }
  const third = step3.find(([suffix]) => word.endsWith(suffix))
  if (third && inR1(third[0]) && (third[0] !== 'ative' || inR2('ative'))) cut(third[0], third[1])
  const fourth = step4.find(suffix => word.endsWith(suffix))
  if (fourth !== undefined && inR2(fourth) && (fourth !== 'ion' || /[st]$/.test(word.slice(0, -3)))) cut(fourth)
  if (word.endsWith('e')) {
    if (inR2('e') || (inR1('e') && !endsShort(word.slice(0, -1)))) cut('e')
  } else if (word.endsWith('ll') && inR2('l')) cut('l')
  return word.replaceAll('Y', 'y')
}
