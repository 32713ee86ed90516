import { describe, expect, test } from 'vitest'
import { riskVerdict } from './status.ts'

describe('the status of a risk-factor section by the words behind its heading', () => {
  test.each([
    ['27-36', 'cross_reference'],
    [' ..... pages 12, 14 and 19', 'cross_reference'],
    ['15', 'empty'],
    ['', 'empty'],
    ['Not applicable.', 'not_required'],
    [
      'Information in response to this item is incorporated by reference from the annual report to shareholders, Exhibit 13.',
      'incorporated_by_reference',
    ],
    [`We may lose money. ${'Our business may be harmed by events that we do not foresee. '.repeat(120)}`, 'full'],
  ])('%j of a 10-K is %s', (body, status) => {
    expect(riskVerdict(body, '10-K').status).toBe(status)
  })
  test('a 10-Q may say that nothing has changed', () => {
    const body = 'There have been no material changes to the risk factors in our annual report on Form 10-K.'
    expect(riskVerdict(body, '10-Q').status).toBe('no_material_change')
  })
  test('pages are the reason that an index gives', () => {
    expect(riskVerdict('27 – 36', '10-K').reason).toBe('pages 27 – 36')
  })
})
