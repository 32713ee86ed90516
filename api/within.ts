// A bound on waiting.

/** The result of a promise, or the error of `late` after `ms` milliseconds; the promise itself goes on. */
export async function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(late()), ms)
      }),
    ])
  } finally {
    clearTimeout(timer)
  }
}
