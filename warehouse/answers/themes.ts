// Curated themes with their members, each with the rule that it matched.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { type Built, effectiveInstant, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { findMembers, issuerOrigins, type Member, type ThemeMembers } from '../datasets/themes/themes.ts'
import { easternDay } from '../rules/arb/market-hours.ts'
import { themeRules } from '../rulesets/themes/rules.ts'
import { themeDatasets, themesPage } from './paged/themes.ts'
import type { Answers, QuestionOf } from './types.ts'

const printedMember = ({ line, cik, rule, found }: Member): object => ({
  symbol: line.symbol,
  name: line.issuer ?? line.name,
  exchange: line.exchange,
  type: line.type,
  currency: line.currency,
  cik,
  rule: rule.rule,
  because: rule.because,
  found,
})

function printedTheme({ theme, members, listings }: ThemeMembers, shown: readonly Member[]): object {
  return {
    theme: theme.id,
    title: theme.title,
    description: theme.description,
    rules: theme.rules.map(({ rule, because, confidence }) => ({ rule, because, confidence })),
    total: members.length,
    count: shown.length,
    coverage:
      members.length > 0 ? null : listings === 0 ? 'no directory of listings is loaded' : `none of ${listings} listings fits a rule of the theme`,
    members: shown.map(printedMember),
  }
}

/** All themes with their first members, or one with a page of them; throws `NotFound` for a theme that the ruleset does not have. */
async function buildThemes(context: ReleaseContext, question: QuestionOf<'list_themes'>): Promise<Built> {
  const { lake } = context
  const { theme, limit, cursor } = question
  const asOf = question.as_of ?? null
  if (theme !== undefined && !themeRules.themes.some(each => each.id === theme))
    throw new NotFound(`no theme is called ${theme}`, { hint: `themes: ${themeRules.themes.map(each => each.id).join(', ')}` })
  if (theme === undefined && cursor !== undefined)
    throw new BadRequest('cursor goes on in one theme', { hint: 'name the theme that gave next_cursor, or leave cursor out' })
  const filters = { theme }
  const after = cursor === undefined ? '' : String(decodeCursor(cursor, 'list_themes', filters).after[0] ?? '')
  const all = await findMembers(context, easternDay(effectiveInstant(asOf, lake.versionOf(themeDatasets))), asOf)
  const requested = all.filter(each => theme === undefined || each.theme.id === theme)
  const pages = requested.map(each => ({ each, rest: each.members.filter(({ line }) => line.symbol > after) }))
  const shown = pages.map(({ each, rest }) => ({ each, page: rest.slice(0, limit) }))
  const [only] = theme === undefined ? [] : pages
  const last = only?.rest[limit - 1]
  const rows = shown.flatMap(({ page }) => page.flatMap(member => member.rows))
  return {
    body: {
      ruleset: themeRules.ruleset,
      count: requested.length,
      themes: shown.map(({ each, page }) => printedTheme(each, page)),
      next_cursor:
        last && only && only.rest.length > limit
          ? encodeCursor('list_themes', filters, lake.versionOf(themeDatasets).release, [last.line.symbol])
          : null,
    },
    sources: upstreamSources(rows),
    // Totals count every member, so a receipt lists the evidence for each of them.
    origins: async () => {
      const members = requested.flatMap(each => each.members)
      return originsOf([...members.flatMap(member => member.rows), ...(await issuerOrigins(lake, members))])
    },
    datasets: themeDatasets,
  }
}

export const themeAnswers = {
  list_themes: { build: buildThemes, page: themesPage },
} satisfies Answers
