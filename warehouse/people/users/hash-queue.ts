// The queue for password hashing: sign-in, reset and registration have separate queues and shares; networks and addresses take turns within
// each. A request that waited too long, or whose client disconnected, is dropped.
import { BadRequest, type CrossfileError, Overloaded, TooMany } from '#schemas/errors.ts'

/** `known`: a sign-in from a device or address that the account used before, or an act within a live session. */
export type WorkKind = 'known' | 'sign_in' | 'reset' | 'register'
export type Turn = {
  readonly kind: WorkKind
  /** IPv4 address or IPv6 /64, as limits are counted. */
  readonly address: string
  /** Aborted when the client closes its connection: its work is dropped unless it runs already. */
  readonly gone?: AbortSignal
}
export type Share = {
  /** Turns per round of all queues that are not empty. */
  readonly weight: number
  /** Computations that may wait. */
  readonly most: number
  /** Computations of one address and of one network (/24, IPv6 /48) that may run or wait. */
  readonly perAddress: number
  readonly perNetwork: number
  readonly waitMs: number
}
/**
 * Sign-ins get 16 of 19 turns, and 8 of 9 if only registrations compete, so registrations cannot starve them. The caps of sign-ins allow
 * an office behind one address to start its day; those of registrations are lower, because one person registers once. A network is what
 * one subscriber or host can fill: IPv4 /24 is the smallest announced route, IPv6 /48 what one site gets.
 */
export const shares: Readonly<Record<WorkKind, Share>> = {
  known: { weight: 8, most: 64, perAddress: 32, perNetwork: 64, waitMs: 5_000 },
  sign_in: { weight: 8, most: 64, perAddress: 16, perNetwork: 32, waitMs: 5_000 },
  reset: { weight: 2, most: 16, perAddress: 2, perNetwork: 4, waitMs: 10_000 },
  register: { weight: 1, most: 32, perAddress: 4, perNetwork: 8, waitMs: 10_000 },
}
const kinds = Object.keys(shares) as WorkKind[]
const retrySeconds = 5

/** /24 of an IPv4 address, /48 of an IPv6 /64 as `addressPartition` writes it. */
export const networkOf = (address: string): string => (address.includes(':') ? address.split(':', 3).join(':') : address.split('.', 3).join('.'))

type Worker<Input, Output> = (input: Input) => Promise<Output>
type Ticket<W> = {
  readonly turn: Turn
  readonly network: string
  readonly begin: (worker: W) => void
  readonly refuse: (error: CrossfileError) => void
}
/** A queue: what waits, what runs, and its position among the queues. */
type Line<W> = { readonly share: Share; readonly tickets: Ticket<W>[]; readonly running: Turn[]; pass: number }

