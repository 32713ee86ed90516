// The handlers of the compliance calculators.
import type { Serving } from '../serving.ts'
import { blueSkyHandlers } from './blue-sky.ts'
import { delistingHandlers } from './delisting.ts'
import { flowThroughHandlers } from './flow-through.ts'

export function complianceHandlers(serving: Serving) {
  return { ...blueSkyHandlers, ...delistingHandlers(serving), ...flowThroughHandlers }
}
