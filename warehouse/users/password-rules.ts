// What a new password has to be: long, and none that is guessed first. No rules about kinds of characters (NIST SP 800-63B).
import { BadRequest } from '#schemas/errors.ts'
import { isGuessable } from './guessable.ts'

export const passwordLength = { least: 12, most: 256 } as const

/** Throws 422 with the member named; `own`: what is known of the person, which others try too. */
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
      'this password is among the first that are tried: it is made of common words, names, years or keyboard rows',
      'take three or four unrelated words, or let a password manager make it',
    )
}

function refused(member: string, msg: string, hint: string): BadRequest {
  return new BadRequest(msg, { status: 422, code: 'validation_error', hint, items: [{ loc: ['body', member], msg, type: 'custom' }] })
}
