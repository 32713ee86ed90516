// Commands about receipts and the keys that sign them.
import { type Command, flag, group, json, repeated, valued } from './command.ts'

export const receiptCommands = {
  receipt: {
    summary: 'the bundle of a receipt, for verification without Crossfile',
    usage: ['crossfile receipt ID [--out FILE] [--json]', 'crossfile receipt ID --jws [--detached] [--out FILE]'],
    details: [
      'Prints the *.receipt.json that verify-offline.mjs reads: statement, signature, public keys, and the answer if it is stored.',
      'The same bytes as GET /api/v1/data/receipts/{id}/bundle.',
      'With --jws: the statement as JWS (RFC 7515, alg Ed25519), signed now by the active key, for libraries that know no DSSE.',
    ],
    options: {
      out: valued('FILE', 'write the bundle to this file, which must not exist, and print a summary'),
      jws: flag('print the receipt as JWS in compact form in place of the bundle'),
      detached: flag('of --jws: without the payload (RFC 7515 appendix F)'),
      json,
    },
    examples: [
      ['crossfile receipt r1_… --out answer.receipt.json', 'then: node warehouse/store/receipts/verify-offline.mjs answer.receipt.json'],
      ['crossfile receipt r1_… > answer.receipt.json', 'the same file'],
      ['crossfile receipt r1_… --jws', 'for jose and similar libraries'],
    ],
    exits: ['0  the receipt is valid today', '1  it is not valid; the bundle is printed anyway', '2  no such receipt'],
  },
  receipts: {
    summary: 'answers with receipts: what changed between two, the history of one value, and which figures of a text they support',
    usage: [
      'crossfile receipts diff A B [--json]',
      'crossfile receipts history RECEIPT PLACE [--json]',
      'crossfile receipts check TEXT-FILE RECEIPT... [--json]',
    ],
    ...group('receipts diff'),
  },
  'receipts diff': {
    summary: 'what changed between two answers to one question, value by value, and why',
    usage: ['crossfile receipts diff A B [--json]'],
    details: [
      'A and B are the ids of two receipts of one question. An answer that is not stored is made again from the files of its release.',
      'Each value that differs is printed with its cause: a restatement, a correction, a new filing, another ruleset or another version of the code.',
      'The same as GET /api/v1/data/receipts/{a}/diff/{b}.',
    ],
    options: { json },
    examples: ['crossfile receipts diff r1_… r1_…'],
    exits: ['0  compared', '1  different, but the values cannot be compared', '2  no such receipt, or different questions'],
  },
  'receipts check': {
    summary: 'which figures of a text signed answers support, each with its place',
    usage: ['crossfile receipts check TEXT-FILE RECEIPT... [--json]'],
    details: [
      'TEXT-FILE is a text in UTF-8 of at most 16,000 characters, or - for standard input. At most 20 receipts with together 4 MiB of answers.',
      'Each figure is printed with line and column: supported with the value that it is bound to, ambiguous with the places that it may mean, or unsupported with the reason.',
      'The same as POST /api/v1/receipts/check.',
    ],
    options: { json },
    examples: ['crossfile receipts check note.txt r1_…', ['crossfile receipts check - r1_… r1_… < note.txt', 'with two answers']],
    exits: ['0  every figure is supported', '1  at least one is ambiguous or unsupported', '2  no such receipt, or it is not valid'],
  },
  'receipts history': {
    summary: 'each release in which one value of an answer changed, with receipts',
    usage: ['crossfile receipts history RECEIPT PLACE [--from TIME] [--to TIME] [--after RELEASE] [--json]'],
    details: [
      'PLACE is a path as `crossfile receipts diff` prints it (bars[date=2026-05-15].close) or a JSON Pointer into the signed answer (/bars/0/close).',
      'The question is answered at each release that changed one of its datasets; each answer with another value is signed.',
      'The same as GET /api/v1/data/receipts/{receipt_id}/history.',
    ],
    options: {
      from: valued('TIME', 'begin with the value that was valid then (a day, or an instant in UTC)'),
      to: valued('TIME', 'end with the releases of then'),
      after: valued('RELEASE', 'continue behind this release'),
      json,
    },
    examples: ["crossfile receipts history r1_… 'bars[date=2026-05-15].adjusted_close'"],
    exits: ['0  compared', '1  no such receipt', '2  the answer has no such place'],
  },
  reproduce: {
    summary: 'compute signed answers again, from their raw documents, and compare the bytes',
    usage: [
      'crossfile reproduce RECEIPT... [--json]',
      'crossfile reproduce --sample N [--seed SEED] [--json]',
      'crossfile reproduce --raw DIR --bundle FILE... [--json]',
    ],
    details: [
      'Each receipt is equal, different (with the first differing place) or not possible, with the reason. Documents of several receipts are parsed once.',
      'With --raw it needs no database: only this program, a copy of the folder raw of the data folder, and the bundles of the receipts.',
      'A sample has receipts of GET requests among the first SIZE entries of the log, in the order of SHA-256(SEED, line feed, receipt id).',
    ],
    options: {
      sample: valued('N', 'draw N receipts of the log (default with --seed: 100)'),
      seed: valued('SEED', 'repeat the sample of a seed, such as 2026-11-28/1234 (default: the day and the size of the log)'),
      bundle: repeated('FILE', 'a receipt by its *.receipt.json; may be given several times'),
      raw: valued('DIR', 'read the documents from this folder of raw packs alone'),
      json,
    },
    examples: [
      ['crossfile reproduce r1_…', 'one receipt'],
      ['crossfile reproduce --sample 500', 'a random sample'],
      ['crossfile reproduce --raw /mnt/copy/raw --bundle answer.receipt.json', 'on another machine'],
    ],
    exits: ['0  no receipt is different', '1  one is different, or none could be computed again', '2  no such receipt or file'],
  },
  'receipt-log': {
    summary: 'the public log of receipts: its state, its keys and its witnesses',
    usage: ['crossfile receipt-log [--json]', 'crossfile receipt-log continue [--json]'],
    details: ['docs/receipts.md describes the log and its witnesses. The keys are in the form that operators of witnesses need.'],
    options: { json },
    examples: ['crossfile receipt-log'],
    exits: ['0  the log is signed', '1  it is not: the output has the reason'],
  },
  'receipt-log continue': {
    summary: 'continue the log of receipts after a restored backup or a lost copy of its checkpoint',
    usage: ['crossfile receipt-log continue [--json]'],
    details: [
      'After a restored backup: takes the entries that were published since from the folder receipt-log, so that no published entry is lost.',
      'If the published checkpoint is lost: publishes the one of the database. If a newer one had been published, others can prove that the log was forked.',
      'Does nothing if the log is signed. Refuses a fork and damaged files.',
    ],
    options: { json },
    examples: ['crossfile receipt-log continue'],
  },
  witness: {
    summary: "cosign the checkpoints of other installations' logs until Ctrl-C",
    usage: [
      'crossfile witness [--folder DIR] [--name NAME] [--logs FILE] [--listen HOST:PORT] [--clock-corrected] [--json]',
      'crossfile witness status',
    ],
    details: [
      'A separate HTTP service (C2SP tlog-witness). It needs no database and no data folder of Crossfile. docs/receipts.md describes witnesses.',
      'The first start makes the folder with an Ed25519 key and needs --name. It prints the verifier key, which the operators of the logs add to CROSSFILE_WITNESSES.',
      'FILE lists the logs: a line logs/v0, then a line "vkey KEY" for each key of a log (crossfile receipt-log prints them). It is read again when it changes.',
      'A checkpoint is cosigned only if it extends the one that was cosigned before. Signed checkpoints that contradict each other are kept in DIR/evidence.',
    ],
    options: {
      folder: valued('DIR', 'key, state and evidence (witness)'),
      name: valued('NAME', 'name of the key, an address without scheme such as witness.example.org; needed once, cannot change'),
      logs: valued('FILE', 'the logs to follow (DIR/logs)'),
      listen: valued('HOST:PORT', 'where to listen (127.0.0.1:4040); port 0 takes any free one'),
      'clock-corrected': flag('cosign although the clock is before the newest cosignature: only if the clock was wrong before'),
      json: flag('print one JSON line on stdout when ready'),
    },
    examples: [['crossfile witness --name witness.example.org --logs logs.txt --listen 0.0.0.0:4040', 'behind a proxy with HTTPS']],
  },
  'witness status': {
    summary: 'the trees that a witness cosigned last, and evidence of forks',
    usage: ['crossfile witness status [--folder DIR] [--json]'],
    options: { folder: valued('DIR', 'folder of the witness (witness)'), json },
    examples: ['crossfile witness status'],
    exits: ['0  no fork was seen', '1  two signed checkpoints of one log contradict each other: the output names the files'],
  },
  'signing-keys': {
    summary: 'the keys that sign receipts: list, rotate, revoke, import, export-public',
    usage: [
      'crossfile signing-keys list',
      'crossfile signing-keys rotate',
      'crossfile signing-keys revoke [KEY] --from TIME',
      'crossfile signing-keys import FILE',
      'crossfile signing-keys export-public [KEY] [--out FILE]',
    ],
    details: [
      'In an emergency: a key leaked: revoke --from the earliest time at which others may have had it. A key is lost and was not copied: rotate.',
      'docs/signing-keys.md has the steps. Running workers and APIs apply a change immediately, without a restart.',
    ],
    ...group('signing-keys revoke'),
  },
  'signing-keys list': {
    summary: 'every key, its state, its receipts, and where its private half is',
    usage: ['crossfile signing-keys list [--json]'],
    options: { json },
    examples: ['crossfile signing-keys list'],
    exits: ['0  answers are signed', '1  answers are not signed, or receipts of a revoked key still need their second signature'],
  },
  'signing-keys rotate': {
    summary: 'sign with a new key from now on; the receipts of the old one stay valid',
    usage: ['crossfile signing-keys rotate [--json]'],
    details: [
      'Use it for a planned change, or if a key was lost and no other person has it. If another person may have the key, use revoke.',
      'Uses an imported key that is pending, else creates a new one in the keys folder of this machine.',
    ],
    options: { json },
    examples: ['crossfile signing-keys rotate'],
  },
  'signing-keys revoke': {
    summary: 'declare a key stolen: its signatures from a time on are invalid',
    usage: ['crossfile signing-keys revoke [KEY] --from TIME [--json]'],
    details: [
      'KEY is an id or the beginning of one (default: the active key). If the active key is revoked, a new key replaces it.',
      'Receipts that this database stored before TIME stay valid: the new active key signs them again, under the same id.',
      'Receipts of TIME and later verify as key_compromised. Their answers are rebuilt and signed again, under the same id, when they are requested.',
      'Signatures made with leaked copies of the key do not verify. This cannot be undone; an earlier TIME may be given later.',
    ],
    options: {
      from: valued('TIME', 'when others may first have had it:  2026-11-20T14:00:00Z, a day (its first moment in UTC), or now'),
      json,
    },
    examples: [
      ['crossfile signing-keys revoke --from 2026-11-20T14:00:00Z', 'the active key leaked at that time at the earliest'],
      ['crossfile signing-keys revoke kPrK_qmx --from 2026-01-01', 'another key'],
    ],
    exits: [
      '0  revoked, and all follow-up work is done',
      '1  revoked, but no new key could be made or receipts are still to be signed: the output lists what to do',
    ],
  },
  'signing-keys import': {
    summary: 'add a private key to the keys folder: from a backup, from another machine, or one you made',
    usage: ['crossfile signing-keys import FILE [--json]'],
    details: [
      'FILE is one Ed25519 private key in PEM (PKCS #8), readable by you alone (mode 0600). It is copied; remove FILE afterwards.',
      'If it is the active key, signing continues with it. A key that is new to this installation is published as pending and signs after the next rotate.',
    ],
    options: { json },
    examples: [
      ['crossfile signing-keys import /mnt/backup/keys/signing-1.pem', 'after the keys folder was lost'],
      ['openssl genpkey -algorithm ed25519 -out own.pem && crossfile signing-keys import own.pem', 'a key you made, announced before it signs'],
    ],
  },
  'signing-keys export-public': {
    summary: 'the public keys, for readers who verify offline',
    usage: ['crossfile signing-keys export-public [KEY] [--pem] [--out FILE]'],
    details: ['The key set that verify-offline.mjs takes with --keys, as GET /api/v1/receipts/keys serves it. Contains nothing secret.'],
    options: {
      pem: flag('one key as PEM, for openssl (KEY, or the active one)'),
      out: valued('FILE', 'write to this file, which must not exist'),
      json,
    },
    examples: ['crossfile signing-keys export-public --out keys.json', 'crossfile signing-keys export-public --pem'],
  },
} as const satisfies Readonly<Record<string, Command>>
