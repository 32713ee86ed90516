// Text that a user writes: notes, names of accounts, tags. Text that a database or a page cannot contain is refused, not changed.
import { z } from 'zod'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Text of at most `max` characters, without control characters except line breaks and tabs. */
export const plainText = (max: number) =>
  z
    .string()
    .max(max)
    .refine(text => text.isWellFormed() && !control.test(text), 'expected text without control characters')
