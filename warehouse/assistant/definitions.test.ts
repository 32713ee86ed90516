import { expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { definitionIn } from './definitions.ts'
import { words } from './writer.ts'

it.each(textTable`
  What is a flow-through share?         | flow-through share
  what are flow-through shares          | flow-through share
  Define 13F                            | form 13f
  what's an RRSP?                       | rrsp
  What does “adjusted close” mean?      | adjusted close
  Please explain the term ex-date to me | ex-date
  What is the meaning of CUSIP?         | cusip
`)('finds the term of %s', (question, term) => {
  expect(definitionIn(question)?.term).toBe(term)
})
it.each(textTable`
  What is the dividend yield of GLPR.TO?
  What is the price of a flow-through share in Ontario?
  What is beta of GLPR.TO?
  Flow-through share cost after tax
  What is GLPR?
  What does BRLX mean for me?
`)('leaves %s to the topics', question => {
  expect(definitionIn(question)).toBeNull()
})
it('has no figure in a definition, because a figure needs a source', () => {
  const names = [
    'flow-through share',
    'adjusted close',
    'ex-date',
    'dividend yield',
    'dual listing',
    'insider cluster',
    '10b5-1 plan',
    'form 4',
    '13F',
  ]
  const more = ['13D', '10-K', '10-Q', '8-K', 'risk factor', 'receipt', 'release', 'RRSP', 'TFSA', 'withholding tax', 'AAOIFI', 'intercept', 'g/t']
  const last = ['blue sky law', 'IPO', 'shelf registration', 'market cap', 'beta', 'RSI', 'vintage', 'CUSIP', 'CIK']
  for (const name of [...names, ...more, ...last]) {
    const found = definitionIn(`define ${name}`)
    expect(found, name).not.toBeNull()
    expect(() => words(found?.text ?? '')).not.toThrow()
  }
})
