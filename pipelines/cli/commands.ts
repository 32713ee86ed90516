// Every command: what it does, its options (arguments.ts checks them against this table), examples and the meaning of its exit codes.
import { backupCommands } from './commands/backup.ts'
import { calculatorCommands } from './commands/calculators.ts'
import { type Command, flag, json, noWait, valued } from './commands/command.ts'
import { developCommands } from './commands/develop.ts'
import { peopleCommands } from './commands/people.ts'
import { receiptCommands } from './commands/receipts.ts'

export type { Command } from './commands/command.ts'

export const commands = {
  start: {
    summary: 'set up the installation if needed and run Postgres, worker and API until Ctrl-C',
    usage: ['crossfile start [--json]'],
    details: ['The same as `npm start`. A second start continues from the data that is there.'],
    options: { json: flag('print one JSON line on stdout when ready') },
    examples: [
      ['crossfile start', 'the bundled fictional universe'],
      ['CROSSFILE_CONTACT="Jane Roe jane@your-firm.com" crossfile start', 'live EDGAR filings'],
    ],
  },
  worker: {
    summary: 'run the schedule and the jobs until Ctrl-C',
    usage: ['crossfile worker'],
    details: ['Any number of workers may share one database. Killing a worker loses no data.'],
    options: {},
    examples: [['DATABASE_URL=postgres://… crossfile worker', 'a second worker on another machine']],
  },
  api: {
    summary: 'serve the HTTP API until Ctrl-C',
    usage: ['crossfile api'],
    details: ['Listens on HOST and PORT (defaults 127.0.0.1 and 8080; PORT=0 takes any free port).'],
    options: {},
    examples: [['PORT=9000 crossfile api', 'on another port']],
  },
  migrate: {
    summary: 'migrate the database to this version',
    usage: ['crossfile migrate [--json]'],
    details: ['Commands that write migrate automatically. A worker or API that is started separately waits for the migration.'],
    options: { json },
    examples: [['crossfile migrate', 'lists the applied migrations']],
  },
  status: {
    summary: 'running processes, stored data and stale datasets, on one screen',
    usage: ['crossfile status [--json] [--alive]'],
    details: [
      'A dataset is stale if the last successful load of its jobs is older than their freshness_minutes (jobs.yaml).',
      'Row counts include every stored version.',
    ],
    options: { json, alive: flag('only check whether a worker runs (for health checks)') },
    examples: [
      ['crossfile status', 'everything'],
      ['crossfile status --json | jq .datasets', 'for scripts'],
    ],
    exits: [
      '0  everything runs and is fresh',
      '1  something is stale or failed, or the worker or the API is not running',
      '3  nothing runs, or the database cannot be reached',
    ],
  },
  jobs: {
    summary: 'every job: on or off and why, its next and its last run',
    usage: ['crossfile jobs [--json]'],
    details: ['On and off follow the settings of this shell. A worker that was started with other settings follows those.'],
    options: { json },
    examples: [['crossfile jobs', 'next runs in the time zone of each job']],
  },
  run: {
    summary: 'run one job now',
    usage: ['crossfile run JOB [--date DAY] [--symbols A,B] [--no-wait] [--json]'],
    details: ['Waits for the result. If no worker is running, the job runs in this process.'],
    options: {
      date: valued('DAY', 'the day to request (today)'),
      symbols: valued('A,B', 'for jobs that request data symbol by symbol'),
      'no-wait': noWait,
      json,
    },
    examples: [
      ['crossfile run fx', "today's exchange rates"],
      ['crossfile run bars-us --date 2026-11-19', 'one day again'],
      ['crossfile run insider-issuer --symbols AAPL,BRK-B', 'the insiders of two issuers'],
    ],
    exits: ['0  it ran', '1  it failed permanently', '3  the database cannot be reached'],
  },
  runs: {
    summary: 'what ran, newest first',
    usage: [
      'crossfile runs [--job NAME] [--state STATE] [--limit N] [--json]',
      'crossfile runs log RUN',
      'crossfile runs dead',
      'crossfile runs redrive',
    ],
    details: ['Columns: documents read, documents fetched over the network, and rows refused (sent to quarantine).'],
    options: {
      job: valued('NAME', 'only this job'),
      state: valued('STATE', 'running, done, failed or lost (its worker was killed)'),
      limit: valued('N', 'how many (20)'),
      json,
    },
    examples: [
      ['crossfile runs --state failed', 'recent failures'],
      ['crossfile runs --job fx --limit 5', ''],
    ],
  },
  'runs log': {
    summary: 'one run with its log: requests, commits, what was held back',
    usage: ['crossfile runs log RUN [--json]'],
    details: ['RUN is the first column of crossfile runs. Lines are removed after 30 days.'],
    options: { json },
    examples: [['crossfile runs log 41', 'what run 41 did']],
  },
  'runs dead': {
    summary: 'jobs that failed permanently (dead letters), with their reasons',
    usage: ['crossfile runs dead [--job NAME] [--json]'],
    options: { job: valued('NAME', 'only this job'), json },
    examples: [['crossfile runs dead', 'crossfile runs redrive puts them back']],
  },
  'runs redrive': {
    summary: 'put dead letters back into their queues',
    usage: ['crossfile runs redrive [ID…] [--job NAME] [--json]'],
    details: ['Without ids and --job: all of them.'],
    options: { job: valued('NAME', 'only this job'), json },
    examples: [['crossfile runs redrive --job filings', 'after the cause is fixed']],
  },
  backfill: {
    summary: 'run a job over a past range, window by window',
    usage: [
      'crossfile backfill JOB --from DAY [--to DAY] [--symbols A,B] [--route ROUTE] [--dry-run] [--no-wait] [--json]',
      'crossfile backfill list',
    ],
    details: [
      'First prints the cost of each route (at 8 requests and 25 MB per second) and the chosen one: bulk files before one request per document.',
      'The same command resumes it and does not request stored documents again. Scheduled runs have priority.',
      'Ctrl-C leaves it to the worker; if no worker is running, it runs in this process and stops with it.',
    ],
    options: {
      from: valued('DAY', 'first day'),
      to: valued('DAY', 'last day (default: today, or the day of the bundled universe)'),
      symbols: valued('A,B', 'for jobs that are split by symbol'),
      route: valued('ROUTE', 'documents, feed, datasets or archive (default: the cheapest, data sets first)'),
      'dry-run': flag('only print the cost'),
      'no-wait': noWait,
      json,
    },
    examples: [
      ['crossfile backfill filings-history --from 2024-01-01 --to 2024-12-31', 'four quarters of the EDGAR index'],
      ['crossfile backfill insider --from 2015-01-01 --to 2025-12-31 --dry-run', 'cost of ten years of Forms 3, 4 and 5 by each route'],
      ['crossfile backfill history-tiingo --symbols AAPL,MSFT --from 2000-01-01 --to 2026-11-19', 'two symbols'],
    ],
    exits: ['0  all windows are done', '1  some failed; they are listed with their reasons', '2  the arguments do not fit the job'],
  },
  'backfill list': {
    summary: 'backfills and their progress',
    usage: ['crossfile backfill list [--limit N] [--json]'],
    options: { limit: valued('N', 'how many (20)'), json },
    examples: [['crossfile backfill list', '']],
  },
  quarantine: {
    summary: 'data held back, counted by reason, and the newest findings',
    usage: [
      'crossfile quarantine [--dataset NAME] [--reason WORD] [--subject TEXT] [--state STATE] [--limit N] [--json]',
      'crossfile quarantine show ID',
      'crossfile quarantine release ID… | reject ID…',
    ],
    options: {
      dataset: valued('NAME', 'only this dataset'),
      reason: valued('WORD', 'only this reason'),
      subject: valued('TEXT', 'only subjects that contain this: a symbol, an accession'),
      state: valued('STATE', 'held (default), released, rejected or all'),
      limit: valued('N', 'how many findings (20; 0 for the counts alone)'),
      json,
    },
    examples: [
      ['crossfile quarantine', 'the counts, then the newest findings'],
      ['crossfile quarantine --dataset bars --subject SHOP.TO', ''],
    ],
  },
  'quarantine show': {
    summary: 'one finding with its record and its source document',
    usage: ['crossfile quarantine show ID [--json]'],
    options: { json },
    examples: [['crossfile quarantine show 17', '']],
  },
  'quarantine release': {
    summary: 'accept findings',
    usage: ['crossfile quarantine release ID… [--note TEXT] [--json]'],
    details: [
      'The decision is recorded in the journal next to the raw documents. The documents are read again, so that it takes effect immediately.',
    ],
    options: { note: valued('TEXT', 'why, for the record'), json },
    examples: [['crossfile quarantine release 17 18 --note "confirmed by the issuer"', '']],
  },
  'quarantine reject': {
    summary: 'reject findings permanently',
    usage: ['crossfile quarantine reject ID… [--note TEXT] [--json]'],
    details: ['As with release: the decision is recorded and the documents are read again.'],
    options: { note: valued('TEXT', 'why, for the record'), json },
    examples: [['crossfile quarantine reject 19 --note "vendor glitch"', '']],
  },
  correct: {
    summary: 'correct one value of a filing: a 13F row, a price of a Form 4, a term of an offering',
    usage: [
      'crossfile correct FILING [--dataset NAME] [--line N] [--json]',
      'crossfile correct FILING FIELD VALUE [--dataset NAME] [--line N] --reason TEXT --evidence URL [--dry-run] [--json]',
      'crossfile correct FILING FIELD --undo [--dataset NAME] [--line N] --reason TEXT [--dry-run] [--json]',
      'crossfile correct --list [FILING] [--json]',
    ],
    details: [
      'FILING is an accession number, or the filing_id of an answer. Without FIELD: lists the fields that can be corrected, with their filed values.',
      'The filed value is kept: answers show it with the correction, and an as_of or release before the correction gives the value as filed.',
      'Derived values (dollars of a 13F row, the sum of its table, the class of a transaction code) are corrected with it.',
      'VALUE null means no value. Write -- before a VALUE that begins with a dash.',
    ],
    options: {
      dataset: valued('NAME', 'required if several datasets have rows of the filing, e.g. holdings'),
      line: valued('N', 'the line of the row, as answers number it (of an offering: its CIK)'),
      reason: valued('TEXT', 'why the filed value is wrong; shown in answers'),
      evidence: valued('URL', 'a document that shows the correct value; shown in answers'),
      undo: flag('restore the filed value'),
      list: flag('all corrections and undone corrections, newest first'),
      'dry-run': flag('only print what would change'),
      json,
    },
    examples: [
      ['crossfile correct 0001234567-26-000012', 'its datasets, lines and fields'],
      ['crossfile correct 0001234567-26-000012 price 12.50 --line 2 --reason "decimal point" --evidence https://…', 'a price of a Form 4'],
      ['crossfile correct 0001234567-26-000012 price --undo --line 2 --reason "the filing is right"', 'the filed value again'],
    ],
    exits: ['0  corrected, undone or shown', '2  no such filing, field or row, or the value does not fit the field'],
  },
  ingest: {
    summary: 'read a folder of downloaded upstream documents instead of the network',
    usage: ['crossfile ingest --recorded FOLDER [--all] [--json]'],
    details: [
      'Every file is stored raw first. Files that a reader recognises are read; the others are listed with the reason. A file is not read twice.',
      'If a run is stopped or killed, no data is lost: the same command reads the remaining files.',
    ],
    options: {
      recorded: valued('FOLDER', 'the folder; archives in it are unpacked'),
      all: flag('list every file that was not read, not only the folders'),
      json,
    },
    examples: [['crossfile ingest --recorded ~/downloads/edgar', '']],
    exits: ['0  something was read, or everything was read before (even if parts are in quarantine)', '1  nothing could be read'],
  },
  'read-held': {
    summary: 'read stored documents that were never read because a process ended before its commit',
    usage: ['crossfile read-held [--dry-run] [--json]'],
    details: [
      'A worker does the same once a day and when it starts (the job read-held). crossfile status and crossfile doctor show the count.',
      'The count includes documents that a running job or another command is about to commit. Reading them twice changes nothing.',
    ],
    options: { 'dry-run': flag('only list them, by source'), json },
    examples: [['crossfile read-held --dry-run', 'count by source']],
    exits: ['0  none is left', '1  some are left: with --dry-run, or because they cannot be read, with the reason'],
  },
  telemetry: {
    summary: 'browser reports: page speed, and what the content security policy blocked',
    usage: ['crossfile telemetry [--days N] [--json]'],
    details: ['Counts by day, without data about the sender. A worker updates the figures every 15 minutes.'],
    options: { days: valued('N', 'the last N days (7)'), json },
    examples: [['crossfile telemetry --days 30', 'the last month']],
  },
  incidents: {
    summary: 'incidents of the status page: list, open, update',
    usage: ['crossfile incidents [--state open|resolved|all|draft] [--limit N] [--json]'],
    details: ['A rule resolves the incidents that it opened when the component recovers. Resolve your own incidents with update --resolve.'],
    options: {
      state: valued('STATE', 'open, resolved, draft (opened by expert reviews) or all (default)'),
      limit: valued('N', 'the newest N (50)'),
      json,
    },
    examples: [['crossfile incidents --state open', 'incidents that are open now']],
  },
  'incidents open': {
    summary: 'open an incident or announce planned work',
    usage: ['crossfile incidents open --title TITLE [--impact IMPACT] [--component NAME] [--note TEXT] [--since INSTANT] [--json]'],
    options: {
      title: valued('TITLE', 'one line, at most 200 characters'),
      impact: valued('IMPACT', 'minor, major, critical or maintenance (minor)'),
      component: valued('NAME', 'the affected component, as GET /api/v1/status names it'),
      note: valued('TEXT', 'what is known so far'),
      since: valued('INSTANT', 'when it began (now)'),
      json,
    },
    examples: [['crossfile incidents open --title "Quotes are late" --component dataset:quotes', '']],
  },
  'incidents update': {
    summary: 'add to an incident, or resolve it',
    usage: ['crossfile incidents update ID [--note TEXT] [--impact IMPACT] [--publish] [--resolve] [--json]'],
    options: {
      note: valued('TEXT', 'a line to add'),
      impact: valued('IMPACT', 'minor, major, critical or maintenance'),
      publish: flag('publish a draft'),
      resolve: flag('mark it resolved'),
      json,
    },
    examples: [['crossfile incidents update inc_0123456789abcdef --resolve --note "The source answers again"', '']],
  },
  ...peopleCommands,
  updates: {
    summary: 'stored daily updates, newest first',
    usage: ['crossfile updates [--limit N] [--json]', 'crossfile updates check [--json]'],
    options: { limit: valued('N', 'the newest N (20)'), json },
    examples: [['crossfile backfill updates --from 2026-08-20 --to 2026-11-19', 'writes the updates of past days']],
  },
  'updates check': {
    summary: 'write every stored update again from its release, and compare the bytes',
    usage: ['crossfile updates check [--json]'],
    details: ['Nothing is stored.'],
    options: { json },
    examples: [['crossfile updates check', '']],
    exits: ['0  all are equal', '1  some differ; they are listed'],
  },
  'lake publish': {
    summary: 'bring Delta logs, manifests and warehouse.duckdb to the state of the catalogue',
    usage: ['crossfile lake publish [--json]'],
    details: [
      'The worker does the same after each commit. A log that is lost or damaged, or that lies in a restored or moved folder, is rebuilt.',
      'Nothing changes if everything is current.',
    ],
    options: { json },
    examples: [['crossfile lake publish', 'after a restore, or when files of data/lake were deleted by hand']],
    exits: ['0  everything is current', '3  the database cannot be reached'],
  },
  'lake ducklake': {
    summary: 'export a DuckLake catalogue of the lake, for programs that read DuckLake',
    usage: ['crossfile lake ducklake [FILE] [--json]'],
    details: [
      'FILE (default: crossfile.ducklake in the folder of the lake) is a DuckDB file that names the files of the lake; none is copied. It shows the newest release, and earlier ones',
      'whose files all exist, each as the snapshot with its number. It is not updated: export again after new releases. Attach it READ_ONLY: programs that write through',
      'it would change files of the lake.',
    ],
    options: { json },
    examples: [
      ['crossfile lake ducklake', ''],
      ['duckdb -c "ATTACH \'ducklake:data/lake/crossfile.ducklake\' AS lake (READ_ONLY); SELECT count(*) FROM lake.bars"', 'asks it'],
    ],
    exits: ['0  the file was written', '1  FILE is another file', '3  the database cannot be reached'],
  },
  rebuild: {
    summary: 'rebuild every dataset from the raw documents alone, and compare the digests',
    usage: ['crossfile rebuild [--expect DIGEST] [--keep] [--json]', 'crossfile rebuild --digest [--json]'],
    details: ['If a catalogue exists, it stays unchanged and is compared with the rebuilt one; if it is missing, the data folder itself is rebuilt.'],
    options: {
      digest: flag('only print the digest of the present state'),
      expect: valued('DIGEST', 'also compare with this digest, e.g. one noted before the catalogue was lost'),
      keep: flag('keep the lake and database of the comparison'),
      json,
    },
    examples: [['crossfile rebuild', '']],
    exits: ['0  equal, or rebuilt', '1  the digests differ'],
  },
  repair: {
    summary: 'hash every lake file, and put damaged ones back from a backup or from the raw documents',
    usage: ['crossfile repair [--dry-run] [--from PLACE] [--json]'],
    details: [
      '--from takes a backup made by crossfile backup, or a copy of a data folder. Only bytes with the expected SHA-256 are used, for raw documents too.',
      'Without a backup, the datasets are rebuilt from the raw documents in a separate catalogue, and the file is written from those rows.',
      'A damaged warehouse.duckdb is rewritten. Jobs that failed meanwhile are counted; crossfile runs redrive sends them again.',
      'It can run while the service runs, which serves the repaired data within a minute.',
    ],
    options: {
      'dry-run': flag('only report the damage and the planned repairs'),
      from: valued('PLACE', 'a backup to restore files from: a folder, or s3://bucket/prefix'),
      json,
    },
    examples: [
      ['crossfile repair --dry-run', ''],
      ['crossfile repair --from /mnt/backup', ''],
    ],
    exits: ['0  every file is whole, or was repaired', '1  a file is damaged and was not repaired'],
  },
  accuracy: {
    summary: 'compare what the parsers read with a file of facts',
    usage: ['crossfile accuracy --docs DIR --facts FILE [--report DIR] [--json]'],
    details: ['A document or field that is not read counts as unequal.'],
    options: {
      docs: valued('DIR', 'the documents'),
      facts: valued('FILE', 'JSON: path of a document -> its facts'),
      all: flag('count unsupported kinds of documents as unequal'),
      report: valued('DIR', 'write index.html there: every fact, ours and the expected one, with its place in the document'),
      json,
    },
    examples: [
      ['crossfile accuracy --docs real/edgar --facts real/edgar/facts.json', ''],
      ['crossfile accuracy --docs real/edgar --facts real/edgar/facts.json --report out', 'a page to show to others'],
    ],
    exits: ['0  every fact is equal', '1  any differs'],
  },
  ask: {
    summary: 'answer a question in words; every figure comes from an answer of the service',
    usage: ['crossfile ask QUESTION [--json]'],
    details: [
      'Rules plan the question and call the operations that answer it; no model is called. Follow-ups need a session: docs/assistant-api.md.',
      '--json includes the claims: for each figure the call, its place in the answer, the value and the unit. Answers of this command are not signed.',
    ],
    options: { json },
    examples: [['crossfile ask "What is the price of GLPR.TO?"', '']],
    exits: ['0  answered', '1  refused, with the reason'],
  },
  eval: {
    summary: "run the assistant's corpus over the bundled universe and check every claim",
    usage: ['crossfile eval [--api URL] [--cases NAME] [--model NAME] [--answers] [--json]'],
    details: [
      'Each question is planned and answered; operations, subject, facts of the universe, refusals and claims are checked.',
      'Without --api the answers are built from the lake of this installation, unsigned.',
      'A model is evaluated by its facts, claims and refusals; it costs money, within the limits of CROSSFILE_MODEL_TOKENS and CROSSFILE_MODEL_DAILY_TOKENS.',
    ],
    options: {
      api: valued('URL', 'ask a running service, with the key in its data folder'),
      cases: valued('NAME', 'corpus (the default), holdout or second-holdout: questions written after the rules'),
      model: valued('NAME', 'what writes the answers: rules (the default), or configured for the model of CROSSFILE_MODEL'),
      answers: flag('print every answer'),
      json,
    },
    examples: [
      ['crossfile eval', 'answered, refused, unsupported claims, time and cost'],
      ['crossfile eval --api http://127.0.0.1:8080', 'over HTTP'],
    ],
    exits: ['0  every case is answered or refused as specified, and every claim is supported', '1  a case failed'],
  },
  items: {
    summary: 'items located in a report, each with status, words, place and flags',
    usage: ['crossfile items FILE [--form FORM] [--text ITEM] [--json]'],
    details: [
      'FILE is a 10-K, 10-Q, 20-F, 40-F or 8-K: the full submission, or only its document (HTML or text, also gzipped).',
      'Place is in characters of the visible text; --json adds the place in the file and the text of every item.',
    ],
    options: {
      form: valued('FORM', 'the form, if neither header nor cover names it'),
      text: valued('ITEM', 'print the text of one item, such as 1A, II.1A, 3.D or 2.02'),
      json,
    },
    examples: [
      ['crossfile items aapl-10k.htm', 'a table of its items'],
      ['crossfile items report.txt --text 1A', 'its risk factors'],
    ],
    exits: ['0  items were located', '1  no item was located, or the item has no text', '2  the file is not a report'],
  },
  read: {
    summary: 'the facts that a reader finds in one document of any kind',
    usage: ['crossfile read FILE [--json]'],
    details: ['Nothing is stored. --json prints every row; otherwise each dataset shows its first rows.'],
    options: { json },
    examples: [
      ['crossfile read form4.xml', 'filing, transactions and holdings'],
      ['crossfile read 0000320193-24-000123.txt --json', 'every fact of a submission'],
    ],
    exits: ['0  facts were read', '1  it was refused, or contains none', '2  no reader recognises the file'],
  },
  adjust: {
    summary: 'adjust a series of bars by its corporate actions, or compare it with an expected one',
    usage: ['crossfile adjust --bars F.csv --actions F.csv [--expected F.csv] [--convention NAME] [--json]'],
    details: [
      'Heads: bars date,open,high,low,close,volume; actions ex_date,kind,numerator,denominator,amount,currency; expected date,adjusted_close.',
      'Documents of EODHD, Tiingo, Polygon, Yahoo, Alpha Vantage, Quandl, Lean and TMX are accepted unchanged for any of the three. --actions may be given twice.',
    ],
    options: {
      bars: valued('FILE', 'daily bars as traded'),
      actions: valued('FILE', 'splits and dividends; may be given twice'),
      symbol: valued('SYMBOL', 'the symbol to use, if a file contains several'),
      expected: valued('FILE', "the series to compare with: adjusted closes, or Lean's factors"),
      tolerance: valued('N', 'relative difference that still counts as equal: 1e-4, or a source: yahoo, lean, wiki, eodhd, exact'),
      convention: valued('NAME', 'yahoo_crsp (default), quandl_wiki or split_only'),
      adjust: valued('MODE', 'all (default), split or none'),
      'as-of': valued('DAY', 'only actions whose ex-date is not later'),
      currency: valued('CODE', "the bars' currency, if the file does not state it"),
      fx: valued('FILE', 'exchange rates, for dividends in another currency'),
      'amount-basis': valued('BASIS', 'post_split or pre_split: the share count that a dividend on the day of a split refers to'),
      'exclude-spinoffs': flag('leave spin-offs out'),
      json,
    },
    examples: [['crossfile adjust --bars bars.csv --actions actions.csv --expected adjusted.csv', 'the worst difference and its day']],
    exits: ['0  within the tolerance', '1  outside the tolerance', '2  a file cannot be read'],
  },
  ...calculatorCommands,
  ...backupCommands,
  ...receiptCommands,
  ...developCommands,
  upstreams: {
    summary: 'sources that are not asked at the moment, and why',
    usage: ['crossfile upstreams [--json]', 'crossfile upstreams lift SOURCE [--json]'],
    details: [
      'A source that refuses or blocks requests is not asked for a while, by any process. A source that does not respond is asked only now and then.',
    ],
    options: { json },
    examples: [['crossfile upstreams', 'until when, and the reason that the source gave']],
    exits: ['0  every source may be asked', '1  some are stopped or do not respond'],
  },
  'upstreams lift': {
    summary: 'ask a stopped source again now',
    usage: ['crossfile upstreams lift SOURCE [--json]'],
    details: ['Correct the cause first, such as the contact or the key. The act is recorded in the audit chain.'],
    options: { json },
    examples: [['crossfile upstreams lift edgar', 'after the contact was corrected']],
  },
  open: {
    summary: "print the address of the running service's page",
    usage: ['crossfile open [--json]'],
    options: { json },
    examples: [['xdg-open "$(crossfile open)"', 'in a browser on this machine']],
  },
  completion: {
    summary: 'a script that completes commands and options in bash, zsh or fish',
    usage: ['crossfile completion bash|zsh|fish'],
    options: {},
    examples: [
      ['source <(crossfile completion bash)', 'in ~/.bashrc; the same for zsh'],
      ['crossfile completion fish | source', 'in ~/.config/fish/config.fish'],
    ],
  },
  help: {
    summary: 'this list, or one command with its options and examples',
    usage: ['crossfile help [COMMAND]'],
    options: {},
    examples: [['crossfile help backfill', '']],
  },
} as const satisfies Readonly<Record<string, Command>>

export type CommandName = keyof typeof commands
export const commandNames = Object.keys(commands) as CommandName[]
