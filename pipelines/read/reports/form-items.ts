// The items of each form in order, with the titles that identify them (Forms 10-K, 10-KSB, 10-Q, 20-F; Regulation S-K). A title is written
// as its letters only; a `*` after it means that more words of the title follow.

export type Part = 'I' | 'II' | 'III' | 'IV'
export type ItemSlot = {
  readonly part: Part | null
  readonly item: string
  /** Position in the form. */
  readonly order: number
  readonly titles: readonly string[]
}
export type FormItems = {
  readonly slots: readonly ItemSlot[]
  /** By the letters and digits of the number only: `1A`, `3D`. */
  readonly byNumber: ReadonlyMap<string, readonly ItemSlot[]>
  /** Headings have numbers of the filer (`5.2 Risk Factors`, `D. Risk factors`), which have no meaning here. */
  readonly ownNumbers: boolean
}

type Line = readonly [part: Part | null, item: string, titles: string]

function formOf(lines: readonly Line[], ownNumbers = false): FormItems {
  const slots = lines.map(([part, item, titles], order) => ({ part, item, order, titles: titles.split(' ') }))
  const byNumber = new Map<string, ItemSlot[]>()
  for (const slot of slots) {
    const number = slot.item.replace('.', '')
    byNumber.set(number, [...(byNumber.get(number) ?? []), slot])
  }
  return { slots, byNumber, ownNumbers }
}

const risk =
  'riskfactors riskfactor certainriskfactors ourriskfactors principalriskfactors summaryofriskfactors* risks risksand* risksrelat* certainrisks* factorsthat* factorsaffecting* certainfactors* importantfactors*'
const market =
  'marketforregistrantscommonequityandrelatedstockholdermatters marketfortheregistrantscommonequityandrelatedstockholdermatters marketforregistrantscommonequityrelatedstockholdermattersandissuerpurchasesofequitysecurities marketfor* marketprice* marketinformation* marketofthe* marketsfor* market*'
const discussion =
  'managementsdiscussionandanalysisoffinancialconditionandresultsofoperations managementsdiscussionandanalysis managementsdiscussionandanalysisof* managementsdiscussion* managementdiscussion* managementdiscussionand* discussionand* planofoperation* operatingandfinancialreview*'
const marketRisk =
  'quantitativeandqualitativedisclosuresaboutmarketrisk quantitativeandqualitativedisclosureaboutmarketrisk quantitativeand* qualitativeand* quantitativedisclos* disclosuresaboutmarketrisk disclosureaboutmarketrisk marketrisk*'
const statements =
  'financialstatementsandsupplementarydata financialstatements* consolidatedfinancialstatements* financialinformation* financialstatement* auditedfinancialstatements*'
const changes = 'changesinanddisagreementswithaccountantsonaccountingandfinancialdisclosure changesin* changeinand* changesandd* disagreements*'
const controls = 'controlsandprocedures controlsandprocedure disclosurecontrols* controls* evaluationof*'
const directors =
  'directorsandexecutiveofficersoftheregistrant directorsexecutiveofficersandcorporategovernance directors* executiveofficers* directorsand*'
const ownership =
  'securityownershipofcertainbeneficialownersandmanagement securityownershipofcertainbeneficialownersandmanagementandrelatedstockholdermatters securityownershipofcertainbeneficialownersandmanagementandrelatedshareholdermatters securityownership* beneficialownership* securitiesownership* ownershipof*'
const relationships =
  'certainrelationshipsandrelatedtransactions certainrelationshipsandrelatedtransactionsanddirectorindependence certainrelationship* relationships* relatedparty* certaintransactions* transactionswith* certainrelated*'
const accountant =
  'principalaccountantfeesandservices principalaccountingfeesandservices principalaccount* principleaccount* auditfees* independentregistered* accountantfees* independentaud*'
const exhibits =
  'exhibits exhibit exhibitsandfinancialstatementschedules exhibitsfinancialstatementschedules exhibitsfinancialstatementschedulesandreportsonform8k exhibitsandreportsonform8k exhibits* exhibit* financialstatementschedules*'
const mine =
  'minesafetydisclosures submissionofmatterstoavoteofsecurityholders minesafety* submissionof* submissionofmatterstovoteofsecurityholders removedandreserved removed reserved submissions* executiveofficers* votingof*'
