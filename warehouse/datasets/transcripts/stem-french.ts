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

/** The stem of one word in lower case; returns words with letters outside French unchanged. */
export function stemFrench(given: string): string {
  if (!/^[a-zâàçëéêèïîôûù]+$/.test(given)) return given
  let word = marked(given)
  const rv = regionV(word)
  const r1 = regionAfter(word, 0)
  const r2 = regionAfter(word, r1)
  const start = (suffix: string): number => word.length - suffix.length
  const ends = (suffix: string): boolean => word.endsWith(suffix)
  const inV = (suffix: string): boolean => start(suffix) >= rv
  const inR1 = (suffix: string): boolean => start(suffix) >= r1
  const inR2 = (suffix: string): boolean => start(suffix) >= r2
  const cut = (suffix: string, by = ''): void => {
    word = word.slice(0, start(suffix)) + by
  }

  /** Step 1: standard suffixes. `verbs`: whether the rest goes through the verb steps too. */
  function step1(): { readonly changed: boolean; readonly verbs: boolean } {
    const none = { changed: false, verbs: true }
    const done = { changed: true, verbs: false }
    const suffix = standard.find(ends)
    if (suffix === undefined) return none
    if (/^(?:ances?|iqUes?|ismes?|ables?|istes?|eux)$/.test(suffix)) {
      if (!inR2(suffix)) return none
      cut(suffix)
      return done
    }
    if (/^(?:atrices?|ateurs?|ations?)$/.test(suffix)) {
      if (!inR2(suffix)) return none
      cut(suffix)
      if (ends('ic')) inR2('ic') ? cut('ic') : cut('ic', 'iqU')
      return done
    }
    if (/^logies?$/.test(suffix)) {
      if (!inR2(suffix)) return none
      cut(suffix, 'log')
      return done
    }
    if (/^u[st]ions?$/.test(suffix)) {
      if (!inR2(suffix)) return none
      cut(suffix, 'u')
      return done
    }
    if (/^ences?$/.test(suffix)) {
      if (!inR2(suffix)) return none
      cut(suffix, 'ent')
      return done
    }
    if (/^issements?$/.test(suffix)) {
      if (!inR1(suffix) || isVowel(word[start(suffix) - 1])) return none
      cut(suffix)
      return done
    }
    if (/^ements?$/.test(suffix)) {
      if (!inV(suffix)) return none
      cut(suffix)
      if (ends('iv')) {
        if (inR2('iv')) {
          cut('iv')
          if (ends('at') && inR2('at')) cut('at')
        }
      } else if (ends('eus')) {
        if (inR2('eus')) cut('eus')
        else if (inR1('eus')) cut('eus', 'eux')
      } else if (ends('abl') || ends('iqU')) {
        if (inR2('abl')) cut('abl')
      } else if (ends('ièr') || ends('Ièr')) {
        if (inV('ièr')) cut('ièr', 'i')
      }
      return done
    }
    if (/^ités?$/.test(suffix)) {
      if (!inR2(suffix)) return none
      cut(suffix)
      if (ends('abil')) inR2('abil') ? cut('abil') : cut('abil', 'abl')
      else if (ends('ic')) inR2('ic') ? cut('ic') : cut('ic', 'iqU')
      else if (ends('iv') && inR2('iv')) cut('iv')
      return done
    }
    if (/^(?:ifs?|ives?)$/.test(suffix)) {
      if (!inR2(suffix)) return none
      cut(suffix)
      if (ends('at') && inR2('at')) {
        cut('at')
        if (ends('ic')) inR2('ic') ? cut('ic') : cut('ic', 'iqU')
      }
      return done
    }
    if (/^euses?$/.test(suffix)) {
      if (inR2(suffix)) cut(suffix)
      else if (inR1(suffix)) cut(suffix, 'eux')
      else return none
      return done
    }
    if (suffix === 'amment') {
      if (!inV(suffix)) return none
      cut(suffix, 'ant')
      return { changed: true, verbs: true }
    }
    if (suffix === 'emment') {
      if (!inV(suffix)) return none
      cut(suffix, 'ent')
      return { changed: true, verbs: true }
    }
    return plainMent(suffix)
  }
  function plainMent(suffix: string): { readonly changed: boolean; readonly verbs: boolean } {
    // A vowel within RV precedes it.
    const before = start(suffix) - 1
    if (!ends(suffix) || before < rv || !isVowel(word[before])) return { changed: false, verbs: true }
    cut(suffix)
    return { changed: true, verbs: true }
  }
  function verbI(): boolean {
    const suffix = iVerb.find(each => ends(each) && inV(each))
    if (suffix === undefined) return false
    const before = start(suffix) - 1
    if (before < rv || isVowel(word[before]) || word[before] === 'H') return false
    cut(suffix)
    return true
  }
  function verbOther(): boolean {
    const suffix = verb.find(each => ends(each) && inV(each))
    if (suffix === undefined) return false
    if (suffix === 'ions') {
      if (!inR2(suffix)) return false
      cut(suffix)
      return true
    }
    cut(suffix)
    if (/^(?:âmes|ât|âtes|a|ai|aIent|ais|ait|ant|ante|antes|ants|as|asse|assent|asses|assiez|assions)$/.test(suffix) && ends('e') && inV('e'))
      cut('e')
    return true
  }
  function residual(): void {
    if (ends('s') && (/(?:Hi)s$/.test(word) || /[^aiouès]s$/.test(word))) cut('s')
    const suffix = ['ière', 'Ière', 'ion', 'ier', 'Ier', 'e'].find(each => ends(each) && inV(each))
    if (suffix === undefined) return
    if (suffix === 'ion') {
      const before = word[start(suffix) - 1]
      if (inR2(suffix) && start(suffix) - 1 >= rv && (before === 's' || before === 't')) cut(suffix)
    } else if (suffix === 'e') cut(suffix)
    else cut(suffix, 'i')
  }

  const first = step1()
  if (first.changed && !first.verbs) afterChange()
  else if (verbI() || verbOther() || first.changed) afterChange()
  else residual()
  function afterChange(): void {
    if (ends('Y')) cut('Y', 'i')
    else if (ends('ç')) cut('ç', 'c')
  }
  if (/(?:enn|onn|ett|ell|eill)$/.test(word)) word = word.slice(0, -1)
  word = word.replace(/[éè]([^aeiouyâàëéêèïîôûù]+)$/, 'e$1')
  return word.replaceAll('He', 'ë').replaceAll('Hi', 'ï').replaceAll('H', '').toLowerCase()
}
