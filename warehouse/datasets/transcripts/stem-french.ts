// French stems by the Snowball algorithm (snowballstem.org/algorithms/french/stemmer.html): `résultats` is `résultat`,
// `investissements` and `investir` are `invest`. A test compares it with Postgres' own stemmer.

const vowels = 'aeiouyâàëéêèïîôûù'
const isVowel = (letter: string | undefined): boolean => letter !== undefined && vowels.includes(letter)

/** u and i between vowels, y next to a vowel, and u after q count as consonants and are written in upper case. */
function marked(word: string): string {
  const letters = [...word]
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at]
    const before = letters[at - 1]
    const after = letters[at + 1]
    if ((letter === 'u' || letter === 'i') && isVowel(before) && isVowel(after)) letters[at] = letter.toUpperCase()
    else if (letter === 'y' && (isVowel(before) || isVowel(after))) letters[at] = 'Y'
    else if (letter === 'u' && before === 'q') letters[at] = 'U'
    else if (letter === 'ë') letters.splice(at, 1, 'H', 'e')
    else if (letter === 'ï') letters.splice(at, 1, 'H', 'i')
  }
  return letters.join('')
}

function regionAfter(word: string, from: number): number {
  for (let at = from + 1; at < word.length; at += 1) if (isVowel(word[at - 1]) && !isVowel(word[at])) return at + 1
  return word.length
}
function regionV(word: string): number {
  if (/^(?:par|col|tap)/.test(word)) return 3
  if (isVowel(word[0]) && isVowel(word[1])) return Math.min(3, word.length)
  for (let at = 1; at < word.length; at += 1) if (isVowel(word[at])) return at + 1
  return word.length
}

/** Longest first: the longest ending that fits decides. */
const longestFirst = (endings: string): string[] => endings.split(' ').toSorted((a, b) => b.length - a.length)
const standard = longestFirst(
  'issements issement atrices atrice ateurs ateur ations ation logies logie usions usion utions ution iqUes iqUe ismes isme ables able istes iste ances ance ences ence eux amment emment ements ement ments ment ités ité ifs if ives ive euses euse',
)
const iVerb = longestFirst(
  'issaIent issantes issante issants issions iraIent issiez issant issent issons iriez irions issais issait issez isses irais irait îmes îtes isse irai iras irez irons iront ira ies ie is it i ir ît irent',
)
const verb = longestFirst(
  'eraIent assions erions assent assiez èrent erais erait eriez erons eront aIent antes asses ions erai eras erez âmes âtes ante ants asse ées era iez ais ait ant ée és er ez ât ai as é a',
)

/** A word that is cut step by step, with the starts of its regions RV, R1 and R2. */
type Cutting = { word: string; readonly rv: number; readonly r1: number; readonly r2: number }
type Region = 'rv' | 'r1' | 'r2'
const start = ({ word }: Cutting, suffix: string): number => word.length - suffix.length
const isIn = (w: Cutting, region: Region, suffix: string): boolean => start(w, suffix) >= w[region]
const ends = ({ word }: Cutting, suffix: string): boolean => word.endsWith(suffix)
function cut(w: Cutting, suffix: string, by = ''): void {
  w.word = w.word.slice(0, start(w, suffix)) + by
}
/** Cuts a suffix that lies within R2. */
function cutInR2(w: Cutting, suffix: string): boolean {
  const found = ends(w, suffix) && isIn(w, 'r2', suffix)
  if (found) cut(w, suffix)
  return found
}
/** Cuts a suffix that lies within R2, and replaces it elsewhere. */
function cutOrReplace(w: Cutting, suffix: string, by: string): boolean {
  if (!ends(w, suffix)) return false
  cut(w, suffix, isIn(w, 'r2', suffix) ? '' : by)
  return true
}

