// Commands about backups and the state of the installation.
import { type Command, flag, json, repeated, valued } from './command.ts'

const passphraseFile = valued('FILE', 'its first line is the passphrase of the keys; without it the terminal prompts')

export const backupCommands = {
  backup: {
    summary: 'back up database, raw documents and lake while the service runs',
    usage: [
      'crossfile backup [DIR] [--to PLACE] [--keys] [--passphrase-file FILE] [--since RELEASE] [--json]',
      'crossfile backup list [DIR]',
      'crossfile backup verify [DIR]',
    ],
    details: [
      'The default target is CROSSFILE_BACKUP_TO. Files that the target already has are not copied again.',
      'The recovery point is the instant at which the command reads the database. Not included: settings, the drop-in folder, models (rebuilt), sessions.',
      'The keys folder is included with --keys only, encrypted. Without the keys, no password and no second factor works after a restore: keep a copy of keys/ elsewhere.',
    ],
    options: {
      to: valued('PLACE', 'a folder, or s3://bucket/prefix (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, CROSSFILE_S3_ENDPOINT, CROSSFILE_S3_REGION)'),
      keys: flag('include the keys, encrypted with a passphrase'),
      'passphrase-file': passphraseFile,
      since: valued('RELEASE', 'omit lake files that a backup of this release has; restore then requires that backup too (--base)'),
      json,
    },
    examples: [
      ['crossfile backup /mnt/backup --keys --passphrase-file ~/crossfile-passphrase', 'everything, on another disk'],
      ['crossfile backup --to s3://my-bucket/crossfile', 'to an object store'],
    ],
    exits: [
      '0  the backup is complete',
      '1  a file of the data folder is damaged or missing: no backup was made',
      '3  the database or object store cannot be reached',
    ],
  },
  'backup list': {
    summary: 'the backups of a target, oldest first',
    usage: ['crossfile backup list [DIR] [--to PLACE] [--json]'],
    options: { to: valued('PLACE', 'a folder, or s3://bucket/prefix'), json },
    examples: ['crossfile backup list /mnt/backup'],
  },
  'backup verify': {
    summary: 'read a whole backup and compare every byte with its digest',
    usage: ['crossfile backup verify [DIR] [--to PLACE] [--at BACKUP] [--base DIR] [--json]'],
    details: ['Names every damaged or missing object and the file or table that it belongs to. Nothing is changed.'],
    options: {
      to: valued('PLACE', 'a folder, or s3://bucket/prefix'),
      at: valued('BACKUP', 'the backup, as crossfile backup list names it (the newest)'),
      base: repeated('DIR', 'the folder of the earlier backup, for a backup made with --since'),
      json,
    },
    examples: [['crossfile backup verify /mnt/backup', 'the newest backup']],
    exits: ['0  every byte is unchanged', '1  something is damaged or missing'],
  },
  restore: {
    summary: 'restore a backup into an empty folder',
    usage: [
      'crossfile restore PLACE [--data FOLDER] [--at BACKUP] [--passphrase-file FILE | --without-keys] [--erasures FILE] [--base DIR] [--json]',
    ],
    details: [
      'Verifies the whole backup first and writes nothing if anything is damaged. Never overwrites: folder and database must be empty.',
      'The database goes into the folder, or into the empty one that DATABASE_URL names.',
      'Accounts that were erased after the backup are erased again, from the newest list of the target and --erasures. All users must sign in again.',
    ],
    options: {
      data: valued('FOLDER', 'the new data folder (CROSSFILE_DATA)'),
      at: valued('BACKUP', 'the backup, as crossfile backup list names it (the newest)'),
      'passphrase-file': passphraseFile,
      'without-keys': flag('omit the keys; copy keys/ into the folder yourself before the start'),
      erasures: valued('FILE', 'a newer copy of erasures.jsonl'),
      base: repeated('DIR', 'the folder of the earlier backup, for a backup made with --since'),
      json,
    },
    examples: ['crossfile restore /mnt/backup --data ./data-restored --passphrase-file ~/crossfile-passphrase'],
    exits: ['0  restored', '1  the backup is damaged: nothing was written', '2  folder or database is not empty, or the passphrase is wrong'],
  },
  doctor: {
    summary: 'check disk, folders, database, clock, keys, documents, files and jobs, and suggest fixes',
    usage: ['crossfile doctor [--json]'],
    details: [
      'Works while the service runs, and when the database is down: checks that could not be made are listed. Reads every file of the lake and of the raw store once.',
    ],
    options: { json },
    examples: [['crossfile doctor', 'every check with its finding']],
    exits: ['0  nothing is wrong', '1  something is wrong'],
  },
} as const satisfies Readonly<Record<string, Command>>
