// The mail to a captured address: only the question whether the person consents.

/** The exact consent text; stored with the consent. */
export const consentText = 'Crossfile may write to this address about its service. This can be withdrawn at any time.'

/** The target of the link; api/users/capture.ts serves it. */
const linkOf = (baseUrl: string, token: string): string => `${baseUrl}/account/email-capture?token=${token}`

export const captureText = (baseUrl: string, token: string) => ({
  kind: 'email_capture',
  subject: 'Is this your address?',
  body: `${[
    'This address was left at Crossfile. Was it you, and may we write to you? Say so here; the same link withdraws it later:',
    linkOf(baseUrl, token),
    'If that was not you, nothing needs to be done: without an answer the address is forgotten after 30 days, and nothing more is sent.',
    `Crossfile\n${baseUrl}`,
  ].join('\n\n')}\n`,
})
