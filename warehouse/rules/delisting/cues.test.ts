import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { maxPressRelease } from '#schemas/compliance.ts'
import { delistingRules } from '../../rulesets/delisting/rules.ts'
import { readCues } from './cues.ts'
import { findAll, lexiconOf, wordsOf } from './words.ts'

const rules = delistingRules(undefined)
const read = (text: string) => Object.fromEntries(readCues(text, rules).map(({ cue, status }) => [cue.cue, status]))
/** The text that the first position of a cue quotes. */
const quoted = (text: string, name: string): string | undefined => {
  const place = readCues(text, rules).find(({ cue }) => cue.cue === name)?.places[0]
  return place && text.slice(place.start, place.end)
}

describe('cues of trouble in press releases', () => {
  it.each(textTable`
    deficiency          | Acme received a deficiency letter from Nasdaq.
    minimum_bid_price   | The Minimum Bid Price requirement was not met.
    minimum_bid_price   | The stock closed below US$1.00 for 30 days.
    regain_compliance   | Acme has 180 days to regain compliance.
    hearings_panel      | Acme will appear before the Hearings Panel.
    delist              | Nasdaq may delist the securities.
    reverse_split       | Holders approved a reverse stock split of 1-for-20.
    going_concern       | There is substantial doubt about its ability to continue as a going concern.
    form_25             | Nasdaq will file a Form 25 with the SEC.
    voluntary_delisting | The board resolved on a voluntary delisting.
    late_filing         | Acme filed a notification of late filing on Form 12b-25.
    vie_structure       | It controls its variable interest entities by contract.
  `)('%s: %s', (cue, text) => {
    expect(read(text)[cue]).toBe('raised')
  })
  it.each([
    ['capitals', 'REVERSE STOCK SPLIT'],
    ['line breaks', 'reverse\nstock\r\nsplit'],
    ['hyphens', 'reverse-stock-split'],
    ['hard and wide spaces', 'reverse\u00a0stock\u3000split'],
    ['other hyphens', 'reverse\u2011stock\u2013split'],
    ['a word broken over a line', 'reverse stock sp-\nlit'],
    ['soft hyphens', 'reverse sto\u00adck split'],
  ])('are found whatever the %s', (_name, text) => {
    expect(quoted(`It planned a ${text} in May.`, 'reverse_split')).toBe(text)
  })
  it('phrases of one cue that share words are one place', () => {
    const [found] = readCues('Acme did not meet the minimum bid price requirement.', rules)
    expect([found?.count, found?.places]).toEqual([1, [{ start: 22, end: 51, status: 'raised' }]])
  })
  it('are words, not parts of words, and do not reach over a full stop', () => {
    expect(read('The delistable undelisted deficiencyless minimum. Bid price talk.')).toEqual({})
  })
  it('$1, $1.00, US$1.00 and $ 1.00 of an offering price is no cue by itself', () => {
    expect(read('It sold shares at $1.00 per share.')).toEqual({})
    expect(read('a minimum closing price of at least $1 per share')).toEqual({ minimum_bid_price: 'raised' })
  })
  it('places are of the text as sent, counted in its own units', () => {
    const text = '\u{1F4C9} Acme: delisting.'
    expect(quoted(text, 'delist')).toBe('delisting')
  })
})

