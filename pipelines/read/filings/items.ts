// Item numbers of Form 8-K. A colon-style header prints an item's title only, a tag-style one its number (Form 8-K, and before
// 2004-08-23 the old form with items 1 to 12: SEC Release 33-8400).

const titles: readonly (readonly [string, string])[] = [
  ['1.01', 'Entry into a Material Definitive Agreement'],
  ['1.02', 'Termination of a Material Definitive Agreement'],
  ['1.03', 'Bankruptcy or Receivership'],
  ['1.04', 'Mine Safety - Reporting of Shutdowns and Patterns of Violations'],
  ['1.05', 'Material Cybersecurity Incidents'],
  ['2.01', 'Completion of Acquisition or Disposition of Assets'],
  ['2.02', 'Results of Operations and Financial Condition'],
  ['2.03', 'Creation of a Direct Financial Obligation or an Obligation under an Off-Balance Sheet Arrangement of a Registrant'],
  ['2.04', 'Triggering Events That Accelerate or Increase a Direct Financial Obligation or an Obligation under an Off-Balance Sheet Arrangement'],
  ['2.04', 'Triggering Events That Accelerate or Increase a Direct Financial Obligation under an Off-Balance Sheet Arrangement'],
  ['2.05', 'Costs Associated with Exit or Disposal Activities'],
  ['2.05', 'Cost Associated with Exit or Disposal Activities'],
  ['2.06', 'Material Impairments'],
  ['3.01', 'Notice of Delisting or Failure to Satisfy a Continued Listing Rule or Standard; Transfer of Listing'],
  ['3.02', 'Unregistered Sales of Equity Securities'],
  ['3.03', 'Material Modification to Rights of Security Holders'],
  ['3.03', 'Material Modifications to Rights of Security Holders'],
  ['4.01', "Changes in Registrant's Certifying Accountant"],
  ['4.02', 'Non-Reliance on Previously Issued Financial Statements or a Related Audit Report or Completed Interim Review'],
  ['5.01', 'Changes in Control of Registrant'],
  ['5.02', 'Departure of Directors or Principal Officers; Election of Directors; Appointment of Principal Officers'],
  [
    '5.02',
    'Departure of Directors or Certain Officers; Election of Directors; Appointment of Certain Officers: Compensatory Arrangements of Certain Officers',
  ],
  ['5.03', 'Amendments to Articles of Incorporation or Bylaws; Change in Fiscal Year'],
  ['5.04', "Temporary Suspension of Trading Under Registrant's Employee Benefit Plans"],
  ['5.05', "Amendments to the Registrant's Code of Ethics, or Waiver of a Provision of the Code of Ethics"],
  ['5.06', 'Change in Shell Company Status'],
  ['5.07', 'Submission of Matters to a Vote of Security Holders'],
  ['5.08', 'Shareholder Director Nominations'],
  ['5.08', 'Shareholder Nominations Pursuant to Exchange Act Rule 14a-11'],
  ['6.01', 'ABS Informational and Computational Material'],
  ['6.02', 'Change of Servicer or Trustee'],
  ['6.03', 'Change in Credit Enhancement or Other External Support'],
  ['6.04', 'Failure to Make a Required Distribution'],
  ['6.05', 'Securities Act Updating Disclosure'],
  ['6.06', 'Static Pool'],
  ['6.10', 'Alternative Filings of Asset-Backed Issuers'],
  ['7.01', 'Regulation FD Disclosure'],
  ['8.01', 'Other Events'],
  ['9.01', 'Financial Statements and Exhibits'],
]
const oldTitles: readonly (readonly [string, string])[] = [
  ['1', 'Changes in control of registrant'],
  ['2', 'Acquisition or disposition of assets'],
  ['3', 'Bankruptcy or receivership'],
  ['4', "Changes in registrant's certifying accountant"],
  ['5', 'Other events'],
  ['6', "Resignations of registrant's directors"],
  ['7', 'Financial statements and exhibits'],
  ['8', 'Change in fiscal year'],
  ['9', 'Regulation FD Disclosure'],
  ['10', "Amendments to the Registrant's Code of Ethics"],
  ['10', "Amendments to the Registrant's Code of Ethics, or Waiver of a Provision of the Code of Ethics"],
  ['11', "Temporary Suspension of Trading Under Registrant's Employee Benefit Plans"],
  ['12', 'Results of Operations and Financial Condition'],
]

/** Titles are compared by their letters only: the header's punctuation and capitals changed over the years. */
const letters = (title: string): string => title.toLowerCase().replace(/[^a-z]/g, '')
const table = (rows: readonly (readonly [string, string])[]) => new Map(rows.map(([number, title]) => [letters(title), number]))
const current = table(titles)
const old = table(oldTitles)

/** The number of an announced item; the header's text if it is a number already, or a title that no form lists. */
export function itemNumber(text: string, filedDate: string | null): string {
  const title = letters(text)
  const number = filedDate !== null && filedDate < '2004-08-23' ? old.get(title) : current.get(title)
  return number ?? text
}
