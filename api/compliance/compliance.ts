// The handlers of the compliance calculators.
import type { Serving } from '../serving.ts'
import { blueSkyHandlers } from './blue-sky.ts'

export function complianceHandlers(_serving: Serving) {
  return { ...blueSkyHandlers }
}
