// Names for the lines of financial tables, by label or XBRL concept. A label without a rule keeps its text.

type Rule = readonly [name: string, label: RegExp]
const sign = '(?:\\(?(?:loss|income|profit|earnings|deficit)\\)?(?:\\s*(?:\\/|and)?\\s*\\(?(?:loss|income|profit|earnings)\\)?)?)'
const rules: readonly Rule[] = [
  ['adjusted_ebitda', /\badjusted ebitda\b(?!.*margin)/i],
  ['ebitda', /^ebitda\b(?!.*margin)/i],
  ['free_cash_flow', /\bfree cash flow\b/i],
  ['funds_from_operations', /^(?:adjusted )?(?:funds from operations|a?ffo)\b/i],
  ['weighted_shares_diluted', /^(?!.*\bbasic\b).*\bweighted[- ]average\b.*\b(?:shares|units|stock)\b.*\bdiluted\b/i],
  ['weighted_shares', /\bweighted[- ]average\b.*\b(?:shares|units|stock)\b/i],
  [
    'eps_diluted',
    /^(?!.*\bbasic\b).*\bper (?:ordinary |common |class [a-z] )?(?:share|unit|ads)\b.*\bdiluted\b|^diluted (?:net )?(?:loss|earnings|income).*\bper\b/i,
  ],
  [
    'eps',
    /^(?:basic (?:and diluted )?)?(?:pro forma )?(?:net )?(?:\(?loss\)?|income|earnings).*\bper (?:ordinary |common |class [a-z] )?(?:share|unit|ads)\b/i,
  ],
  ['book_value_per_share', /\bbook value per\b/i],
  [
    'net_income_to_common',
    new RegExp(`^net ${sign}.*\\b(?:attributable|available|applicable) to (?:common|ordinary|.*stockholders|.*shareholders)`, 'i'),
  ],
  [
    'net_income',
    new RegExp(
      `^(?:consolidated )?net ${sign}$|^(?:profit|loss|\\(?loss\\)?/?profit).{0,14}for the (?:year|period)|^net ${sign} and comprehensive`,
      'i',
    ),
  ],
  ['comprehensive_income', /^(?:total )?comprehensive (?:income|loss|\(loss\))/i],
  ['operating_income', /^(?:total )?(?:operating (?:income|loss|profit|\(loss\))|(?:income|loss|\(loss\)|profit).{0,20}\bfrom operations\b)/i],
  ['gross_profit', /^gross (?:profit|margin|\(loss\)|loss)\b(?!.*%)/i],
  ['cost_of_revenue', /^(?:total )?costs? of (?:revenues?|sales|goods sold|products? sold)\b/i],
  [
    'operating_expenses',
    /^total (?:operating |costs and )?(?:expenses|costs)(?: and expenses)?$|^total operating (?:costs|expenses)|^operating expenses$/i,
  ],
  ['research_and_development', /^research (?:and|&) development/i],
  ['selling_general_administrative', /^selling,? (?:and )?general,? (?:and|&) administrative|^sales,? general (?:and|&) administrative/i],
  ['general_and_administrative', /^general (?:and|&) administrative/i],
  ['sales_and_marketing', /^(?:sales|selling) (?:and|&) marketing/i],
  ['net_interest_income', /^net interest income$/i],
  ['interest_expense', /^interest expense/i],
  ['income_before_tax', /\bbefore (?:provision for |benefit from )?(?:income )?tax(?:es)?\b/i],
  ['income_tax', /^(?:provision for |benefit from |\(?benefit\)? ?(?:from )?|income )?(?:income )?tax(?:es)?(?: expense| provision| benefit)?\b/i],
  ['revenue', /^(?:total )?(?:net )?(?:revenues?|sales)(?:,? net)?$|^total (?:net )?(?:operating )?revenues?/i],
  [
    'cash',
    /^cash(?:,? (?:and )?cash equivalents?)?(?:,? (?:and )?(?:restricted cash|marketable securities|short-term investments))?\b(?!.*(?:used|provided|flows?|paid|dividends?))/i,
  ],
  ['working_capital', /^(?:net )?working capital(?: \(?deficit\)?| \(?deficiency\)?)?/i],
  ['total_assets', /^total assets$/i],
  ['total_current_assets', /^total current assets$/i],
  ['total_current_liabilities', /^total current liabilities$/i],
  ['total_liabilities', /^total liabilities$/i],
  ['total_debt', /^(?:total (?:debt|indebtedness|borrowings)|long-term debt|total long-term debt)\b/i],
  ['accumulated_deficit', /^(?:accumulated (?:deficit|loss(?:es)?)\b)/i],
  ['retained_earnings', /^retained (?:earnings|deficit)/i],
  ['convertible_preferred', /^(?:redeemable )?convertible (?:redeemable )?preferred (?:stock|shares)/i],
  [
    'total_equity',
    /^total (?:members['’]?|stockholders['’]?|shareholders['’]?|partners['’]?|unitholders['’]?|owners['’]?)?\s*\(?(?:equity|deficit|capital|deficiency)\)?(?![a-z])/i,
  ],
  ['total_equity', /^(?:total )?(?:stockholders|shareholders|members|partners)['’]?s?['’]? \(?(?:equity|deficit)\)?/i],
  ['total_capitalization', /^total capitali[sz]ation/i],
  ['operating_cash_flow', /\bcash (?:flows? )?(?:\(?(?:used in|provided by|from)\)?[\s/,]*)+(?:\(?used in\)? )?operati(?:ng|ons)/i],
]
const concepts: Readonly<Record<string, string>> = {
  Revenues: 'revenue',
  RevenueFromContractWithCustomerExcludingAssessedTax: 'revenue',
  Revenue: 'revenue',
  CostOfRevenue: 'cost_of_revenue',
  CostOfSales: 'cost_of_revenue',
  GrossProfit: 'gross_profit',
  ResearchAndDevelopmentExpense: 'research_and_development',
  GeneralAndAdministrativeExpense: 'general_and_administrative',
  SellingGeneralAndAdministrativeExpense: 'selling_general_administrative',
  OperatingExpenses: 'operating_expenses',
  OperatingIncomeLoss: 'operating_income',
  ProfitLossFromOperatingActivities: 'operating_income',
  IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest: 'income_before_tax',
  ProfitLossBeforeTax: 'income_before_tax',
  IncomeTaxExpenseBenefit: 'income_tax',
  NetIncomeLoss: 'net_income',
  ProfitLoss: 'net_income',
  NetIncomeLossAvailableToCommonStockholdersBasic: 'net_income_to_common',
  EarningsPerShareBasic: 'eps',
  EarningsPerShareBasicAndDiluted: 'eps',
  BasicEarningsLossPerShare: 'eps',
  EarningsPerShareDiluted: 'eps_diluted',
  DilutedEarningsLossPerShare: 'eps_diluted',
  WeightedAverageNumberOfSharesOutstandingBasic: 'weighted_shares',
  WeightedAverageNumberOfDilutedSharesOutstanding: 'weighted_shares_diluted',
  CashAndCashEquivalentsAtCarryingValue: 'cash',
  CashAndCashEquivalents: 'cash',
  AssetsCurrent: 'total_current_assets',
  Assets: 'total_assets',
  LiabilitiesCurrent: 'total_current_liabilities',
  Liabilities: 'total_liabilities',
  LongTermDebt: 'total_debt',
  RetainedEarningsAccumulatedDeficit: 'accumulated_deficit',
  StockholdersEquity: 'total_equity',
  Equity: 'total_equity',
  NetCashProvidedByUsedInOperatingActivities: 'operating_cash_flow',
  CashFlowsFromUsedInOperatingActivities: 'operating_cash_flow',
}

/** Footnote marks and `pro forma` are removed before a label is compared. */
export function lineItemOf(label: string): string | null {
  const plain = label
    .replace(/\s*\((?:\d{1,2}|[a-z])\)/g, '')
    .replace(/^pro forma (?:as adjusted )?/i, '')
    .replace(/[\s:.…]+$/, '')
    .trim()
  return rules.find(([, pattern]) => pattern.test(plain))?.[0] ?? null
}
/** Of a concept's local name, US GAAP or IFRS. */
export const lineItemOfConcept = (concept: string): string | null => (Object.hasOwn(concepts, concept) ? (concepts[concept] ?? null) : null)
export const isNonGaap = (label: string): boolean =>
  /\bebitda\b|\bnon-(?:gaap|ifrs)\b|\badjusted (?:net|operating|gross|earnings|eps)|\bfree cash flow\b|\bfunds from operations\b|\ba?ffo\b|\bconstant currency\b/i.test(
    label,
  )
