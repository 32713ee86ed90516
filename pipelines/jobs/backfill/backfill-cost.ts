// The cost of a backfill before it starts: each available route over the whole range, and those that are taken.
import type { BackfillPlan } from './backfill-plan.ts'

export type Costs = {
  readonly routes: readonly {
    readonly route: string
    readonly from: string | null
    readonly to: string | null
    readonly requests: number
    readonly bytes: number
    readonly hours: number
    readonly note: string
  }[]
  readonly taken: readonly {
    readonly route: string
    readonly from: string
    readonly to: string
    readonly requests: number
    readonly bytes: number
    readonly hours: number
  }[]
}

/** Every route with its cost for the part of the range that it covers. `from` null: it covers none of it. */
export function costsOf({ routes, segments, from, to, symbols }: BackfillPlan, today: string): Costs {
  return {
    routes: routes.map(route => {
      const [part] = route.covers({ from, to, symbols }, today)
      const cost = part ? route.cost(part) : { requests: 0, bytes: 0, hours: 0 }
      return { route: route.name, from: part?.from ?? null, to: part?.to ?? null, ...cost, note: route.note }
    }),
    taken: segments.map(({ route, range, cost }) => ({ route: route.name, from: range.from, to: range.to, ...cost })),
  }
}
