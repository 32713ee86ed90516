// Compares these stemmers with those of Postgres (Snowball), over the words of the documentation and over roots with every ending of the
// algorithms, so that each rule has words on both sides of its condition.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { stemEnglish } from './stem-english.ts'
import { stemFrench } from './stem-french.ts'

const { db } = await testDatabase()

/** Stems by Postgres' dictionary of a language, without its stop words. */
async function stemsOf(language: 'english' | 'french', words: readonly string[]): Promise<Map<string, string>> {
  await sql`create text search dictionary ${sql.raw(`only_${language}`)} (template = snowball, language = ${sql.raw(language)})`.execute(db)
  const { rows } = await sql<{ word: string; stem: string }>`
    select word, (ts_lexize(${sql.lit(`only_${language}`)}::regdictionary, word))[1] as stem from unnest(${[...words]}::text[]) as word`.execute(db)
  return new Map(rows.map(row => [row.word, row.stem]))
}
const differences = (expected: ReadonlyMap<string, string>, stem: (word: string) => string): string[] =>
  [...expected].filter(([word, wanted]) => stem(word) !== wanted).map(([word, wanted]) => `${word}: ${stem(word)}, expected ${wanted}`)

const combined = (roots: string, endings: string): string[] => roots.split(' ').flatMap(root => ['', ...endings.split(' ')].map(end => root + end))

it('English words have the stems that Postgres gives them', async () => {
  const docs = join(import.meta.dirname, '..', '..', '..', 'docs')
  const texts = readdirSync(docs)
    .filter(file => file.endsWith('.md'))
    .map(file => readFileSync(join(docs, file), 'utf8'))
  const printed =
    texts
      .join(' ')
      .toLowerCase()
      .match(/[a-z]{1,40}/g) ?? []
  const made = combined(
    'a re gen comm univers arsen past inter emerg organ later hop hopp fall fil add abl at bl iz tr cr y sy bey pla ski new dy ti lie bra control relat vietnam condition ration val hes digit conform radic differ vil analog decis predicat operat feud hop callous formal sensitiv sensib triplic form electr good reviv allow infer airlin gyroscop adjust defens irrit replac dep adopt homolog communi activ angular homo effect bowdler prob rat ceas rol nav proceed exceed succeed inn out cann herr earr even guid earn quarter guess invest hous econom ow mex box flow',
    's es ies ied ed ing edly ingly eed eedly y ly li ogi ogy ogist ational tional enci anci abli entli izer ization ation ator alism aliti alli fulness ousli ousness iveness iviti biliti bli fulli lessli icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion sion tion e le ll ss us sses at bl iz ted ting ies y ys',
  )
  const words = [...new Set([...printed, ...made])]
  expect(words.length).toBeGreaterThan(6_000)
  expect(differences(await stemsOf('english', words), stemEnglish)).toEqual([])
})

it('French words have the stems that Postgres gives them', async () => {
  const made = combined(
    'a ab conti continu par col tap ni nil nim naï noël haï ambigu aiguë qu quot équ équip jou voy pay essuy pla fin fini invest investi amorti accr réalis résult trimestr croiss rend dividend chiffr affair activ adapt appréci communic capac abil pratic publi public rapid import différ heur joy bon bonn net nett nouv nouvell cruel par­eil pareil conseill menac commenç press premi derni mati lég rég siég préfér compl hon act ven nat gest explic modif sol inc évol constit psych géo biologi arch mill bill lumin dang gén gén­ér ouv march travaill brev rel caus mo ai œuv bu lou'
      .replaceAll('\u00ad', '')
      .replaceAll('œ', 'oe'),
    's e es ée ées er ez é és ai as a ait aient ais ions iez ons ont ant ante antes ants asse assent asses assiez assions era erai eraient erais eras erez eriez erions erons eront èrent ât âtes âmes ance ances iqu ique iques isme ismes able ables iste istes eux atrice atrices ateur ateurs ation ations logie logies usion usions ution utions ence ences ement ements ité ités if ifs ive ives euse euses issement issements amment emment ment ments ie ies i is it ir ira irai irait irent iriez irons iront isse issent issait issant issante issantes issants issez issiez issions issons îmes ît îtes ion ier ière iers ières enne onne ette elle eille ivement ativement icativement eusement ablement ièrement iquement abilité icité ivité atif icatif ative y ç le les t ts',
  )
  const words = [...new Set(made)]
  expect(words.length).toBeGreaterThan(8_000)
  expect(differences(await stemsOf('french', words), stemFrench)).toEqual([])
})
