// The plans that are code of the worker rather than addresses (tasks.ts). A list of names, so that jobs.yaml can be checked without
// loading that code; register.test.ts compares both.
export const taskNames = [
  'alerts',
  'backup',
  'backup-verify',
  'csv-drop-in',
  'erasure',
  'lake-collect',
  'lake-compact',
  'mail',
  'models',
  'push-send',
  'read-held',
  'repair',
  'telemetry',
  'transcripts-drop-in',
  'updates',
  'receipt-watches',
  'reproduce-sample',
  'users-sweep',
] as const

/** Those whose result a person waits for, such as mail with the code of a sign-in. A worker has one more place for them. */
export const promptTasks: ReadonlySet<string> = new Set<(typeof taskNames)[number]>(['alerts', 'mail', 'push-send', 'receipt-watches'])
