// The name of an issuer as a key. Managers copy the name from the SEC's list of 13(f) securities, shortened to about thirty characters and
// abbreviated (`INTL BUSINESS MACHS CORP`), or write another form; directories print it in full with the security after it.
import { cacheLimits } from './cache-limits.ts'

/** Legal forms, classes and words of the security: they distinguish securities of one issuer, not issuers. */
const dropped = new Set(
  `INC INCORPORATED CORP CORPORATION CO COMPANY COS COMPANIES LTD LIMITED LIMITEE LTEE PLC SA NV AG SE AB ASA SPA KGAA LP LLC LLP ULC THE AND OF
  DEL DELAWARE NEW COM COMMON STOCK STK SHS SHARES SHARE ORD ORDINARY ADR ADS ADRS SPONSORED SPON SPONS UNSPONSORED DEPOSITARY DEPOSITORY RECEIPT
  RECEIPTS NPV PAR VAL VALUE REG REGISTERED SUB VTG VOTING NON NONVTG SUBORDINATE SUBORDINATED LIMITED BENEFICIAL INTEREST INT ETF`.split(/\s+/),
)
const written: Readonly<Record<string, string>> = Object.fromEntries(
  `ACQ ACQUISITION;AMER AMERICA;AMERN AMERICAN;APPLN APPLICATION;ASSOC ASSOCIATES;BANCSHARES BANCSHARES;BK BANK;BKG BANKING;BLDG BUILDING;BRH BROTHERS
  BROS BROTHERS;CAP CAPITAL;CDA CANADA;CDN CANADIAN;CHEM CHEMICAL;CHEMS CHEMICALS;CMNTY COMMUNITY;COML COMMERCIAL;COMM COMMUNICATIONS;COMMS COMMUNICATIONS
  COMMUNICATION COMMUNICATIONS;CONS CONSOLIDATED;CTL CENTRAL;CTR CENTER;CTRS CENTERS;DEV DEVELOPMENT;DISTR DISTRIBUTION;ELEC ELECTRIC
  ELECTRS ELECTRONICS;ENGR ENGINEERING;ENMT ENTERTAINMENT;ENTMT ENTERTAINMENT;ENTERPRISE ENTERPRISES;ENTPR ENTERPRISES;EQUIP EQUIPMENT
  EXPL EXPLORATION;FD FUND;FDS FUNDS;FED FEDERAL;FINL FINANCIAL;FNDTN FOUNDATION;GEN GENERAL;GRP GROUP;GP GROUP;HLDG HOLDINGS;HLDGS HOLDINGS
  HOLDING HOLDINGS;HOSP HOSPITAL;IND INDUSTRIES;INDL INDUSTRIAL;INDS INDUSTRIES;INS INSURANCE;INSTR INSTRUMENTS;INSTRS INSTRUMENTS;INTL INTERNATIONAL
  INVS INVESTORS;INVT INVESTMENT;INVTS INVESTMENTS;LABS LABORATORIES;LAB LABORATORIES;LN LINE;MACHS MACHINES;MATLS MATERIALS;MED MEDICAL;MFG MANUFACTURING
  MGMT MANAGEMENT;MTN MOUNTAIN;MTNS MOUNTAINS;MTR MOTOR;MTRS MOTORS;MUN MUNICIPAL;NATL NATIONAL;NETWRK NETWORKS;NTS NOTES;PAC PACIFIC
  PETE PETROLEUM;PHARM PHARMACEUTICALS;PHARMA PHARMACEUTICALS;PHARMACEUTICAL PHARMACEUTICALS;PPTY PROPERTY;PPTYS PROPERTIES;PRODS PRODUCTS
  PRTNRS PARTNERS;PTNRS PARTNERS;PWR POWER;RES RESOURCES;RESOURCE RESOURCES;RLTY REALTY;RR RAILROAD;RY RAILWAY;SCIENTIFC SCIENTIFIC
  SEMICONDUCT SEMICONDUCTOR;SOLS SOLUTIONS;STL STEEL;STS STATES;SVC SERVICES;SVCS SERVICES;SERVICE SERVICES;SYS SYSTEMS;TECH TECHNOLOGIES
  TECHS TECHNOLOGIES;TECHNOLOGY TECHNOLOGIES;TEL TELEPHONE;TELECOMMUNICATION TELECOMMUNICATIONS;TR TRUST;TRANSN TRANSPORTATION;TRANSP TRANSPORTATION
  UN UNION;UTD UNITED;UTIL UTILITIES;WHSL WHOLESALE;WTR WATER;WKS WORKS`
    .split(/;|\n/)
    .map(pair => pair.trim().split(' ') as [string, string]),
)

const upper = (name: string): string =>
  name
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()

const keys = new Map<string, string>()
let last = { name: '', key: '' }

/**
 * The common key of the names of one issuer: capitals, abbreviations written out, without legal form, class and kind of security. `3M CO
 * COM`, `3M Company` and `3M CO` have the same key. A name that consists of such words only keeps them.
 */
export function issuerKey(name: string): string {
  // The lines of one issuer follow one another.
  if (name === last.name) return last.key
  let key = keys.get(name)
  if (key === undefined) {
    key = keyOf(name)
    if (keys.size >= cacheLimits.issuerNames) keys.clear()
    keys.set(name, key)
  }
  last = { name, key }
  return key
}

function keyOf(name: string): string {
  const plain = upper(name)
    .replace(/\/(?:[A-Z]{2,4}\/?)(?=\s|$)/g, ' ') // /DE/ after a name
    .replace(/['’.*]/g, '')
    .replace(/\bISIN#?\S*/g, ' ')
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()
  if (plain === '') return ''
  const words = plain.split(' ')
  const kept: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string
    if ((word === 'CL' || word === 'CLASS' || word === 'SER' || word === 'SERIES') && kept.length > 0 && (words[at + 1] ?? '').length <= 2) {
      at += 1
      continue
    }
    if (!dropped.has(word)) kept.push(Object.hasOwn(written, word) ? (written[word] as string) : word)
  }
  return (kept.length > 0 ? kept : words).join(' ')
}

/** The class letter that a title or name states (`CAP STK CL C`, `Class A Common Stock`, `CLA`), else an empty text. */
export function classLetter(title: string): string {
  const text = upper(title)
  return /\b(?:CLASS|CL|SER|SERIES)[ .-]*([A-Z])\b/.exec(text)?.[1] ?? /\bCL([A-Z])\b/.exec(text)?.[1] ?? ''
}
