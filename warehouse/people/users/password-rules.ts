// Rules for a new password: long, and not among those guessed first. No rules about kinds of characters (NIST SP 800-63B).
import { BadRequest } from '#schemas/errors.ts'
import { isGuessable } from './guessable.ts'

const passwordLength = { least: 12, most: 256 } as const

/** Throws 422 with the member named; `own`: known facts about the person, which attackers try too. */
export function checkNewPassword(password: string, member: 'password' | 'new_password', own: readonly string[]): void {
  const length = [...password.normalize('NFC')].length
  if (length < passwordLength.least || length > passwordLength.most)
    throw refused(
      member,
      `a password has ${passwordLength.least} to ${passwordLength.most} characters`,
      'three or four unrelated words are good and long',
    )
  if (isGuessable(password, own))
    throw refused(
      member,
      'this password is easy to guess: it is made of common words, names, years or keyboard rows',
      'use three or four unrelated words, or a password manager',
    )
}

function refused(member: string, msg: string, hint: string): BadRequest {
  return new BadRequest(msg, { status: 422, code: 'validation_error', hint, items: [{ loc: ['body', member], msg, type: 'custom' }] })
}
