// Positions that a user holds, and their value.
import { ImportAnswer, ImportIn, maxPositions, PositionIn, PositionOut, PositionsAnswer, SummaryAnswer, targets } from '../portfolio.ts'
import { operation, question } from './operation.ts'
import { cursor, oneOf, pageLimit, shaped } from './parameters.ts'

const shared = { tag: 'Portfolio', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
const id = shaped('id of the position', /^[\w-]{1,64}$/, 'an id as the positions list it', 'pos_k3J0q2mXv1Zp')
const doubles =
  'A security has one position in each account_type and currency. A second one is 409 conflict with the id of the existing position; positions are never merged.'

export const portfolioOperations = [
  operation('list_positions', 'GET /api/v1/portfolio/positions', {
    ...shared,
    summary: 'Positions of the user',
    description: 'In the order of creation. Quantities and costs keep the digits as sent. A renamed listing is shown under its current symbol.',
    question: question({ limit: pageLimit(1000, 1000, 'positions'), cursor }),
    answer: PositionsAnswer,
    cursor_key: ['count'],
  }),
  operation('add_position', 'POST /api/v1/portfolio/positions', {
    ...shared,
    success: 201,
    exact_numbers: true,
    summary: 'Creates a position',
    description: `${doubles} A symbol that no directory lists is stored as given and has no value. At most ${maxPositions} positions.`,
    body: PositionIn,
    answer: PositionOut,
    idempotency_key: true,
    example: {
      body: { ticker: 'GLPR.TO', quantity: 150.5, acb_per_share: 12.25, currency: 'CAD', account_type: 'tfsa', note: null },
    },
  }),
  operation('replace_position', 'PUT /api/v1/portfolio/positions/{id}', {
    ...shared,
    exact_numbers: true,
    summary: 'Replaces a position',
    description: `Replaces the whole position: omitted members get their defaults. ${doubles}`,
    question: question({ id }),
    body: PositionIn,
    answer: PositionOut,
    idempotency_key: true,
    example: {
      request: '/api/v1/portfolio/positions/pos_k3J0q2mXv1Zp',
      body: { ticker: 'GLPR.TO', quantity: 175.5, acb_per_share: 13.1, currency: 'CAD', account_type: 'tfsa', note: 'bought 25 more' },
    },
  }),
  operation('remove_position', 'DELETE /api/v1/portfolio/positions/{id}', {
    ...shared,
    success: 204,
    summary: 'Removes a position',
    description: 'The position is deleted. A sold position can also be replaced by one of quantity 0.',
    question: question({ id }),
    example: '/api/v1/portfolio/positions/pos_k3J0q2mXv1Zp',
  }),
  operation('import_positions', 'POST /api/v1/portfolio/positions/import', {
    ...shared,
    success: 201,
    exact_numbers: true,
    body_media: ['application/json', 'text/csv'],
    body_bytes: 4 * 1024 * 1024,
    summary: 'Creates many positions, or none',
    description: `{"positions": […]} or {"csv": "…"} as JSON, or the CSV itself as text/csv. Either all rows are accepted, or none with 422; each error has its row or line and the field. ${doubles} In an import a duplicate is an error of its row. Numbers in a CSV use a decimal point and must be unambiguous: 1,000 is refused, 1000 and 1,000.50 are accepted.`,
    body: ImportIn,
    answer: ImportAnswer,
    idempotency_key: true,
    example: {
      body: { csv: 'Symbol,Quantity,Average Cost,Currency,Account Type,Market Value\nNGP,-30,51.20,USD,margin,-1487.10\nMYFUND,100,,CAD,rrsp,\n' },
    },
  }),
  operation('get_portfolio_summary', 'GET /api/v1/portfolio/summary', {
    ...shared,
    limit_class: 'queries',
    summary: 'Market value, cost and gain of the portfolio',
    description:
      'By position, account type and currency, in exact decimals, with the price, its day and its source, and the rate with its day. Positions without a price, or without a rate to the currency, are listed separately and are excluded from all sums: unknown is never 0.',
    question: question({ currency: oneOf('currency of the values', targets, 'CAD').default('CAD') }),
    answer: SummaryAnswer,
    example: '/api/v1/portfolio/summary?currency=CAD',
  }),
] as const
