// Every operation that is answered from the lake, by file: what pages, signatures and reproductions may name.
import { dataOperations } from './data.ts'
import { holdingsOperations } from './holdings.ts'
import { marketOperations } from './market.ts'

export const lakeOperations = [...marketOperations, ...dataOperations, ...holdingsOperations] as const
