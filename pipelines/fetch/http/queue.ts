// At most n concurrent entries per key, first come first served.

export type Gate = { readonly enter: (key: string, places: number, signal?: AbortSignal) => Promise<() => void> }

/** `enter` waits for a place and returns the function that releases it; an aborted signal leaves the queue. */
export function createGate(): Gate {
  const busy = new Map<string, number>()
  const waiting = new Map<string, Set<() => void>>()
  const leave = (key: string): void => {
    const [next] = waiting.get(key) ?? []
    const left = (busy.get(key) ?? 1) - 1
    if (next !== undefined)
      next() // the place goes to the next in the queue
    else if (left === 0) busy.delete(key)
    else busy.set(key, left)
  }
  const once = (key: string): (() => void) => {
    let given = false
    return () => {
      if (!given) leave(key)
      given = true
    }
  }
  return {
    enter: async (key, places, signal) => {
      signal?.throwIfAborted()
      const count = busy.get(key) ?? 0
      if (count < places) {
        busy.set(key, count + 1)
        return once(key)
      }
      const queue = waiting.get(key) ?? new Set()
      waiting.set(key, queue)
      return new Promise((resolve, reject) => {
        const enter = (): void => {
          queue.delete(enter)
          signal?.removeEventListener('abort', abort)
          resolve(once(key))
        }
        const abort = (): void => {
          queue.delete(enter)
          reject(signal?.reason)
        }
        queue.add(enter)
        signal?.addEventListener('abort', abort, { once: true })
      })
    },
  }
}
