/** The result of a form as a page shows it: whether it succeeded, and the sentence. */
export type NoticeText = readonly ['good' | 'bad', string]

/** Of a form that changed nothing, because the session is over or the page was made for another one. */
export const formNotices = {
  session_over: ['bad', 'You are no longer signed in, so nothing was changed. Sign in again.'],
  stale: ['bad', 'The page was out of date, so nothing was changed. Try again.'],
} as const satisfies Readonly<Record<string, NoticeText>>