/** Queues work for `workers`; each computes one input at a time. The returned function throws 429 or 503 if it drops a request. */
export function openHashQueue<Input, Output>(
  workers: readonly Worker<Input, Output>[],
  settings: Readonly<Record<WorkKind, Share>> = shares,
): (input: Input, turn: Turn) => Promise<Output> {
  type W = Worker<Input, Output>
  const free = [...workers]
  const lines = new Map<WorkKind, Line<W>>(kinds.map(kind => [kind, { share: settings[kind], tickets: [], running: [], pass: 0 }]))
  const served = new Map<string, number>()
  let serial = 0
  let position = 0

  /** The queue that is next (stride scheduling). */
  function nextLine(): Line<W> | null {
    const waiting = [...lines.values()].filter(line => line.tickets.length > 0)
    return waiting.reduce<Line<W> | null>((best, line) => (best === null || line.pass < best.pass ? line : best), null)
  }
  /** In a queue, the network and then the address that was served longest ago; first come, first served among equals. */
  function nextTicket(line: Line<W>): Ticket<W> | undefined {
    const last = (name: string): number => served.get(name) ?? 0
    const order = (a: Ticket<W>, b: Ticket<W>): number => last(a.network) - last(b.network) || last(a.turn.address) - last(b.turn.address)
    return [...line.tickets].sort(order)[0]
  }
  function dispatch(): void {
    for (let line = nextLine(); line !== null && free.length > 0; line = nextLine()) {
      const [ticket, worker] = [nextTicket(line), free.pop()]
      if (ticket === undefined || worker === undefined) return
      drop(line, ticket)
      position = line.pass
      line.pass += 1 / line.share.weight
      serial += 1
      served.set(ticket.network, serial).set(ticket.turn.address, serial)
      line.running.push(ticket.turn)
      ticket.begin(worker)
    }
    if ([...lines.values()].every(({ tickets, running }) => tickets.length + running.length === 0)) served.clear()
  }

  function wait(line: Line<W>, turn: Turn): Promise<W> {
    return new Promise((resolve, reject) => {
      const leave = (): void => ticket.refuse(clientLeft())
      const end = (): void => {
        clearTimeout(timer)
        turn.gone?.removeEventListener('abort', leave)
      }
      const ticket: Ticket<W> = {
        turn,
        network: networkOf(turn.address),
        begin(worker) {
          end()
          resolve(worker)
        },
        refuse(error) {
          end()
          drop(line, ticket)
          reject(error)
        },
      }
      const timer = setTimeout(() => ticket.refuse(tooBusy('the request waited too long for its turn')), line.share.waitMs)
      turn.gone?.addEventListener('abort', leave, { once: true })
      // A queue that was empty joins at the current position, so it accumulates no turns.
      if (line.tickets.length === 0) line.pass = Math.max(line.pass, position)
      line.tickets.push(ticket)
      dispatch()
    })
  }

  return async (input, turn) => {
    if (turn.gone?.aborted) throw clientLeft()
    const line = lines.get(turn.kind)
    if (line === undefined) throw new TypeError(`no queue is called ${turn.kind}`)
    admit(line, turn)
    const compute = await wait(line, turn)
    try {
      return await compute(input)
    } finally {
      line.running.splice(line.running.indexOf(turn), 1)
      free.push(compute)
      dispatch()
    }
  }
}

function drop<W>(line: Line<W>, ticket: Ticket<W>): void {
  const at = line.tickets.indexOf(ticket)
  if (at >= 0) line.tickets.splice(at, 1)
}

/**
 * Makes room for one more, or throws: 429 for an address or network with too many under way, 503 when the queue is full. A full queue
 * drops the newest of the network that has the most in it, so one network cannot keep the others out.
 */
function admit<W>(line: Line<W>, { address }: Turn): void {
  const { share, tickets, running } = line
  const network = networkOf(address)
  const held = [...tickets.map(ticket => ticket.turn), ...running]
  if (held.filter(turn => turn.address === address).length >= share.perAddress) throw tooManyOf('address')
  if (held.filter(turn => networkOf(turn.address) === network).length >= share.perNetwork) throw tooManyOf('network')
  if (tickets.length < share.most) return
  const counts = Map.groupBy(tickets, ticket => ticket.network)
  const [largest, most] = [...counts].reduce((best, each) => (each[1].length > best[1].length ? each : best))
  if (largest === network || most.length <= (counts.get(network)?.length ?? 0) + 1)
    throw tooBusy('too many sign-ins and registrations are in progress')
  most.at(-1)?.refuse(tooBusy('too many requests of this network are waiting'))
}

const tooBusy = (message: string): Overloaded =>
  new Overloaded(message, { retryAfterSeconds: retrySeconds, hint: `repeat the request after ${retrySeconds} seconds` })
const tooManyOf = (what: 'address' | 'network'): TooMany =>
  new TooMany(`too many requests of this ${what} that check or set a password are under way`, {
    retryAfterSeconds: retrySeconds,
    hint: 'send them one after another',
  })
/** Never delivered: the status (nginx's) is only used for counting requests. */
export const clientLeft = (): BadRequest => new BadRequest('the client closed the connection before its answer', { status: 499 })
