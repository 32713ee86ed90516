// Every command: what it does, its options (arguments.ts checks them against this table), examples and what its exit code says.
import { backupCommands } from './commands/backup.ts'
import { type Command, json, noWait } from './commands/command.ts'
import { peopleCommands } from './commands/people.ts'
import { receiptCommands } from './commands/receipts.ts'
import { reckonCommands } from './commands/reckon.ts'

export type { Command } from './commands/command.ts'

export const commands = {
  start: {
    summary: 'set up what is missing and run Postgres, worker and API until Ctrl-C',
    usage: ['crossfile start [--json]'],
    details: ['The same as `npm start`. A second start continues from the data that is there.'],
    options: { json: { about: 'one JSON line on stdout when it is ready' } },
    examples: [
      ['crossfile start', 'the bundled fictional universe'],
      ['CROSSFILE_CONTACT="Jane Roe jane@your-firm.com" crossfile start', 'live EDGAR filings'],
    ],
  },
  worker: {
    summary: 'run the schedule and the jobs until Ctrl-C',
    usage: ['crossfile worker'],
    details: ['Any number of workers may share one database; one that is killed loses nothing.'],
    options: {},
    examples: [['DATABASE_URL=postgres://… crossfile worker', 'a second worker on another machine']],
  },
  api: {
    summary: 'serve the HTTP API until Ctrl-C',
    usage: ['crossfile api'],
    details: ['Listens on HOST and PORT (127.0.0.1 and 8080 where they are not set; PORT=0 takes any free one).'],
    options: {},
    examples: [['PORT=9000 crossfile api', 'on another port']],
  },
  migrate: {
    summary: 'bring the database up to this version',
    usage: ['crossfile migrate [--json]'],
    details: ['Commands that write do this by themselves; services that start apart wait for it.'],
    options: { json },
    examples: [['crossfile migrate', 'says what it applied']],
  },
  status: {
    summary: 'what runs, what is there, and what is stale, on one screen',
    usage: ['crossfile status [--json] [--alive]'],
    details: [
      'A dataset is stale when the last good load of the jobs that feed it is older than their freshness_minutes (jobs.yaml).',
      'Rows count every version that is kept, as the files hold them.',
    ],
    options: { json, alive: { about: 'only ask whether a worker runs (for health checks)' } },
    examples: [
      ['crossfile status', 'the whole picture'],
      ['crossfile status --json | jq .datasets', 'for a machine'],
    ],
    exits: [
      '0  everything runs and is fresh',
      '1  something is stale, failed, or only one of worker and API runs',
      '3  nothing runs, or the database cannot be reached',
    ],
  },
  jobs: {
    summary: 'every job: on or off and why, its next and its last run',
    usage: ['crossfile jobs [--json]'],
    details: ['On and off go by the settings of this shell; a worker that was started with others goes by its own.'],
    options: { json },
    examples: [['crossfile jobs', 'next runs on the clock of each job']],
  },
  run: {
    summary: 'run one job now',
    usage: ['crossfile run JOB [--date DAY] [--symbols A,B] [--no-wait] [--json]'],
    details: ['Waits for the result. Where no worker is alive the job runs in this process.'],
    options: {
      date: { value: 'DAY', about: 'the day that it asks for (today)' },
      symbols: { value: 'A,B', about: 'for jobs that ask symbol by symbol' },
      'no-wait': noWait,
      json,
    },
    examples: [
      ['crossfile run fx', "today's exchange rates"],
      ['crossfile run bars-us --date 2026-11-19', 'one day again'],
      ['crossfile run insider-issuer --symbols AAPL,BRK-B', 'the insiders of two issuers'],
    ],
    exits: ['0  it ran', '1  it failed for good', '3  the database cannot be reached'],
  },
  runs: {
    summary: 'what ran, newest first',
    usage: ['crossfile runs [--job NAME] [--state STATE] [--limit N] [--json]', 'crossfile runs dead', 'crossfile runs redrive'],
    details: ['Documents are what was read, fetched how many of them came over the network; refused went to quarantine.'],
    options: {
      job: { value: 'NAME', about: 'only this job' },
      state: { value: 'STATE', about: 'running, done, failed or lost (its worker was killed)' },
      limit: { value: 'N', about: 'how many (20)' },
      json,
    },
    examples: [
      ['crossfile runs --state failed', 'what went wrong lately'],
      ['crossfile runs --job fx --limit 5', ''],
    ],
  },
  'runs dead': {
    summary: 'jobs that were given up, with their reasons',
    usage: ['crossfile runs dead [--job NAME] [--json]'],
    options: { job: { value: 'NAME', about: 'only this job' }, json },
    examples: [['crossfile runs dead', 'crossfile runs redrive puts them back']],
  },
  'runs redrive': {
    summary: 'put given-up jobs back into their queues',
    usage: ['crossfile runs redrive [ID…] [--job NAME] [--json]'],
    details: ['Without ids and --job: all of them.'],
    options: { job: { value: 'NAME', about: 'only this job' }, json },
    examples: [['crossfile runs redrive --job filings', 'after the cause is mended']],
  },
  backfill: {
    summary: 'run a job over a past range, window by window',
    usage: ['crossfile backfill JOB --from DAY --to DAY [--symbols A,B] [--route ROUTE] [--dry-run] [--no-wait] [--json]', 'crossfile backfill list'],
    details: [
      'Says first what each way of having the range costs (at 8 requests and 25 MB a second), and which it takes: bulk files before one request a document.',
      'The same command again resumes it and asks for nothing that is held already. Scheduled runs go first.',
      'Ctrl-C leaves it to the worker; where no worker is alive it runs in this process and stops with it.',
    ],
    options: {
      from: { value: 'DAY', about: 'first day' },
      to: { value: 'DAY', about: 'last day' },
      symbols: { value: 'A,B', about: 'for jobs that are cut by symbol' },
      route: { value: 'ROUTE', about: 'documents, feed, datasets or archive (the cheapest, data sets first)' },
      'dry-run': { about: 'only say what it would cost' },
      'no-wait': noWait,
      json,
    },
    examples: [
      ['crossfile backfill filings-history --from 2024-01-01 --to 2024-12-31', 'four quarters of the EDGAR index'],
      ['crossfile backfill insider --from 2015-01-01 --to 2025-12-31 --dry-run', 'what ten years of Forms 3, 4 and 5 cost by each route'],
      ['crossfile backfill history-tiingo --symbols AAPL,MSFT --from 2000-01-01 --to 2026-11-19', 'two symbols'],
    ],
    exits: ['0  all windows are done', '1  some failed; they are listed with their reasons', '2  the arguments do not fit the job'],
  },
  'backfill list': {
    summary: 'backfills and how far they are',
    usage: ['crossfile backfill list [--limit N] [--json]'],
    options: { limit: { value: 'N', about: 'how many (20)' }, json },
    examples: [['crossfile backfill list', '']],
  },
  quarantine: {
    summary: 'what was held back, by reason, and the newest findings',
    usage: [
      'crossfile quarantine [--dataset NAME] [--reason WORD] [--subject TEXT] [--state STATE] [--limit N] [--json]',
      'crossfile quarantine show ID',
      'crossfile quarantine release ID… | reject ID…',
    ],
    options: {
      dataset: { value: 'NAME', about: 'only this dataset' },
      reason: { value: 'WORD', about: 'only this reason' },
      subject: { value: 'TEXT', about: 'only subjects that contain this: a symbol, an accession' },
      state: { value: 'STATE', about: 'held (default), released, rejected or all' },
      limit: { value: 'N', about: 'how many findings (20; 0 for the counts alone)' },
      json,
    },
    examples: [
      ['crossfile quarantine', 'the counts, then the newest'],
      ['crossfile quarantine --dataset bars --subject SHOP.TO', ''],
    ],
  },
  'quarantine show': {
    summary: 'one finding with its record and the document that it came from',
    usage: ['crossfile quarantine show ID [--json]'],
    options: { json },
    examples: [['crossfile quarantine show 17', '']],
  },
  'quarantine release': {
    summary: 'take findings in after all',
    usage: ['crossfile quarantine release ID… [--note TEXT] [--json]'],
    details: ['The word is journalled beside the raw documents, and the documents are read again so that it takes effect at once.'],
    options: { note: { value: 'TEXT', about: 'why, for whoever asks later' }, json },
    examples: [['crossfile quarantine release 17 18 --note "confirmed by the issuer"', '']],
  },
  'quarantine reject': {
    summary: 'leave findings out for good',
    usage: ['crossfile quarantine reject ID… [--note TEXT] [--json]'],
    details: ['As release: journalled, and the documents are read again.'],
    options: { note: { value: 'TEXT', about: 'why, for whoever asks later' }, json },
    examples: [['crossfile quarantine reject 19 --note "vendor glitch"', '']],
  },
  ingest: {
    summary: 'read a folder of downloaded upstream documents instead of the network',
    usage: ['crossfile ingest --recorded FOLDER [--all] [--json]'],
    details: [
      'Every file is kept raw first; what a reader recognises is read, the rest is listed with the reason. What was read before is not read again.',
      'A run that was stopped or killed loses nothing: the same command again reads what is missing.',
    ],
    options: {
      recorded: { value: 'FOLDER', about: 'the folder; archives in it are unpacked' },
      all: { about: 'list every file that was not read, not only the folders' },
      json,
    },
    examples: [['crossfile ingest --recorded ~/downloads/edgar', '']],
    exits: ['0  something was read, or all of it was read before (also where parts are in quarantine)', '1  nothing could be read'],
  },
  'read-held': {
    summary: 'read documents that were kept and never read, because a process ended before its commit',
    usage: ['crossfile read-held [--dry-run] [--json]'],
    details: [
      'A worker does the same once a day and when it starts (the job read-held). crossfile status and crossfile doctor give the number.',
      'Documents that a running job or another command is about to commit are in the number too; reading them twice changes nothing.',
    ],
    options: { 'dry-run': { about: 'only list them, by source' }, json },
    examples: [['crossfile read-held --dry-run', 'how many, from which source']],
    exits: ['0  none is left', '1  some are left: with --dry-run, or because they cannot be read, with the reason'],
  },
  telemetry: {
    summary: 'what browsers reported: how fast pages were, what the security policy blocked',
    usage: ['crossfile telemetry [--days N] [--json]'],
    details: ['Counted by day without a trace of who sent it. A worker makes the figures every quarter of an hour.'],
    options: { days: { value: 'N', about: 'the last so many days (7)' }, json },
    examples: [['crossfile telemetry --days 30', 'the last month']],
  },
  incidents: {
    summary: 'incidents of the status page: list, open, update',
    usage: ['crossfile incidents [--state open|resolved|all] [--limit N] [--json]'],
    details: ['Those that a rule opened are resolved by it when the component is well again; yours when you say so.'],
    options: {
      state: { value: 'STATE', about: 'open, resolved or all (all)' },
      limit: { value: 'N', about: 'newest so many (50)' },
      json,
    },
    examples: [['crossfile incidents --state open', 'what goes on now']],
  },
  'incidents open': {
    summary: 'tell of trouble or of planned work',
    usage: ['crossfile incidents open --title TITLE [--impact IMPACT] [--component NAME] [--note TEXT] [--since INSTANT] [--json]'],
    options: {
      title: { value: 'TITLE', about: 'one line, at most 200 characters' },
      impact: { value: 'IMPACT', about: 'minor, major, critical or maintenance (minor)' },
      component: { value: 'NAME', about: 'which one of GET /api/v1/status it is about' },
      note: { value: 'TEXT', about: 'what is known so far' },
      since: { value: 'INSTANT', about: 'when it began (now)' },
      json,
    },
    examples: [['crossfile incidents open --title "Quotes are late" --component dataset:quotes', '']],
  },
  'incidents update': {
    summary: 'add to an incident, or resolve it',
    usage: ['crossfile incidents update ID [--note TEXT] [--impact IMPACT] [--resolve] [--json]'],
    options: {
      note: { value: 'TEXT', about: 'a line that is added' },
      impact: { value: 'IMPACT', about: 'minor, major, critical or maintenance' },
      resolve: { about: 'it is over' },
      json,
    },
    examples: [['crossfile incidents update inc_0123456789abcdef --resolve --note "The source answers again"', '']],
  },
  ...peopleCommands,
  rebuild: {
    summary: 'derive every dataset again from the raw documents alone, and compare the digests',
    usage: ['crossfile rebuild [--expect DIGEST] [--keep] [--json]', 'crossfile rebuild --digest [--json]'],
    details: ['Where a catalogue is there, it is left alone and compared with; where it is gone, the data folder itself is rebuilt.'],
    options: {
      digest: { about: 'only print the digest of the state that is there' },
      expect: { value: 'DIGEST', about: 'also compare with this digest, such as one noted before the catalogue was lost' },
      keep: { about: 'keep the lake and database that were made for the comparison' },
      json,
    },
    examples: [['crossfile rebuild', '']],
    exits: ['0  equal, or rebuilt', '1  the digests differ'],
  },
  repair: {
    summary: 'hash every lake file, and put damaged ones back from a backup or from the raw documents',
    usage: ['crossfile repair [--dry-run] [--from PLACE] [--json]'],
    details: [
      '--from takes a place that crossfile backup wrote, or a copy of a data folder; only bytes with the right SHA-256 are taken, also for raw documents.',
      'Without a backup the datasets are derived again from raw beside the catalogue, and the missing rows become the file again.',
      'A damaged warehouse.duckdb is written again. Jobs that were given up meanwhile are counted; crossfile runs redrive sends them again.',
      'It may run beside the service, which answers the repaired questions within a minute.',
    ],
    options: {
      'dry-run': { about: 'only say what is damaged and what would be done' },
      from: { value: 'PLACE', about: 'a backup to restore files from: a folder, or s3://bucket/prefix' },
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
      docs: { value: 'DIR', about: 'the documents' },
      facts: { value: 'FILE', about: 'JSON: path of a document -> its facts' },
      all: { about: 'count kinds of documents that are not read yet as unequal' },
      report: { value: 'DIR', about: 'write index.html there: every fact, ours and the expected one, with its place in the document' },
      json,
    },
    examples: [
      ['crossfile accuracy --docs real/edgar --facts real/edgar/facts.json', ''],
      ['crossfile accuracy --docs real/edgar --facts real/edgar/facts.json --report out', 'a page to show to others'],
    ],
    exits: ['0  every fact is equal', '1  any differs'],
  },
  items: {
    summary: 'what was located in a report: each item with its status, words, place and flags',
    usage: ['crossfile items FILE [--form FORM] [--text ITEM] [--json]'],
    details: [
      'FILE is a 10-K, 10-Q, 20-F, 40-F or 8-K: the full submission, or its document alone (HTML or text, gzip too).',
      'Place is in characters of the visible text; --json has the place in the file and the text of every item, too.',
    ],
    options: {
      form: { value: 'FORM', about: 'the form, where neither header nor cover names it' },
      text: { value: 'ITEM', about: 'print the text of one item, such as 1A, II.1A, 3.D or 2.02' },
      json,
    },
    examples: [
      ['crossfile items aapl-10k.htm', 'a table of its items'],
      ['crossfile items report.txt --text 1A', 'its risk factors'],
    ],
    exits: ['0  items were located', '1  none was, or the item has no text', '2  the file is no report'],
  },
  read: {
    summary: 'the facts of one document of any kind, as its reader gives them',
    usage: ['crossfile read FILE [--json]'],
    details: ['Nothing is stored. --json has every row; without it each dataset shows its first rows.'],
    options: { json },
    examples: [
      ['crossfile read form4.xml', 'filing, transactions and holdings'],
      ['crossfile read 0000320193-24-000123.txt --json', 'everything that a submission tells'],
    ],
    exits: ['0  facts were read', '1  it was refused, or holds none', '2  no reader knows the file'],
  },
  adjust: {
    summary: 'adjust a series of bars by its corporate actions, or compare it with an expected one',
    usage: ['crossfile adjust --bars F.csv --actions F.csv [--expected F.csv] [--convention NAME] [--json]'],
    details: [
      'Heads: bars date,open,high,low,close,volume; actions ex_date,kind,numerator,denominator,amount,currency; expected date,adjusted_close.',
      'Documents of EODHD, Tiingo, Polygon, Yahoo, Alpha Vantage, Quandl, Lean and TMX are read as they are, for any of the three; --actions may stand twice.',
    ],
    options: {
      bars: { value: 'FILE', about: 'daily bars as traded' },
      actions: { value: 'FILE', about: 'splits and dividends; may be given twice' },
      symbol: { value: 'SYMBOL', about: 'which one, where a file holds several' },
      expected: { value: 'FILE', about: "the series to compare with: adjusted closes, or Lean's factors" },
      tolerance: { value: 'N', about: 'relative difference that still counts as equal: 1e-4, or a source: yahoo, lean, wiki, eodhd, exact' },
      convention: { value: 'NAME', about: 'yahoo_crsp (default), quandl_wiki or split_only' },
      adjust: { value: 'MODE', about: 'all (default), split or none' },
      'as-of': { value: 'DAY', about: 'only actions whose ex-date is not later' },
      currency: { value: 'CODE', about: "the bars' currency, where the file does not say" },
      fx: { value: 'FILE', about: 'exchange rates, for dividends in another currency' },
      'amount-basis': { value: 'BASIS', about: 'post_split or pre_split: what a dividend on the day of a split is per' },
      'exclude-spinoffs': { about: 'leave spin-offs out' },
      json,
    },
    examples: [['crossfile adjust --bars bars.csv --actions actions.csv --expected adjusted.csv', 'the worst difference and its day']],
    exits: ['0  within the tolerance', '1  not', '2  a file cannot be read'],
  },
  ...reckonCommands,
  ...backupCommands,
  ...receiptCommands,
  help: {
    summary: 'this list, or one command with its options and examples',
    usage: ['crossfile help [COMMAND]'],
    options: {},
    examples: [['crossfile help backfill', '']],
  },
} as const satisfies Readonly<Record<string, Command>>

export type CommandName = keyof typeof commands
export const commandNames = Object.keys(commands) as CommandName[]
