// Prospectuses of many kinds and eras (fixtures/offerings/kinds.ts), each as HTML and as plain text: sellers with their roles, symbol and price.
import { expect, test } from 'vitest'
import { type Kind, kinds } from '#fixtures/offerings/kinds.ts'
import { asHtml, asText } from '#fixtures/offerings/render.ts'
import { parseProspectus } from './parse.ts'

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
const spellings = ({ aliases }: Kind, name: string): readonly string[] => [name, ...(aliases?.[name] ?? [])].map(letters)

test.each(
  kinds.flatMap(kind => [[kind.kind, 'HTML', kind, asHtml(kind.lines)] as const, [kind.kind, 'plain text', kind, asText(kind.lines)] as const]),
)('%s, %s', (_name, _format, kind, document) => {
  const { offering } = parseProspectus(document, {
    accession: '0000990399-24-000001',
    cik: '0000990399',
    company: kind.company,
    form: kind.form,
    filed_date: '2024-06-03',
    file_number: null,
    document: null,
  })
  const optional = (kind.also ?? []).map(letters)
  const sellers = offering.underwriters
    .map(({ name, role }) => [kind.underwriters.find(([full]) => spellings(kind, full).includes(letters(name)))?.[0] ?? name, role])
    .filter(([name]) => kind.underwriters.some(([full]) => full === name) || !optional.includes(letters(String(name))))
  expect({
    underwriters: sellers.toSorted(),
    symbol: offering.proposed_symbol,
    price: offering.price === null ? null : Number(offering.price),
    basis: offering.price_basis,
    holdersOnly: offering.selling_holders_only,
  }).toEqual({
    underwriters: kind.underwriters
      .filter(([name]) => !optional.includes(letters(name)) || sellers.some(([given]) => given === name))
      .map(([name, role]) => [name, role])
      .toSorted(),
    symbol: kind.symbol,
    price: kind.price === null ? null : Number(kind.price),
    basis: kind.basis,
    holdersOnly: kind.holdersOnly,
  })
})
