// One line of table I or II of Forms 3, 4 and 5.
import type { Fact } from '../parsed.ts'
import { child, type Element } from '../xml/xml.ts'
import { cite, dayCell, decimalCell, flag, letterCell, type Row, textCell, truth } from './cells.ts'
import { codeClass } from './codes.ts'
import { type PriceRange, priceRanges } from './footnote-facts.ts'

/** The columns that every row repeats of its filing, so that a row is complete by itself. */
export type Heading = Pick<
  Fact<'insider_holdings'>,
  'filing_id' | 'accession' | 'form' | 'issuer_cik' | 'issuer_name' | 'issuer_symbol' | 'owner_ciks' | 'owner_names'
>
const directions = ['A', 'D'] as const
const natures = ['D', 'I'] as const

/** A holding line: a position reported without a transaction. */
export function holdingOf(element: Element, heading: Heading, derivative: boolean, row: Row): Fact<'insider_holdings'> {
  const after = child(element, 'postTransactionAmounts')
  const nature = child(element, 'ownershipNature')
  const underlying = child(element, 'underlyingSecurity')
  // Footnotes next to the cells instead of in them still belong to the group, or to the whole row.
  cite(row, element, 'row')
  cite(row, after, 'post_transaction_amounts')
  cite(row, nature, 'ownership_nature')
  cite(row, underlying, 'underlying_security')
  if (element.children.length === 0) flag(row, 'empty_row')
  return {
    ...heading,
    line: row.line,
    derivative,
    security_title: textCell(row, element, 'securityTitle', 'security_title'),
    conversion_or_exercise_price: decimalCell(row, element, 'conversionOrExercisePrice', 'conversion_or_exercise_price'),
    exercise_date: dayCell(row, element, 'exerciseDate', 'exercise_date'),
    expiration_date: dayCell(row, element, 'expirationDate', 'expiration_date'),
    underlying_title: textCell(row, underlying, 'underlyingSecurityTitle', 'underlying_title'),
    underlying_shares: decimalCell(row, underlying, 'underlyingSecurityShares', 'underlying_shares'),
    underlying_value: decimalCell(row, underlying, 'underlyingSecurityValue', 'underlying_value'),
    shares_after: decimalCell(row, after, 'sharesOwnedFollowingTransaction', 'shares_after'),
    value_after: decimalCell(row, after, 'valueOwnedFollowingTransaction', 'value_after'),
    direct_or_indirect: letterCell(row, nature, 'directOrIndirectOwnership', 'direct_or_indirect', natures),
    nature_of_ownership: textCell(row, nature, 'natureOfOwnership', 'nature_of_ownership'),
    footnotes: row.citations,
    flags: row.flags,
  }
}

/** A transaction line. A missing `transactionCoding` (seen in three filings) leaves code null and the row in place. */
export function transactionOf(element: Element, heading: Heading, derivative: boolean, row: Row): Fact<'insider_transactions'> {
  const coding = child(element, 'transactionCoding')
  const amounts = child(element, 'transactionAmounts')
  cite(row, coding, 'code')
  cite(row, amounts, 'transaction_amounts')
  const holding = holdingOf(element, heading, derivative, row)
  const transactionDate = dayCell(row, element, 'transactionDate', 'transaction_date')
  const deemed = dayCell(row, element, 'deemedExecutionDate', 'deemed_execution_date')
  const formType = textCell(row, coding, 'transactionFormType', 'transaction_form_type')
  const code = textCell(row, coding, 'transactionCode', 'code')
  const swap = textCell(row, coding, 'equitySwapInvolved', 'equity_swap')
  const timeliness = textCell(row, element, 'transactionTimeliness', 'timeliness') ?? textCell(row, coding, 'transactionTimeliness', 'timeliness')
  const shares = decimalCell(row, amounts, 'transactionShares', 'shares')
  const total = decimalCell(row, amounts, 'transactionTotalValue', 'total_value')
  const price = decimalCell(row, amounts, 'transactionPricePerShare', 'price')
  const direction = letterCell(row, amounts, 'transactionAcquiredDisposedCode', 'acquired_disposed', directions)
  const range = priceRangeOf(row, price)
  if (coding === undefined) flag(row, 'missing_transaction_coding')
  else if (code === null) flag(row, 'code_missing')
  else if (codeClass(code) === 'unknown') flag(row, 'code_unknown')
  // Direction comes from the A/D cell, never from the transaction code; if the two contradict each other, both stay as filed.
  if ((code === 'P' && direction === 'D') || (code === 'S' && direction === 'A')) flag(row, 'code_against_direction')
  return {
    ...holding,
    transaction_date: transactionDate,
    deemed_execution_date: deemed,
    transaction_form_type: formType,
    code,
    code_class: codeClass(code),
    equity_swap: truth(swap),
    timeliness,
    shares,
    total_value: total,
    price,
    price_low: range?.low ?? null,
    price_high: range?.high ?? null,
    acquired_disposed: direction,
  }
}

/** The range in the price's footnotes; one in the row's other footnotes only if they mention a weighted average. */
function priceRangeOf(row: Row, price: string | null): PriceRange | null {
  const found: PriceRange[] = []
  for (const { field, text } of row.citations) {
    if (text === null || !(field === 'price' || /weighted[ -]average/i.test(text))) continue
    for (const range of priceRanges(text)) {
      if (!found.some(other => other.low === range.low && other.high === range.high)) found.push(range)
    }
  }
  const [range] = found
  if (range === undefined) return null
  if (found.length > 1) {
    flag(row, 'several_price_ranges')
    return null
  }
  if (price !== null && (Number(price) < Number(range.low) || Number(price) > Number(range.high))) flag(row, 'price_outside_range')
  return range
}
