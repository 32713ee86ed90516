// Text that a person writes: notes, names of accounts, tags. What a database or a page cannot hold is refused, never repaired in silence.
import { z } from 'zod'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Text of at most so many characters, without control characters but line breaks and tabs. */
export const plainText = (max: number) =>
  z
    .string()
    .max(max)
    .refine(text => text.isWellFormed() && !control.test(text), 'expected text without control characters')
