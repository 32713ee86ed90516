// A bounded queue for a scarce resource, shared fairly: an account, an address and a network each run and wait up to a share, and accounts
// take turns. Entries that waited too long or whose client disconnected are dropped.
import { Overloaded, TooMany } from '#schemas/errors.ts'
import { clientLeft, networkOf } from './hash-queue.ts'

/** For whom work is done: the account (or the key, if it has none) and the address as limits count it. */
export type Party = { readonly account: string; readonly address: string }
/** How much of one account, address or network may run and wait at a time. */
type Quota = { readonly running: number; readonly waiting: number }
export type FairQueueOptions = {
  /** The name of the queued work, in the plural, as errors print it: `checks of texts`. */
  readonly what: string
  readonly atOnce: number
  readonly waiting: number
  readonly waitMs: number
  readonly account: Quota
  readonly address: Quota
  readonly network: Quota
}
/** Waits for a turn and returns the function that ends it, which may be called twice. `party` null: work of this service, without a share. */
export type FairQueue = (party: Party | null, gone: AbortSignal) => Promise<() => void>

const retrySeconds = 5
/** Clients on this machine are proxies and tests, which send the requests of many users: their address has no limit. */
const loopback = /^(127\.|::1$|0:0:0:0::\/64$)/

type Held = { readonly name: string; readonly of: 'account' | 'address' | 'network' }
type Ticket = { readonly held: readonly Held[]; readonly begin: () => void; readonly refuse: (error: Error) => void }

/** Throws 429 at the share of an account, address or network, 503 if the queue is full or a turn did not come in time, 499 if the client left. */
export function openFairQueue(options: FairQueueOptions): FairQueue {
  const tickets: Ticket[] = []
  const running = new Map<string, number>()
  /** When an account last got a turn, by a serial number. */
  const served = new Map<string, number>()
  let [underWay, serial] = [0, 0]

  const mayRun = ({ held }: Ticket): boolean => held.every(({ name, of }) => (running.get(name) ?? 0) < options[of].running)
  const last = ({ held }: Ticket): number => served.get(held[0]?.name ?? '') ?? 0
  const waitingOf = (name: string): Ticket[] => tickets.filter(({ held }) => held.some(each => each.name === name))
  const busy = (message: string): Overloaded =>
    new Overloaded(message, { retryAfterSeconds: retrySeconds, hint: `repeat the request after ${retrySeconds} seconds` })

  function dispatch(): void {
    while (underWay < options.atOnce) {
      const able = tickets.filter(mayRun)
      const [first] = able
      if (first === undefined) break
      const next = able.reduce((best, each) => (last(each) < last(best) ? each : best), first)
      drop(next)
      take(next)
      next.begin()
    }
    if (underWay + tickets.length === 0) served.clear()
  }
  function take({ held }: Ticket): void {
    underWay += 1
    serial += 1
    for (const { name } of held) running.set(name, (running.get(name) ?? 0) + 1)
    served.set(held[0]?.name ?? '', serial)
  }
  function drop(ticket: Ticket): void {
    const at = tickets.indexOf(ticket)
    if (at >= 0) tickets.splice(at, 1)
  }
  function leave({ held }: Ticket): void {
    underWay -= 1
    for (const { name } of held) {
      const left = (running.get(name) ?? 1) - 1
      if (left > 0) running.set(name, left)
      else running.delete(name)
    }
    dispatch()
  }

  /** Makes room for one more. A full queue drops the newest of the network (or account) that has the most in it. */
  function admit(held: readonly Held[]): void {
    for (const { name, of } of held) {
      const n = waitingOf(name).length
      if (n >= options[of].waiting)
        throw new TooMany(`${n + (running.get(name) ?? 0)} ${options.what} of this ${of} are under way`, {
          retryAfterSeconds: retrySeconds,
          hint: 'send them one after another',
        })
    }
    if (tickets.length < options.waiting) return
    const widest = (each: readonly Held[]): string => each.at(-1)?.name ?? ''
    const counts = Map.groupBy(tickets, ticket => widest(ticket.held))
    const most = [...counts.values()].reduce((best, each) => (each.length > best.length ? each : best))
    if (most.length <= (counts.get(widest(held))?.length ?? 0) + 1) throw busy(`${underWay + tickets.length} ${options.what} are under way`)
    most.at(-1)?.refuse(busy(`too many ${options.what} of this network wait`))
  }

  return async (party, gone) => {
    if (gone.aborted) throw clientLeft()
    const held = party === null ? [] : sharesOf(party)
    const ticket = await new Promise<Ticket>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        gone.removeEventListener('abort', left)
      }
      const mine: Ticket = {
        held,
        begin: () => {
          end()
          resolve(mine)
        },
        refuse: error => {
          end()
          drop(mine)
          reject(error)
        },
      }
      const left = (): void => mine.refuse(clientLeft())
      const timer = setTimeout(() => mine.refuse(busy(`the request waited too long: ${underWay} ${options.what} are under way`)), options.waitMs)
      gone.addEventListener('abort', left, { once: true })
      try {
        // A request that runs immediately needs no place in the queue.
        if (underWay >= options.atOnce || !mayRun(mine)) admit(held)
        tickets.push(mine)
        dispatch()
      } catch (error) {
        mine.refuse(error as Error)
      }
    })
    let open = true
    return () => {
      if (!open) return
      open = false
      leave(ticket)
    }
  }
}

function sharesOf({ account, address }: Party): Held[] {
  const shares: Held[] = [{ name: `account ${account}`, of: 'account' }]
  if (loopback.test(address)) return shares
  return [...shares, { name: `address ${address}`, of: 'address' }, { name: `network ${networkOf(address)}`, of: 'network' }]
}
