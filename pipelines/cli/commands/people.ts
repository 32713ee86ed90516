// Commands about people: administrators, keys, mail, accounts, erasures.
import { type Command, json } from './command.ts'

export const peopleCommands = {
  admin: {
    summary: 'administrators: create, list, revoke',
    usage: ['crossfile admin create EMAIL', 'crossfile admin list', 'crossfile admin revoke EMAIL|ID'],
    options: {},
    examples: [['crossfile help admin create', 'its options']],
  },
  'admin create': {
    summary: 'make an administrator, or give one a new second factor',
    usage: ['crossfile admin create EMAIL [--password] [--json]'],
    details: [
      'Asks for a password where the account has none yet: on the terminal, without showing it, or as the first line of standard input.',
      'Prints the secret for an authenticator and ten recovery codes, this once; what stood before is void.',
    ],
    options: { password: { about: 'set a new password too' }, json },
    examples: [
      ['crossfile admin create jane.roe@example.org', ''],
      ['crossfile admin create jane.roe@example.org --json < password.txt', 'from a file'],
    ],
  },
  'admin list': {
    summary: 'every administrator, and whether the second factor is enrolled',
    usage: ['crossfile admin list [--json]'],
    options: { json },
    examples: [['crossfile admin list', '']],
  },
  'admin revoke': {
    summary: 'make somebody an administrator no longer',
    usage: ['crossfile admin revoke EMAIL|ID [--json]'],
    details: ['Ends the sessions of administration and removes the second factor; the account stays. The last administrator stays too.'],
    options: { json },
    examples: [['crossfile admin revoke jane.roe@example.org', '']],
  },
  'audit verify': {
    summary: 'check that the audit chain is as it was written',
    usage: ['crossfile audit verify [--json]'],
    details: ['Hashes every entry over the one before it. Nothing is changed.'],
    options: { json },
    examples: [['crossfile audit verify', '']],
    exits: ['0  it holds', '1  an entry was changed, put in or taken out', '3  the database cannot be reached'],
  },
  keys: {
    summary: 'API keys: create, list, revoke',
    usage: ['crossfile keys create --name NAME', 'crossfile keys list', 'crossfile keys revoke ID|LAST4'],
    options: {},
    examples: [['crossfile help keys create', 'its options']],
  },
  'keys create': {
    summary: 'make a key and print it, this once',
    usage: ['crossfile keys create --name NAME [--tier TIER] [--scopes A,B] [--expires-days N|never] [--json]'],
    options: {
      name: { value: 'NAME', about: 'what it is for' },
      tier: { value: 'TIER', about: 'free, core (default), trader, alpha, apex or prime' },
      scopes: { value: 'A,B', about: 'data:read,market:read (default), mcp, mcp:mineral' },
      'expires-days': { value: 'N', about: 'days until it expires (365), or never' },
      json,
    },
    examples: [['crossfile keys create --name spreadsheet --scopes market:read --expires-days 90', '']],
  },
  'keys list': {
    summary: 'all keys, without their text',
    usage: ['crossfile keys list [--json]'],
    options: { json },
    examples: [['crossfile keys list', '']],
  },
  'keys revoke': {
    summary: 'end a key; every process refuses it within 5 seconds',
    usage: ['crossfile keys revoke ID|LAST4 [--json]'],
    options: { json },
    examples: [['crossfile keys revoke x7Qp', 'by its last four characters, where only one live key ends so']],
  },
  erasures: {
    summary: 'who was erased, by hash and date',
    usage: ['crossfile erasures [--json]'],
    details: ['The job erasure writes the same list to erasures.jsonl in the data folder. Keep a copy apart from the database.'],
    options: { json },
    examples: [['crossfile erasures', '']],
  },
  'erasures replay': {
    summary: 'after a restore: erase again whoever a list says was erased',
    usage: ['crossfile erasures replay FILE [--json]'],
    details: ['Run it before the API is started. Run again, it changes nothing.'],
    options: { json },
    examples: [['crossfile erasures replay /backup/erasures.jsonl', '']],
  },
  outbox: {
    summary: 'mail that waits, was sent or was given up',
    usage: ['crossfile outbox [--state STATE] [--limit N] [--json]', 'crossfile outbox show ID', 'crossfile outbox retry ID'],
    details: ['Without a mail server (CROSSFILE_SMTP_URL) mail stays here, and its links are read here.'],
    options: {
      state: { value: 'STATE', about: 'waiting, sent, given_up or all (all)' },
      limit: { value: 'N', about: 'newest so many (20)' },
      json,
    },
    examples: [['crossfile outbox --state given_up', 'what could not be delivered']],
  },
  'outbox show': {
    summary: 'one mail with its text and links',
    usage: ['crossfile outbox show ID [--json]'],
    details: ['The text of a mail is forgotten when it was sent.'],
    options: { json },
    examples: [['crossfile outbox show 3', 'the link that confirms an address, where no mail server is set']],
  },
  'outbox retry': {
    summary: 'send a mail that waits or was given up now',
    usage: ['crossfile outbox retry ID [--json]'],
    options: { json },
    examples: [['crossfile outbox retry 3', 'after the cause is mended']],
  },
  users: {
    summary: 'accounts: list, show, disable, enable, remove a second factor',
    usage: [
      'crossfile users list',
      'crossfile users show EMAIL|ID',
      'crossfile users disable EMAIL|ID',
      'crossfile users enable EMAIL|ID',
      'crossfile users remove-factor EMAIL|ID',
    ],
    options: {},
    examples: [['crossfile help users list', 'its options']],
  },
  'users list': {
    summary: 'accounts, newest first',
    usage: ['crossfile users list [--email BEGINNING] [--limit N] [--json]'],
    options: {
      email: { value: 'BEGINNING', about: 'only addresses that begin so' },
      limit: { value: 'N', about: 'newest so many (50)' },
      json,
    },
    examples: [['crossfile users list --email jane', '']],
  },
  'users show': {
    summary: 'one account: tier, state, where it is signed in',
    usage: ['crossfile users show EMAIL|ID [--json]'],
    options: { json },
    examples: [['crossfile users show jane.roe@example.org', '']],
  },
  'users disable': {
    summary: 'close an account to its holder, and end its sessions',
    usage: ['crossfile users disable EMAIL|ID [--json]'],
    details: ['Nothing of it is deleted; the act stands in the audit chain.'],
    options: { json },
    examples: [['crossfile users disable jane.roe@example.org', '']],
  },
  'users enable': {
    summary: 'open a disabled account again',
    usage: ['crossfile users enable EMAIL|ID [--json]'],
    options: { json },
    examples: [['crossfile users enable jane.roe@example.org', '']],
  },
  'users remove-factor': {
    summary: 'remove the second factor of somebody who lost phone and recovery codes',
    usage: ['crossfile users remove-factor EMAIL|ID [--json]'],
    details: [
      'Be sure who asks: from then on the password alone signs in. The holder is told by mail, and the act stands in the audit chain.',
      'An administrator cannot be without a second factor: crossfile admin create gives another one.',
    ],
    options: { json },
    examples: [['crossfile users remove-factor jane.roe@example.org', '']],
  },
} as const satisfies Readonly<Record<string, Command>>