type Rule = {
  readonly endings: RegExp
  readonly region: Region
  readonly by?: string
  /** A further condition on the letter before the suffix. */
  readonly before?: (letter: string | undefined) => boolean
  /** What is cut after the suffix. */
  readonly after?: (w: Cutting) => void
  /** What is left goes through the verb steps too. */
  readonly verbs?: true
}
/** Step 1, standard suffixes: of the rules for an ending, the first that holds. */
const rules: readonly Rule[] = [
  { endings: /^(?:ances?|iqUes?|ismes?|ables?|istes?|eux)$/, region: 'r2' },
  { endings: /^(?:atrices?|ateurs?|ations?)$/, region: 'r2', after: w => cutOrReplace(w, 'ic', 'iqU') },
  { endings: /^logies?$/, region: 'r2', by: 'log' },
  { endings: /^u[st]ions?$/, region: 'r2', by: 'u' },
  { endings: /^ences?$/, region: 'r2', by: 'ent' },
  { endings: /^issements?$/, region: 'r1', before: letter => !isVowel(letter) },
  { endings: /^ements?$/, region: 'rv', after: afterAdverb },
  {
    endings: /^ités?$/,
    region: 'r2',
    after: w => cutOrReplace(w, 'abil', 'abl') || cutOrReplace(w, 'ic', 'iqU') || cutInR2(w, 'iv'),
  },
  {
    endings: /^(?:ifs?|ives?)$/,
    region: 'r2',
    after: w => cutInR2(w, 'at') && cutOrReplace(w, 'ic', 'iqU'),
  },
  { endings: /^euses?$/, region: 'r2' },
  { endings: /^euses?$/, region: 'r1', by: 'eux' },
  { endings: /^amment$/, region: 'rv', by: 'ant', verbs: true },
  { endings: /^emment$/, region: 'rv', by: 'ent', verbs: true },
]
function afterAdverb(w: Cutting): void {
  if (ends(w, 'iv')) {
    if (cutInR2(w, 'iv')) cutInR2(w, 'at')
  } else if (ends(w, 'eus')) {
    if (!cutInR2(w, 'eus') && isIn(w, 'r1', 'eus')) cut(w, 'eus', 'eux')
  } else if (ends(w, 'abl') || ends(w, 'iqU')) {
    if (isIn(w, 'r2', 'abl')) cut(w, 'abl')
  } else if ((ends(w, 'ièr') || ends(w, 'Ièr')) && isIn(w, 'rv', 'ièr')) cut(w, 'ièr', 'i')
}

/** `none`: nothing was cut; `verbs`: what is left goes through the verb steps. */
function standardSuffix(w: Cutting): 'none' | 'done' | 'verbs' {
  const suffix = standard.find(each => ends(w, each))
  if (suffix === undefined) return 'none'
  const letter = w.word[start(w, suffix) - 1]
  if (/^ments?$/.test(suffix)) {
    // A vowel within RV precedes it.
    if (start(w, suffix) - 1 < w.rv || !isVowel(letter)) return 'none'
    cut(w, suffix)
    return 'verbs'
  }
  const rule = rules.find(({ endings, region, before }) => endings.test(suffix) && isIn(w, region, suffix) && (before?.(letter) ?? true))
  if (rule === undefined) return 'none'
  cut(w, suffix, rule.by)
  rule.after?.(w)
  return rule.verbs ? 'verbs' : 'done'
}

function iVerbSuffix(w: Cutting): boolean {
  const suffix = iVerb.find(each => ends(w, each) && isIn(w, 'rv', each))
  if (suffix === undefined) return false
  const before = start(w, suffix) - 1
  if (before < w.rv || isVowel(w.word[before]) || w.word[before] === 'H') return false
  cut(w, suffix)
  return true
}

function verbSuffix(w: Cutting): boolean {
  const suffix = verb.find(each => ends(w, each) && isIn(w, 'rv', each))
  if (suffix === undefined) return false
  if (suffix === 'ions') return cutInR2(w, suffix)
  cut(w, suffix)
  if (
    /^(?:âmes|ât|âtes|a|ai|aIent|ais|ait|ant|ante|antes|ants|as|asse|assent|asses|assiez|assions)$/.test(suffix) &&
    ends(w, 'e') &&
    isIn(w, 'rv', 'e')
  )
    cut(w, 'e')
  return true
}

function residualSuffix(w: Cutting): void {
  if (ends(w, 's') && (/(?:Hi)s$/.test(w.word) || /[^aiouès]s$/.test(w.word))) cut(w, 's')
  const suffix = ['ière', 'Ière', 'ion', 'ier', 'Ier', 'e'].find(each => ends(w, each) && isIn(w, 'rv', each))
  if (suffix === undefined) return
  if (suffix === 'ion') {
    const before = w.word[start(w, suffix) - 1]
    if (isIn(w, 'r2', suffix) && start(w, suffix) - 1 >= w.rv && (before === 's' || before === 't')) cut(w, suffix)
  } else cut(w, suffix, suffix === 'e' ? '' : 'i')
}

/** The stem of one word in lower case; words of letters outside French are returned as they are. */
export function stemFrench(given: string): string {
  if (!/^[a-zâàçëéêèïîôûù]+$/.test(given)) return given
  const word = marked(given)
  const r1 = regionAfter(word, 0)
  const w: Cutting = { word, rv: regionV(word), r1, r2: regionAfter(word, r1) }
  const first = standardSuffix(w)
  if (first === 'done' || iVerbSuffix(w) || verbSuffix(w) || first === 'verbs') {
    if (ends(w, 'Y')) cut(w, 'Y', 'i')
    else if (ends(w, 'ç')) cut(w, 'ç', 'c')
  } else residualSuffix(w)
  if (/(?:enn|onn|ett|ell|eill)$/.test(w.word)) w.word = w.word.slice(0, -1)
  const bare = w.word.replace(/[éè]([^aeiouyâàëéêèïîôûù]+)$/, 'e$1')
  return bare.replaceAll('He', 'ë').replaceAll('Hi', 'ï').replaceAll('H', '').toLowerCase()
}
