// `crossfile outbox`: waiting, sent and given-up mail. Without a mail server, its links are read here.
import { NotFound } from '#schemas/errors.ts'
import { findMail, listMail, retryMail } from '#warehouse/people/mail/outbox.ts'
import { oneOf, readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, facts, moment, paintState, printJson, printTable, relative, some } from './output.ts'

const states = ['waiting', 'sent', 'given_up', 'all'] as const
const idOf = (text: string): number => wholeNumber('ID', text, { from: 1, to: 999_999_999, otherwise: 0 })

export async function outbox(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('outbox', commands.outbox.options, argv)
  const state = values.state === undefined ? 'all' : oneOf('--state', values.state, states)
  const limit = wholeNumber('--limit', values.limit, { from: 1, to: 10_000, otherwise: 20 })
  const mails = await withDatabase(io, { write: false }, ({ db }) => listMail(db, { state, limit }))
  const server = io.config().smtpUrl !== null
  if (values.json) printJson(io, { sends: server, mails })
  else {
    const columns = columnsOf('>id', { head: 'state', paint: paintState(io) }, 'written', '>tries', 'to', '*subject')
    const now = io.now()
    const rows = mails.map(mail => [
      String(mail.mail_id),
      mail.state.replace('_', ' '),
      relative(new Date(mail.created_at), now),
      mail.attempts,
      mail.to_address.length > 30 ? `${mail.to_address.slice(0, 29)}…` : mail.to_address,
      mail.subject,
    ])
    if (mails.length === 0) io.out(state === 'all' ? 'no mail was written yet' : `no mail is ${state.replace('_', ' ')}`)
    else printTable(io, columns, rows)
    if (!server && mails.some(mail => mail.state === 'waiting'))
      io.err('No mail server is set (CROSSFILE_SMTP_URL), so mail waits here: crossfile outbox show ID prints one with its link.')
  }
  return 0
}

export async function outboxShow(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('outbox show', commands['outbox show'].options, argv, { least: 1, most: 1, what: 'the id of the mail' })
  const mail = await withDatabase(io, { write: false }, ({ db }) => findMail(db, idOf(rest[0] ?? '')))
  if (!mail) throw unknown(rest[0])
  if (values.json) printJson(io, mail)
  else {
    const ended = mail.sent_at ?? mail.given_up_at
    const pairs: (readonly [string, string])[] = [
      ['to', mail.to_address],
      ['subject', mail.subject],
      ['written', moment(mail.created_at)],
      ['state', `${mail.state.replace('_', ' ')}${ended === null ? '' : ` since ${moment(ended)}`}, ${some(mail.attempts, 'try', 'tries')}`],
      ...(mail.error === null ? [] : [['last error', mail.error] as const]),
    ]
    for (const line of facts(io, pairs)) io.out(line)
    io.out('')
    io.out(mail.body === '' ? 'Its text was deleted after it was sent.' : mail.body.trimEnd())
  }
  return 0
}

export async function outboxRetry(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('outbox retry', commands['outbox retry'].options, argv, { least: 1, most: 1, what: 'the id of the mail' })
  const id = idOf(rest[0] ?? '')
  const done = await withDatabase(io, { write: true }, ({ db }) => retryMail(db, id, io.now()))
  if (!done) throw new NotFound(`mail ${id} is not waiting: it was sent or does not exist`, { hint: 'crossfile outbox lists all mail' })
  if (values.json) printJson(io, { mail_id: id, state: 'waiting' })
  else
    io.out(
      io.config().smtpUrl === null
        ? `mail ${id} is queued again; nothing is sent until CROSSFILE_SMTP_URL is set`
        : `mail ${id} will be sent within a minute`,
    )
  return 0
}

const unknown = (requested: string | undefined): NotFound => new NotFound(`no mail ${requested ?? ''}`, { hint: 'crossfile outbox lists all mail' })