describe('what a text takes back', () => {
  it('a notice in the usual words takes nothing back: a matter that will be closed is open', () => {
    const text =
      'Acme received a notice that for 30 consecutive business days the closing bid price of its common stock was below the minimum $1.00 per share. The notice has no immediate effect on the listing. Acme has 180 calendar days to regain compliance. If the bid price closes at $1.00 or more for ten consecutive business days, Nasdaq will confirm compliance and the matter will be closed. There can be no assurance that Acme will regain compliance.'
    expect(read(text)).toEqual({ minimum_bid_price: 'raised', regain_compliance: 'raised' })
  })
  it('compliance regained resolves what its sentence and the past tell', () => {
    const text =
      'Acme Regains Compliance With the Nasdaq Minimum Bid Price Requirement\n\nAcme received notice that it has regained compliance with the minimum bid price requirement. As previously announced, on 5 January it received a deficiency letter.'
    expect(read(text)).toEqual({ deficiency: 'resolved', minimum_bid_price: 'resolved' })
  })
  it('a matter that is closed resolves the whole', () => {
    expect(read('Nasdaq had sent a deficiency letter. The stock closed under $1.00. The matter is now closed.')).toEqual({
      deficiency: 'resolved',
      minimum_bid_price: 'resolved',
    })
  })
  it('what is new is not resolved', () => {
    const text = 'Acme regained compliance with the market value rule. However, it received a new deficiency letter about the minimum bid price.'
    expect(read(text)).toMatchObject({ deficiency: 'raised', minimum_bid_price: 'raised' })
  })
  it.each([
    'There can be no assurance that Acme will regain compliance with the minimum bid price rule.',
    'If Acme has not regained compliance by June it may be delisted.',
    'Until it has regained compliance, the deficiency stands.',
    'Nasdaq will tell whether Acme has regained compliance with the minimum bid price rule.',
  ])('compliance that is only hoped for resolves nothing: %s', text => {
    expect(Object.values(read(text))).not.toContain('resolved')
    expect(Object.values(read(text))).toContain('raised')
  })
  it.each(textTable`
    delist        | The shares will not be delisted.
    going_concern | The audit report contains no going concern paragraph.
    reverse_split | The board does not intend to effect a reverse split.
  `)('%s is denied: %s', (cue, text) => {
    expect(read(text)[cue]).toBe('denied')
  })
  it.each(textTable`
    minimum_bid_price | Acme did not maintain a minimum bid price of $1.00.
    deficiency        | Acme is not in compliance.
    delist            | There is no assurance that the shares are kept from delisting.
    delist            | It is not profitable. The shares are delisted.
  `)('%s is not denied: %s', (cue, text) => {
    expect(read(text)[cue]).toBe('raised')
  })
  it('one current mention keeps a cue raised', () => {
    const found = readCues('It will not be delisted now. It may be delisted in May.', rules).find(({ cue }) => cue.cue === 'delist')
    expect([found?.status, found?.count, found?.places.map(({ status }) => status)]).toEqual(['raised', 2, ['raised', 'denied']])
  })
})

describe('a text of any kind', () => {
  it('has its words at their places, in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
        let end = 0
        for (const word of wordsOf(text)) {
          expect(word.start).toBeGreaterThanOrEqual(end)
          expect(word.end).toBeGreaterThan(word.start)
          end = word.end
        }
        expect(end).toBeLessThanOrEqual(text.length)
      }),
    )
  })
  /** Looks at each word of the text no oftener than the longest phrase is long. */
  it.each([
    ['the beginning of a phrase', 'minimum bid '],
    ['a phrase', 'delist '],
    ['broken words', 'de-\n'],
    ['denials', 'not '],
    ['letters without an end', 'a'],
    ['apostrophes', "a'"],
    ['points', '. '],
    ['line breaks', '\n'],
    ['digits', '1,'],
    ['dollars', '$'],
    ['wide letters', '\u{1F4C9}'],
  ])('256 KiB of %s are read in steps that grow with the length', (_name, unit) => {
    const text = unit.repeat(Math.floor(maxPressRelease / Buffer.byteLength(unit)))
    const words = wordsOf(text)
    const lookups = { count: 0 }
    const counting = new Proxy(words, {
      get: (target, name, receiver) => {
        lookups.count += 1
        return Reflect.get(target, name, receiver) as unknown
      },
    })
    findAll(counting, lexiconOf(rules.signals.cues.map(cue => ({ phrases: cue.phrases, of: cue }))))
    expect(lookups.count).toBeLessThanOrEqual(40 * words.length + 40)
    for (const { places } of readCues(text, rules)) expect(places.length).toBeLessThanOrEqual(5)
  })
})
