import { describe, expect, test } from 'vitest'
import { riskVerdict } from './status.ts'

describe('the status of a risk-factor section by the words behind its heading', () => {
  test.each([
    ['27-36', '10-K', 'cross_reference'],
    [' ..... pages 12, 14 and 19', '10-K', 'cross_reference'],
    ['15', '10-K', 'empty'],
    ['', '10-K', 'empty'],
    ['Not applicable.', '10-K', 'not_required'],
    [
      'Information in response to this item is incorporated by reference from the annual report to shareholders, Exhibit 13.',
      '10-K',
      'incorporated_by_reference',
    ],
    ['There have been no material changes to the risk factors in our annual report on Form 10-K.', '10-Q', 'no_material_change'],
    [`We may lose money. ${'Our business may be harmed by events that we do not foresee. '.repeat(120)}`, '10-K', 'full'],
  ])('%j of a %s is %s', (body, form, status) => {
    expect(riskVerdict(body, form).status).toBe(status)
  })
  test('pages are the reason that an index gives', () => {
    expect(riskVerdict('27 – 36', '10-K').reason).toBe('pages 27 – 36')
  })
})
