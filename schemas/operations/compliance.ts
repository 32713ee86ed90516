// Calculators over what is posted and a dated ruleset, or two: their answers carry personal figures, so that none is signed or kept.
import { blueSkyOperations } from './blue-sky.ts'
import { delistingOperations } from './delisting.ts'
import { flowThroughOperations } from './flow-through.ts'

export const complianceOperations = [...blueSkyOperations, ...delistingOperations, ...flowThroughOperations] as const
