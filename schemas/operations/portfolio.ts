// Positions that a user holds, and what they come to.
import { ImportAnswer, ImportIn, maxPositions, PositionIn, PositionOut, PositionsAnswer, SummaryAnswer, targets } from '../portfolio.ts'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'
import { cursor, oneOf, pageLimit, shaped } from './parameters.ts'

const shared = { tag: 'Portfolio', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
const id = shaped('id of the position', /^[\w-]{1,64}$/, 'an id as the positions list it', 'pos_k3J0q2mXv1Zp')
const doubles =
  'A security is held once in each account_type and currency; a second time is 409 conflict, which names the position: nothing is merged.'

export const portfolioOperations = [
  operation({
    ...shared,
    id: 'list_positions',
    path: '/api/v1/portfolio/positions',
    summary: 'Positions of the user',
    description:
      'In the order in which they were made. Quantities and costs have the digits that were sent. A listing that was renamed is shown under the symbol that it has today.',
    question: question({ limit: pageLimit(1000, 1000, 'positions'), cursor }),
    answer: PositionsAnswer,
    example: examples.list_positions,
  }),
  operation({
    ...shared,
    id: 'add_position',
    method: 'POST',
    path: '/api/v1/portfolio/positions',
    success: 201,
    exact_numbers: true,
    summary: 'Makes a position',
    description: `${doubles} A symbol that no directory knows is kept as it reads, and has no value. At most ${maxPositions} positions.`,
    question: question({}),
    body: PositionIn,
    answer: PositionOut,
    example: examples.add_position,
  }),
  operation({
    ...shared,
    id: 'replace_position',
    method: 'PUT',
    path: '/api/v1/portfolio/positions/{id}',
    exact_numbers: true,
    summary: 'Replaces a position',
    description: `As a whole: what is left out gets its default. ${doubles}`,
    question: question({ id }),
    body: PositionIn,
    answer: PositionOut,
    example: examples.replace_position,
  }),
  operation({
    ...shared,
    id: 'remove_position',
    method: 'DELETE',
    path: '/api/v1/portfolio/positions/{id}',
    success: 204,
    summary: 'Removes a position',
    description: 'It is gone; a position that was sold can also be replaced by one of quantity 0.',
    question: question({ id }),
    example: examples.remove_position,
  }),
  operation({
    ...shared,
    id: 'import_positions',
    method: 'POST',
    path: '/api/v1/portfolio/positions/import',
    success: 201,
    exact_numbers: true,
    body_media: ['application/json', 'text/csv'],
    body_bytes: 4 * 1024 * 1024,
    summary: 'Makes many positions, or none',
    description: `{"positions": […]} or {"csv": "…"} as JSON, or the CSV itself as text/csv. All rows are taken, or with 422 none: each fault names its row or line and the field. ${doubles} In an import a double is a fault of its row. Numbers in a CSV have a point and no ambiguity: 1,000 is refused, 1000 and 1,000.50 are read.`,
    question: question({}),
    body: ImportIn,
    answer: ImportAnswer,
    example: examples.import_positions,
  }),
  operation({
    ...shared,
    id: 'get_portfolio_summary',
    path: '/api/v1/portfolio/summary',
    limit_class: 'queries',
    summary: 'Market value, cost and gain of the portfolio',
    description:
      'By position, account type and currency, in exact decimals, with the price, its day and its source, and the rate with its day. What has no price, or no rate to the currency, stands apart and is in no sum: unknown is never 0.',
    question: question({ currency: oneOf('currency of the values', targets, 'CAD').default('CAD') }),
    answer: SummaryAnswer,
    example: examples.get_portfolio_summary,
  }),
] as const
