// Calculators over a request and one or two dated rulesets. Their answers contain personal figures, so none is signed or stored.
import { blueSkyOperations } from './blue-sky.ts'
import { delistingOperations } from './delisting.ts'
import { flowThroughOperations } from './flow-through.ts'

export const complianceOperations = [...blueSkyOperations, ...delistingOperations, ...flowThroughOperations] as const
