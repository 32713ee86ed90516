import { expect, it } from 'vitest'
import { issuersIn } from './mentions.ts'

const printed = (text: string): string[] => issuersIn([{ text, page: 1, start: 0 }], []).map(each => each.printed)

it('leaves the years of a copyright notice out of a name', () => {
  expect(printed('Copyright © 2001-2022 Larch Software Foundation, Inc.')).toEqual(['Larch Software Foundation, Inc.'])
  expect(printed('(c) 2019, 2022 Larch Software Foundation, Inc.')).toEqual(['Larch Software Foundation, Inc.'])
})
it('keeps a year that is part of a name', () => {
  expect(printed('The units of 1832 Larch Management Inc. were sold.')).toEqual(['1832 Larch Management Inc.'])
  expect(printed('In 2022 2020 Bulkers Ltd. reported.').at(-1)).toContain('2020 Bulkers Ltd.')
})
it('has the place of the name alone', () => {
  const text = '© 2022 Larch Software Foundation, Inc.'
  const [found] = issuersIn([{ text, page: 3, start: 100 }], [])
  expect(text.slice((found?.start ?? 0) - 100, (found?.end ?? 0) - 100)).toBe('Larch Software Foundation, Inc.')
})
