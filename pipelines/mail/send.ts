// Sends the outbox through the server of CROSSFILE_SMTP_URL, one mail after another over one connection.
import { createTransport } from 'nodemailer'
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import { markFailed, markSent, messageIdOf, staleMs, takeMail, type Waiting } from '#warehouse/mail/outbox.ts'
import type { Db } from '#warehouse/postgres.ts'

export type Sent = { readonly sent: number; readonly failed: number; readonly given_up: number }
type Tools = {
  readonly db: Db
  readonly config: Pick<Config, 'smtpUrl' | 'mailFrom'>
  readonly now: () => Date
  /** Points at which a test ends the process; nothing otherwise. */
  readonly crashPoint?: (name: string) => void
}
/** Seconds for connecting, for the server's greeting, and for an answer: together below what a mail is taken for. */
const seconds = { connection: 15, greeting: 15, socket: 60 } as const
/** Mails of one run: the rest is another run's, so that no run outlives its job's time. */
const mostPerRun = 2000

/** Sends what is due, until nothing is or the server cannot be reached. Without a server the mail stays where it is. */
export async function sendMail({ db, config, now, crashPoint = () => {} }: Tools, signal: AbortSignal): Promise<Sent> {
  const done = { sent: 0, failed: 0, given_up: 0 }
  if (config.smtpUrl === null) return done
  const transport = createTransport({ ...smtpOptions(config.smtpUrl.reveal()), pool: true, maxConnections: 1 })
  try {
    while (!signal.aborted && done.sent + done.failed < mostPerRun) {
      const mail = await takeMail(db, now())
      if (!mail) break
      crashPoint('mail-taken')
      // Written before there was a mail server: its link is over, and whoever gets it now is puzzled.
      if (mail.attempts === 1 && now().getTime() - Date.parse(mail.created_at) > staleMs) {
        await markFailed(db, mail, 'older than three days when it could first be sent; crossfile outbox retry sends it', true, now())
        done.failed += 1
        done.given_up += 1
        continue
      }
      try {
        await transport.sendMail(messageOf(mail, config.mailFrom))
        crashPoint('mail-sent')
        await markSent(db, mail.mail_id, now())
        done.sent += 1
      } catch (error) {
        const failure = failureOf(error)
        done.failed += 1
        if (await markFailed(db, mail, failure.reason, failure.final, now())) done.given_up += 1
        // The next mail would fail alike; the attempt counts for this one alone.
        if (failure.server) break
      }
    }
  } finally {
    transport.close()
  }
  return done
}

/** What nodemailer is given for a URL: TLS at once with `smtps:`, and with `smtp:` STARTTLS wherever a password is sent to another machine. */
export function smtpOptions(text: string) {
  const url = URL.parse(text)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    throw new BadRequest('CROSSFILE_SMTP_URL is no address of a mail server', { hint: 'such as smtps://user:password@mail.example.org:465' })
  const secure = url.protocol === 'smtps:'
  const here = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !here && url.username !== '',
    ...(url.username === '' ? {} : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    connectionTimeout: seconds.connection * 1000,
    greetingTimeout: seconds.greeting * 1000,
    socketTimeout: seconds.socket * 1000,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function messageOf(mail: Waiting, from: string) {
  return {
    from,
    to: { name: '', address: mail.to_address },
    subject: mail.subject,
    text: mail.body,
    messageId: messageIdOf(mail, from),
    date: new Date(mail.created_at),
    // Written by a program: no vacation notice is to answer it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

type Failure = { readonly reason: string /** The receiver refused it for good. */; readonly final: boolean; readonly server: boolean }

/** What an attempt's failure means. A refusal of the receiver or the text (5xx) is final; whatever else failed may pass. */
export function failureOf(error: unknown): Failure {
  const { code, responseCode, command, message } = (error ?? {}) as { code?: string; responseCode?: number; command?: string; message?: string }
  const ofMail = command === 'RCPT TO' || command === 'DATA' || code === 'EENVELOPE' || code === 'EMESSAGE'
  const said = [code, responseCode, message].filter(each => each !== undefined).join(' ')
  return {
    reason: said.replaceAll(/[^\x20-\x7e]+/g, ' '),
    final: ofMail && responseCode !== undefined && responseCode >= 500,
    server: !ofMail,
  }
}
