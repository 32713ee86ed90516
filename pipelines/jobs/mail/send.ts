// Sends the outbox through the server of CROSSFILE_SMTP_URL, one mail after another over one connection.
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import { markFailed, markSent, messageIdOf, staleMs, takeMail, type Waiting } from '#warehouse/people/mail/outbox.ts'
import type { Db } from '#warehouse/store/postgres.ts'

export type Sent = { readonly sent: number; readonly failed: number; readonly given_up: number }
type Tools = {
  readonly db: Db
  readonly config: Pick<Config, 'smtpUrl' | 'mailFrom'>
  readonly now: () => Date
  /** Points at which a test ends the process; nothing otherwise. */
  readonly crashPoint?: (name: string) => void
}
/** Seconds for connecting, for the server's greeting, and for a reply: together less than the lease of a mail. */
const seconds = { connection: 15, greeting: 15, socket: 60 } as const
/** Mails per run: the rest is left to the next run, so that no run exceeds its job's timeout. */
const mostPerRun = 2000

/** Sends due mail until none is left or the server cannot be reached. Without a server, mail stays in the outbox. */
export async function sendMail({ db, config, now, crashPoint = () => {} }: Tools, signal: AbortSignal): Promise<Sent> {
  const done = { sent: 0, failed: 0, given_up: 0 }
  if (config.smtpUrl === null) return done
  // Loaded when first used: most installations of one person send no mail.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ ...smtpOptions(config.smtpUrl.reveal()), pool: true, maxConnections: 1 })
  try {
    while (!signal.aborted && done.sent + done.failed < mostPerRun) {
      const mail = await takeMail(db, now())
      if (!mail) break
      crashPoint('mail-taken')
      // Written before a mail server was configured: its link has expired, and its recipient would be confused.
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
        // The next mail would fail in the same way; the attempt counts only for this one.
        if (failure.server) break
      }
    }
  } finally {
    transport.close()
  }
  return done
}

/** Options of nodemailer for a URL: immediate TLS with `smtps:`; with `smtp:`, STARTTLS whenever a password is sent to another machine. */
export function smtpOptions(text: string) {
  const url = URL.parse(text)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    throw new BadRequest('CROSSFILE_SMTP_URL is not the address of a mail server', { hint: 'such as smtps://user:password@mail.example.org:465' })
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
    // Marks the mail as automatic, so that no vacation notice answers it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

type Failure = { readonly reason: string /** The receiver refused it permanently. */; readonly final: boolean; readonly server: boolean }

/** Classifies a failed attempt. A refusal of the receiver or the text (5xx) is final; any other failure may pass. */
export function failureOf(error: unknown): Failure {
  const { code, responseCode, command, message } = (error ?? {}) as { code?: string; responseCode?: number; command?: string; message?: string }
  const ofMail = command === 'RCPT TO' || command === 'DATA' || code === 'EENVELOPE' || code === 'EMESSAGE'
  const text = [code, responseCode, message].filter(each => each !== undefined).join(' ')
  return {
    reason: text.replaceAll(/[^\x20-\x7e]+/g, ' '),
    final: ofMail && responseCode !== undefined && responseCode >= 500,
    server: !ofMail,
  }
}