const property = 'properties property descriptionofpropert* descriptionofthepropert* propertiesand* realestate* ourproperties'

const annual = formOf([
  ['I', '1', 'business descriptionofbusiness descriptionofthebusiness ourbusiness generaldevelopment* descriptionof* general thecompany business*'],
  ['I', '1A', risk],
  ['I', '1B', 'unresolvedstaffcomments unresolvedstaff* unresolvedsec* unresolvedcomments*'],
  ['I', '1C', 'cybersecurity cybersecurity* cyber*'],
  ['I', '2', property],
  ['I', '3', 'legalproceedings legalproceeding legalmatters legal*'],
  ['I', '4', mine],
  ['I', '4A', 'executiveofficers* submissionof*'],
  ['II', '5', market],
  [
    'II',
    '6',
    'selectedfinancialdata selectedconsolidatedfinancialdata selectedfinancial* selectedconsolidated* selected* reserved removedandreserved removed consolidatedselected* summaryof*',
  ],
  ['II', '7', discussion],
  ['II', '7A', marketRisk],
  ['II', '8', statements],
  ['II', '9', changes],
  ['II', '9A', controls],
  ['II', '9B', 'otherinformation other*'],
  ['II', '9C', 'disclosureregardingforeignjurisdictionsthatpreventinspections disclosureregarding* disclosuresregarding* disclosureof*'],
  ['III', '10', directors],
  ['III', '11', 'executivecompensation executivecompensation* compensationof* managementcompensation* remuneration* executive*'],
  ['III', '12', ownership],
  ['III', '13', relationships],
  ['III', '14', `${accountant} ${controls}`],
  ['IV', '15', `${exhibits} ${accountant}`],
  ['IV', '16', 'form10ksummary form10k* summary* formksummary* formk* exhibits*'],
  // The number of the exhibits before 2003.
  ['IV', '14', exhibits],
])

/** Form 10-KSB, withdrawn in 2009, has other numbers from item 6 on. */
const smallBusiness = formOf([
  ['I', '1', 'descriptionofbusiness* business* descriptionofthebusiness* ourbusiness* general'],
  ['I', '1A', risk],
  ['I', '1B', 'unresolvedstaff*'],
  ['I', '2', property],
  ['I', '3', 'legalproceedings legalproceeding legal*'],
  ['I', '4', mine],
  ['II', '5', market],
  ['II', '6', `${discussion} selected*`],
  ['II', '7', `${statements} ${discussion}`],
  ['II', '8', `${changes} ${statements}`],
  ['II', '8A', `${controls} ${changes}`],
  ['II', '8B', 'otherinformation other*'],
  ['III', '9', `${directors} ${changes}`],
  ['III', '10', `executivecompensation* compensation* ${directors}`],
  ['III', '11', `${ownership} executivecompensation*`],
  ['III', '12', `${relationships} ${ownership}`],
  ['III', '13', `${exhibits} ${relationships}`],
  ['III', '14', `${accountant} ${controls} ${exhibits}`],
])

const quarterly = formOf([
  ['I', '1', `${statements} condensed* unaudited* interim*`],
  ['I', '1A', risk],
  ['I', '2', discussion],
  ['I', '3', `${marketRisk} notapplicable`],
  ['I', '4', controls],
  ['I', '4T', controls],
  ['II', '1', 'legalproceedings legalproceeding legalmatters legal*'],
  ['II', '1A', risk],
  [
    'II',
    '2',
    'unregisteredsalesofequitysecuritiesanduseofproceeds unregisteredsalesofequitysecurities changesinsecuritiesanduseofproceeds changesinsecurities unregisteredsale* changesinsecurities* issuerpurchase* purchasesofequity* changeinsecurities* salesofunregistered* recentsales* repurchase*',
  ],
  ['II', '3', 'defaultsuponseniorsecurities defaultsupon* defaultupon* defaults*'],
  ['II', '4', mine],
  ['II', '5', 'otherinformation other*'],
  ['II', '6', exhibits],
])

