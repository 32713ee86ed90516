// Commands about receipts and the keys that sign them.
import { type Command, json } from './command.ts'

export const receiptCommands = {
  receipt: {
    summary: 'the bundle of a receipt, to verify without Crossfile',
    usage: ['crossfile receipt ID [--out FILE] [--json]'],
    details: [
      'Prints the *.receipt.json that verify-offline.mjs reads: statement, signature, public keys, and the answer where it is stored.',
      'The same bytes as GET /api/v1/data/receipts/{id}/bundle.',
    ],
    options: { out: { value: 'FILE', about: 'write the bundle to this file, which must not exist, and print what it says' }, json },
    examples: [
      ['crossfile receipt r1_… --out answer.receipt.json', 'then: node warehouse/receipts/verify-offline.mjs answer.receipt.json'],
      ['crossfile receipt r1_… > answer.receipt.json', 'the same file'],
    ],
    exits: ['0  the receipt is valid today', '1  it is not valid; the bundle is printed all the same', '2  no such receipt'],
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
      'docs/signing-keys.md has the steps. Running workers and APIs follow at once, without a restart.',
    ],
    options: {},
    examples: [['crossfile help signing-keys revoke', 'its options']],
  },
  'signing-keys list': {
    summary: 'every key, its state, its receipts, and where its private half is',
    usage: ['crossfile signing-keys list [--json]'],
    options: { json },
    examples: [['crossfile signing-keys list', '']],
    exits: ['0  answers are signed', '1  answers are not signed, or receipts of a revoked key wait for their second signature'],
  },
  'signing-keys rotate': {
    summary: 'sign with a new key from now on; the receipts of the old one stay valid',
    usage: ['crossfile signing-keys rotate [--json]'],
    details: [
      'For a planned change, and for a key that was lost (nobody else has it). For a key that somebody else may have: revoke.',
      'Takes a key that was imported and is pending, else makes a new one in the keys folder of this machine.',
    ],
    options: { json },
    examples: [['crossfile signing-keys rotate', '']],
  },
  'signing-keys revoke': {
    summary: 'declare a key stolen: what it signed from a time on no longer counts',
    usage: ['crossfile signing-keys revoke [KEY] --from TIME [--json]'],
    details: [
      'KEY is an id or the beginning of one; without it the key that signs now. Where that one is revoked, a new key takes its place.',
      'Receipts that this database stored before TIME stay valid: they are signed again by the key that signs then, under the same id.',
      'Receipts of TIME and later verify as key_compromised. Their answers are made and signed again, under the same id, when they are requested.',
      'Copies of the key outside sign nothing that verifies. This cannot be undone; an earlier TIME may be given later.',
    ],
    options: {
      from: { value: 'TIME', about: 'since when others may have had it: 2026-11-20T14:00:00Z, a day (its first moment in UTC), or now' },
      json,
    },
    examples: [
      ['crossfile signing-keys revoke --from 2026-11-20T14:00:00Z', 'the key that signs now leaked at that time at the earliest'],
      ['crossfile signing-keys revoke kPrK_qmx --from 2026-01-01', 'another key'],
    ],
    exits: [
      '0  revoked, and everything that follows is done',
      '1  revoked, but no new key could be made or receipts still wait: the output says what to do',
    ],
  },
  'signing-keys import': {
    summary: 'take a private key into the keys folder: one from a backup or another machine, or one of your own',
    usage: ['crossfile signing-keys import FILE [--json]'],
    details: [
      'FILE is one Ed25519 private key in PEM (PKCS #8), readable by you alone (mode 0600). It is copied; remove FILE afterwards.',
      'If it is the key that signs now, signing goes on with it. A key that is new here is published as pending and signs from the next rotate on.',
    ],
    options: { json },
    examples: [
      ['crossfile signing-keys import /mnt/backup/keys/signing-1.pem', 'after the keys folder was lost'],
      ['openssl genpkey -algorithm ed25519 -out own.pem && crossfile signing-keys import own.pem', 'a key of your own, announced before it signs'],
    ],
  },
  'signing-keys export-public': {
    summary: 'the public keys, for readers who verify offline',
    usage: ['crossfile signing-keys export-public [KEY] [--pem] [--out FILE]'],
    details: ['The key set that verify-offline.mjs takes with --keys, as GET /api/v1/receipts/keys serves it. Holds nothing secret.'],
    options: {
      pem: { about: 'one key as PEM, for openssl (KEY, or the one that signs now)' },
      out: { value: 'FILE', about: 'write to this file, which must not exist' },
      json,
    },
    examples: [
      ['crossfile signing-keys export-public --out keys.json', ''],
      ['crossfile signing-keys export-public --pem', ''],
    ],
  },
} as const satisfies Readonly<Record<string, Command>>
