// Every kind of document with macro series.
import type { Reader } from '../parsed.ts'
import { fredObservationsReader } from './fred.ts'
import { fredCsvReader } from './fred-csv.ts'
import { fredReleasesReader, fredReleaseTablesReader, fredSeriesReader, fredVintageDatesReader } from './fred-metadata.ts'
import { statcanCubeReader, statcanVectorsReader } from './statcan.ts'
import { statcanMetadataReader, statcanTableAddressReader, statcanTableReader, statcanZipReader } from './statcan-table.ts'
import { worldBankReader } from './worldbank.ts'

export const macroReaders: readonly Reader[] = [
  fredObservationsReader,
  fredSeriesReader,
  fredVintageDatesReader,
  fredReleasesReader,
  fredReleaseTablesReader,
  fredCsvReader,
  statcanVectorsReader,
  statcanCubeReader,
  statcanTableReader,
  statcanMetadataReader,
  statcanTableAddressReader,
  statcanZipReader,
  worldBankReader,
]
