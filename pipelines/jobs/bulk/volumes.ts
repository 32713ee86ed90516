// Approximate volumes at EDGAR, for the cost of a backfill before any request. Orders of magnitude since 2015, counted from the full
// indexes and accurate to about a factor of two. They affect only the wording of a cost.

/** Filings a year and the size of one full submission in kB, by form. */
const forms: Readonly<Record<string, readonly [perYear: number, kilobytes: number]>> = {
  '3': [20_000, 8],
  '3/A': [1_200, 8],
  '4': [205_000, 9],
  '4/A': [6_000, 10],
  '5': [5_000, 9],
  '5/A': [200, 9],
  '13F-HR': [27_000, 250],
  '13F-HR/A': [1_600, 300],
  '13F-NT': [7_000, 5],
  '13F-NT/A': [150, 5],
  'SC 13G': [20_000, 40],
  'SC 13G/A': [32_000, 40],
  'SC 13D': [2_500, 120],
  'SC 13D/A': [6_500, 90],
  'SCHEDULE 13G': [20_000, 20],
  'SCHEDULE 13G/A': [32_000, 20],
  'SCHEDULE 13D': [2_500, 80],
  'SCHEDULE 13D/A': [6_500, 60],
  'S-1': [1_500, 4_000],
  'S-1/A': [3_300, 4_000],
  'F-1': [600, 5_000],
  'F-1/A': [1_400, 5_000],
  'S-11': [60, 4_000],
  'S-11/A': [100, 4_000],
  'F-10': [150, 800],
  'F-10/A': [80, 800],
  '424B1': [150, 3_000],
  '424B2': [60_000, 300],
  '424B3': [7_000, 900],
  '424B4': [500, 4_000],
  '424B5': [3_500, 900],
  '1-A': [350, 2_000],
  '1-A/A': [600, 2_000],
  '1-A POS': [150, 2_000],
  '253G1': [40, 1_500],
  '253G2': [700, 800],
  '10-K': [7_500, 14_000],
  '10-K/A': [1_300, 3_000],
  '10-Q': [18_500, 7_500],
  '10-Q/A': [600, 4_000],
  '20-F': [1_000, 18_000],
  '20-F/A': [150, 9_000],
  '40-F': [130, 9_000],
  '8-K': [65_000, 500],
  '8-K/A': [3_000, 600],
  '6-K': [30_000, 400],
}
const weekdaysOfAYear = 260
const kilo = 1_000

/** Filings and bytes of the forms that `wants` names, on one weekday. */
export function perWeekday(wants: (form: string) => boolean): { readonly filings: number; readonly bytes: number } {
  let filings = 0
  let bytes = 0
  for (const [form, [perYear, kilobytes]] of Object.entries(forms)) {
    if (!wants(form)) continue
    filings += perYear / weekdaysOfAYear
    bytes += (perYear / weekdaysOfAYear) * kilobytes * kilo
  }
  return { filings, bytes }
}

export const sizes = {
  dailyIndex: 900_000,
  quarterIndex: 6_000_000,
  /** A day of the feed, packed; busy days of the reporting seasons are three times this. */
  feedDay: 1_000_000_000,
  insiderDataSet: 14_000_000,
  holdingsDataSet: 85_000_000,
  submissionsArchive: 1_500_000_000,
  companyFactsArchive: 1_300_000_000,
  companiesInArchive: 19_000,
  companyFile: 4_000_000,
  /** The time to read an archive, in addition to its download. */
  submissionsHours: 3,
  companyFactsHours: 2,
} as const

/** Assumed download rate in bytes per second. */
export const bandwidth = 25_000_000
