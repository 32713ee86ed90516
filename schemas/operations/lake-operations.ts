// Every operation that is answered from the lake, by file: what pages, signatures and reproductions may name.
import { beneficialOwnershipOperations } from './beneficial-ownership.ts'
import { dataOperations } from './data.ts'
import { fundamentalsOperations } from './fundamentals.ts'
import { holdingsOperations } from './holdings.ts'
import { marketOperations } from './market.ts'

export const lakeOperations = [...marketOperations, ...dataOperations, ...holdingsOperations, ...beneficialOwnershipOperations, ...fundamentalsOperations] as const
