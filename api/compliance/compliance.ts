// The handlers of the compliance calculators.
import type { Serving } from '../serving.ts'
import { blueSkyHandlers } from './blue-sky.ts'
import { flowThroughHandlers } from './flow-through.ts'

export function complianceHandlers(_serving: Serving) {
  return { ...blueSkyHandlers, ...flowThroughHandlers }
}
