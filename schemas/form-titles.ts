// The titles of EDGAR's form types (SEC, "Descriptions of SEC Forms" and the headings of the forms), by which a search finds filings. The
// type of an amendment ends with `/A`.

const titles: Readonly<Record<string, string>> = {
  '1-A': 'Offering statement under Regulation A',
  '1-A POS': 'Post-qualification amendment of an offering statement under Regulation A',
  '10-12B': 'Registration of a class of securities on an exchange',
  '10-12G': 'Registration of a class of securities',
  '10-D': 'Distribution report of an asset-backed issuer',
  '10-K': 'Annual report',
  '10-K405': 'Annual report',
  '10-KSB': 'Annual report of a small business issuer',
  '10-KT': 'Annual transition report',
  '10-Q': 'Quarterly report',
  '10-QSB': 'Quarterly report of a small business issuer',
  '10-QT': 'Quarterly transition report',
  '11-K': 'Annual report of an employee stock plan',
  '13F-CTR': 'Confidential treatment request of an institutional investment manager',
  '13F-HR': 'Quarterly holdings report of an institutional investment manager',
  '13F-NT': 'Quarterly holdings notice of an institutional investment manager',
  '144': 'Notice of proposed sale of securities under Rule 144',
  '15-12B': 'Termination of registration',
  '15-12G': 'Termination of registration',
  '18-K': 'Annual report of a foreign government',
  '20-F': 'Annual report of a foreign private issuer',
  '253G1': 'Offering circular under Regulation A',
  '253G2': 'Offering circular under Regulation A',
  '253G3': 'Offering circular under Regulation A',
  '253G4': 'Offering circular under Regulation A',
  '25': 'Removal from listing on an exchange',
  '25-NSE': 'Removal from listing on an exchange',
  '3': 'Initial statement of beneficial ownership of an insider',
  '4': 'Statement of changes in beneficial ownership of an insider',
  '40-F': 'Annual report of a Canadian issuer',
  '40-FR12B': 'Registration of a Canadian issuer on an exchange',
  '424A': 'Prospectus',
  '424B1': 'Prospectus',
  '424B2': 'Prospectus supplement',
  '424B3': 'Prospectus',
  '424B4': 'Prospectus of an offering that was priced',
  '424B5': 'Prospectus supplement',
  '424B7': 'Prospectus',
  '485BPOS': 'Registration statement of a fund',
  '5': 'Annual statement of beneficial ownership of an insider',
  '6-K': 'Current report of a foreign private issuer',
  '8-A12B': 'Registration of a class of securities on an exchange',
  '8-A12G': 'Registration of a class of securities',
  '8-K': 'Current report',
  '8-K12B': 'Current report of a successor issuer',
  ARS: 'Annual report to security holders',
  CORRESP: 'Correspondence with the staff',
  D: 'Notice of an exempt offering of securities',
  'DEF 14A': 'Proxy statement',
  'DEF 14C': 'Information statement',
  DEFA14A: 'Additional proxy soliciting materials',
  DEFM14A: 'Proxy statement for a merger',
  DEFC14A: 'Proxy statement in a contested solicitation',
  EFFECT: 'Notice of effectiveness',
  'F-1': 'Registration statement of a foreign private issuer',
  'F-10': 'Registration statement of a Canadian issuer',
  'F-3': 'Registration statement of a foreign private issuer',
  'F-4': 'Registration statement of a foreign private issuer for a business combination',
  FWP: 'Free writing prospectus',
  'N-CSR': 'Shareholder report of a fund',
  'NPORT-P': 'Portfolio holdings report of a fund',
  'NT 10-K': 'Notification of late annual report',
  'NT 10-Q': 'Notification of late quarterly report',
  'PRE 14A': 'Preliminary proxy statement',
  PREM14A: 'Preliminary proxy statement for a merger',
  'S-1': 'Registration statement',
  'S-11': 'Registration statement of a real estate company',
  'S-3': 'Shelf registration statement',
  'S-3ASR': 'Automatic shelf registration statement',
  'S-4': 'Registration statement for a business combination',
  'S-8': 'Registration statement of an employee stock plan',
  'SC 13D': 'Beneficial ownership report of an active holder',
  'SC 13E3': 'Going private transaction',
  'SC 13G': 'Beneficial ownership report of a passive holder',
  'SC TO-I': 'Tender offer by the issuer',
  'SC TO-T': 'Tender offer by a third party',
  'SCHEDULE 13D': 'Beneficial ownership report of an active holder',
  'SCHEDULE 13G': 'Beneficial ownership report of a passive holder',
  SD: 'Specialized disclosure report on conflict minerals',
  UPLOAD: 'Letter of the staff',
}

/** A form without the mark of an amendment. */
export const baseForm = (form: string): string => form.replace(/\/A$/, '')
const isAmendment = (form: string): boolean => form.endsWith('/A')

/** The title of the form, with `, amended` for an amendment; null for types that are not listed here. */
export function formTitle(form: string): string | null {
  const base = baseForm(form)
  const title = Object.hasOwn(titles, base) ? titles[base] : undefined
  if (title === undefined) return null
  return isAmendment(form) ? `${title}, amended` : title
}
/** Every form with a title, for searches that join them. */
export const titledForms: readonly (readonly [form: string, title: string])[] = Object.entries(titles)
