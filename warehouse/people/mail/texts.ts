// Texts of mails about accounts, in plain text. They contain no user input, because the address may be another person's, and no subject
// contains a secret.
import type { Mail } from './enqueue.ts'

type Text = Pick<Mail, 'kind' | 'subject' | 'body'>

/** The target of links in mails; api/users/account-pages.ts serves them. */
const linkTo = (baseUrl: string, page: 'verify-email' | 'reset-password', token: string): string => `${baseUrl}/account/${page}?token=${token}`

const lines = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`
const notYou = 'If that was not you, nothing needs to be done: without the link nothing happens.'
const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
const sign = (baseUrl: string): string => `Crossfile\n${baseUrl}`

/** To an address that was registered and had no account. */
export const verifyText = (baseUrl: string, token: string): Text => ({
  kind: 'verify_email',
  subject: 'Confirm your address',
  body: lines(
    'An account at Crossfile was registered with this address. Confirm within 24 hours that it is yours:',
    linkTo(baseUrl, 'verify-email', token),
    notYou,
    sign(baseUrl),
  ),
})

/** To an address that was registered again before it was confirmed: the owner of the mailbox chooses the password. */
export const registeredAgainText = (baseUrl: string, token: string): Text => ({
  kind: 'register_again',
  subject: 'Confirm your address and choose a password',
  body: lines(
    'An account at Crossfile was registered with this address more than once, and the address was never confirmed. Within 30 minutes you can confirm it and choose a new password:',
    linkTo(baseUrl, 'reset-password', token),
    notYou,
    sign(baseUrl),
  ),
})

/** To the holder of an account whose address was submitted for registration. */
export const alreadyRegisteredText = (baseUrl: string): Text => ({
  kind: 'already_registered',
  subject: 'You have an account already',
  body: lines(
    'A registration at Crossfile was attempted with this address. It already has an account, so nothing was created or changed.',
    'If that was you, sign in with your password, or ask for a new one if you forgot it. If it was not, you do not need to do anything.',
    sign(baseUrl),
  ),
})

export const resetText = (baseUrl: string, token: string): Text => ({
  kind: 'reset_password',
  subject: 'Choose a new password',
  body: lines(
    'A new password was requested for your account at Crossfile. Choose it within 30 minutes; all devices are signed out then:',
    linkTo(baseUrl, 'reset-password', token),
    notYou,
    sign(baseUrl),
  ),
})

export const factorOnText = (baseUrl: string, at: Date): Text => ({
  kind: 'second_factor_on',
  subject: 'Your second factor was set up',
  body: lines(
    `A second factor was set up for your account at Crossfile at ${minute(at)}. From now on signing in needs a code of the authenticator app, or one of the ten recovery codes that were shown. If there was one before, its codes and recovery codes are not accepted any more.`,
    `If that was not you, set a new password immediately (${baseUrl}/developer, “Forgotten your password?”) and contact the operator of this service, who can remove the second factor.`,
    sign(baseUrl),
  ),
})

export const factorOffText = (baseUrl: string, at: Date): Text => ({
  kind: 'second_factor_off',
  subject: 'Your second factor was removed',
  body: lines(
    `The second factor of your account at Crossfile was removed at ${minute(at)}. Signing in needs the password alone.`,
    `If that was not you, set a new password immediately (${baseUrl}/developer, “Forgotten your password?”), which signs all devices out, and set the second factor up again at ${baseUrl}/account/security.`,
    sign(baseUrl),
  ),
})

export const passwordChangedText = (baseUrl: string, at: Date): Text => ({
  kind: 'password_changed',
  subject: 'Your password was changed',
  body: lines(
    `The password of your account at Crossfile was changed at ${minute(at)}, and other devices were signed out.`,
    'If that was not you, ask for a new password immediately and contact the operator of this service.',
    sign(baseUrl),
  ),
})