const foreign = formOf(
  [
    [null, '1', 'identityofdirectorsseniormanagementandadvisers identityofdirectorsseniormanagementandadvisors identityof*'],
    [null, '2', 'offerstatisticsandexpectedtimetable offerstatistics*'],
    [null, '3', 'keyinformation keyinformation*'],
    [null, '3.D', risk],
    [null, '4', 'informationonthecompany informationon* informationabout* informationofthe* descriptionofbusiness*'],
    [null, '4A', 'unresolvedstaff*'],
    [null, '5', 'operatingandfinancialreviewandprospects operatingandfinancial* operatingfinancial*'],
    [null, '6', 'directorsseniormanagementandemployees directorssenior* directorsand* directors*'],
    [null, '7', 'majorshareholdersandrelatedpartytransactions majorshareholders* majorstockholders*'],
    [null, '8', 'financialinformation financialinformation*'],
    [null, '9', 'theofferandlisting theoffer* offerandlisting* listing*'],
    [null, '10', 'additionalinformation additionalinformation*'],
    [null, '11', marketRisk],
    [null, '12', 'descriptionofsecuritiesotherthanequitysecurities descriptionofsecurities* descriptionof*'],
    [null, '13', 'defaultsdividendarrearagesanddelinquencies defaultsdividend* defaults*'],
    [null, '14', 'materialmodification*'],
    [null, '15', `${controls} reserved reservedforfuture* defaultsupon*`],
    [null, '16', 'reserved reservedforfuture* changesinsecurities*'],
    [null, '16A', 'auditcommitteefinancial* auditcommittee*'],
    [null, '16B', 'codeofethics*'],
    [null, '16C', accountant],
    [null, '16D', 'exemptionsfrom* exemption*'],
    [null, '16E', 'purchasesof* purchaseof*'],
    [null, '16F', 'changein* changesin*'],
    [null, '16G', 'corporategovernance*'],
    [null, '16H', 'minesafety*'],
    [null, '16I', 'disclosureregarding*'],
    [null, '16J', 'insidertrading*'],
    [null, '16K', 'cybersecurity*'],
    [null, '17', 'financialstatements* consolidatedfinancial*'],
    [null, '18', 'financialstatements* consolidatedfinancial*'],
    [null, '19', 'exhibits exhibits* exhibit* financialstatementsandexhibit* financialstatementsexhibit*'],
  ],
  true,
)

/** The annual information form, an exhibit of Form 40-F, has sections by National Instrument 51-102F2; item 5.2 is its risk factors. */
const informationForm = formOf([[null, 'risk_factors', risk]], true)

/** The items of a form; null if this reader does not number the form (8-K: current.ts). */
export function itemsOfForm(form: string): FormItems | null {
  const type = form.toUpperCase()
  if (/^10-?KSB/.test(type)) return smallBusiness
  if (/^10-?K(?!T?SB)/.test(type)) return annual
  if (/^10-?Q/.test(type)) return quarterly
  if (/^20-?F/.test(type)) return foreign
  return /^(?:40-?F|AIF)/.test(type) ? informationForm : null
}

/**
 * The end of one of these titles in a text that begins with it. Only letters are compared, so that `RIS K FACTORS` (an anchor inside the
 * word) and `Registrant’s` match. The longest one; `whole`: no more words of the title need follow.
 */
export function titleIn(text: string, titles: readonly string[]): { readonly end: number; readonly whole: boolean } | null {
  let best: { end: number; whole: boolean } | null = null
  for (const title of titles) {
    const partial = title.endsWith('*')
    const end = lettersEnd(text, partial ? title.slice(0, -1) : title)
    if (end < 0) continue
    // A complete title ends at the end of a word: `Business` is not the beginning of `Businesses`.
    if (!partial && isLetter(text.charCodeAt(end))) continue
    if (best === null || end > best.end || (end === best.end && !partial)) best = { end, whole: !partial }
  }
  return best
}

function lettersEnd(text: string, letters: string): number {
  let matched = 0
  // There are few blanks, dashes and marks between the letters; a text of marks only is not a title.
  const limit = Math.min(text.length, letters.length * 2 + 40)
  for (let at = 0; at < limit; at += 1) {
    const code = text.charCodeAt(at)
    const lower = code >= 65 && code <= 90 ? code + 32 : code
    const counts = (lower >= 97 && lower <= 122) || (lower >= 48 && lower <= 57)
    if (!counts) continue
    if (lower !== letters.charCodeAt(matched)) return -1
    matched += 1
    if (matched === letters.length) return at + 1
  }
  return -1
}

export const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || (code >= 0xc0 && code <= 0x24f)
