// Curated themes: listings by rules that are data.
import { z } from 'zod'
import { envelope, NextCursor } from '../answer.ts'
import { InstrumentType } from '../symbols.ts'
import { Cik, Count, Currency, Exchange, Symbol, Text } from '../values.ts'
import { dataQuestion, mineral, operation, research } from './operation.ts'
import { capped, shaped, text } from './parameters.ts'

const Confidence = z.enum(['high', 'medium', 'low'])
const Theme = z.object({
  theme: Text,
  title: Text,
  description: Text,
  rules: z.array(z.object({ rule: Text, because: Text, confidence: Confidence })).describe('the rules for membership; a member matches one of them'),
  total: Count.describe('listings that match a rule'),
  count: Count.describe('members in this answer'),
  coverage: Text.nullable().describe('why there is no member; null if there is one'),
  members: z
    .array(
      z.object({
        symbol: Symbol,
        name: Text,
        exchange: Exchange,
        type: InstrumentType,
        currency: Currency,
        cik: Cik.nullable(),
        rule: Text.describe('the first matching rule of the theme'),
        because: Text,
        found: Text.nullable().describe('what the rule found, e.g. the industry code'),
      }),
    )
    .describe('by symbol'),
})
const ThemesAnswer = z.object({
  ruleset: Text,
  count: Count.describe('themes in this answer'),
  themes: z.array(Theme),
  next_cursor: NextCursor,
  ...envelope,
})

export const themeOperations = [
  operation('list_themes', 'GET /api/v1/themes', {
    tag: 'Reference',
    access: 'public',
    summary: 'The 14 curated themes and their members',
    description:
      'Themes with their rules and the first members of each; theme= returns one theme with all its members, page by page. A member matches a rule on its industry code, name, type, venue, pair or dividends: this is not a recommendation.',
    question: dataQuestion({
      theme: shaped('one theme with all its members', /^[a-z0-9-]{1,64}$/, 'the id of a theme such as canadian-banks', 'canadian-banks', raw =>
        raw.trim().toLowerCase(),
      ).optional(),
      limit: capped(1000, 'members of each theme', 25),
      cursor: text('next_cursor of the previous page of one theme', 1024, 'djE').optional(),
    }),
    answer: ThemesAnswer,
    rows: 'themes',
    data: true,
    served_from: 'page',
    freshness: '26 hours',
    cursor_key: ['text'],
    agents: [
      research('screener', 'themes', ['theme', 'limit', 'cursor']),
      mineral('mining_issuers', 'theme', ['theme'], { defaults: { theme: 'gold-silver-miners' } }),
    ],
    example: '/api/v1/themes?theme=canadian-banks',
  }),
] as const
