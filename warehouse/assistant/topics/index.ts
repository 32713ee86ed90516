// The register of topics with their functions.
import type { Topic } from '../lexicon.ts'
import { dividends, dividendTax, splits } from './actions.ts'
import { blueSky, delisting, drill, flowThrough, purification, sharia } from './calculators.ts'
import { calls as concalls } from './concalls.ts'
import { analysts, lineItem, screen, statistic } from './figures.ts'
import { filings, news, reportCalendar, reportDate, riskChanges } from './filings.ts'
import { economicCalendar, ipoCalendar, macro, offering, otherLine, pairs, spread } from './macro.ts'
import { activists, holders, insiderClusters, insiders, manager, managerChanges, managers, passive } from './ownership.ts'
import { history, intraday, price, revisions, whyMoved, worth } from './prices.ts'
import { definition, help, listing, marketHours, overview, receipt, status, themes } from './reference.ts'
import { advice, forecast, outOfScope, personal, write } from './refusals.ts'
import type { TopicAnswer } from './topic.ts'

export const topics: { readonly [Each in Topic]: TopicAnswer } = {
  price,
  history,
  why_moved: whyMoved,
  statistic,
  line_item: lineItem,
  report_date: reportDate,
  report_calendar: reportCalendar,
  dividends,
  splits,
  dividend_tax: dividendTax,
  insiders,
  insider_clusters: insiderClusters,
  holders,
  manager,
  manager_changes: managerChanges,
  managers,
  risk_changes: riskChanges,
  filings,
  offering,
  ipo_calendar: ipoCalendar,
  economic_calendar: economicCalendar,
  macro,
  screen,
  spread,
  pairs,
  other_line: otherLine,
  sharia,
  purification,
  drill,
  flow_through: flowThrough,
  blue_sky: blueSky,
  delisting,
  analysts,
  activists,
  concalls,
  passive,
  listing,
  market_hours: marketHours,
  themes,
  news,
  receipt,
  revisions,
  worth,
  overview,
  intraday,
  status,
  help,
  definition,
  advice,
  forecast,
  write,
  personal,
  out_of_scope: outOfScope,
}
