// `crossfile completion SHELL`: a script that completes commands, subcommands and options, made from the table of commands.
import { BadRequest } from '#schemas/errors.ts'
import { oneOf, readArguments } from './arguments.ts'
import { commandNames, commands } from './commands.ts'
import type { Io } from './io.ts'
import { quoted } from './shell.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

/** Prints the script of a shell. */
export function completion(argv: readonly string[], io: Io): number {
  const { rest } = readArguments('completion', commands.completion.options, argv, { most: 1 })
  if (rest[0] === undefined) throw new BadRequest('completion: the shell is missing', { hint: `crossfile completion ${shells.join('|')}` })
  io.out({ bash, zsh, fish }[oneOf('completion', rest[0], shells)]())
  return 0
}

type Entry = {
  readonly name: string
  readonly below: readonly string[]
  readonly options: readonly { readonly flag: string; readonly about: string; readonly value: string | null }[]
}

const entries = (): Entry[] =>
  commandNames.map(name => ({
    name,
    below: commandNames.filter(other => other.startsWith(`${name} `)).map(other => other.slice(name.length + 1)),
    options: [
      ...Object.entries(commands[name].options as Readonly<Record<string, { readonly about: string; readonly value?: string }>>).map(
        ([option, { about, value }]) => ({ flag: `--${option}`, about, value: value ?? null }),
      ),
      { flag: '--help', about: 'what it does, its options and examples', value: null },
    ],
  }))
/** Names that a first word can be; a command with a space is also reached where no command has its first word alone. */
const firstWords = (): string[] => [...new Set(commandNames.map(name => name.split(' ')[0] ?? ''))]

function bash(): string {
  const cases = entries().map(
    ({ name, options }) => `    ${JSON.stringify(name)}) echo ${JSON.stringify(options.map(({ flag }) => flag).join(' '))} ;;`,
  )
  const below = firstWords()
    .map(first => ({ first, words: commandNames.filter(name => name.startsWith(`${first} `)).map(name => name.slice(first.length + 1)) }))
    .filter(({ words }) => words.length > 0)
    .map(({ first, words }) => `    ${JSON.stringify(first)}) echo ${JSON.stringify(words.join(' '))} ;;`)
  const valued = [...new Set(entries().flatMap(({ options }) => options.filter(({ value }) => value !== null).map(({ flag }) => flag)))]
  return `# Completion of crossfile for bash:  source <(crossfile completion bash)
_crossfile_options() {
  case "$1" in
${cases.join('\n')}
  esac
}
_crossfile_below() {
  case "$1" in
${below.join('\n')}
  esac
}
_crossfile() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} first=\${COMP_WORDS[1]-} second=\${COMP_WORDS[2]-} name below
  COMPREPLY=()
  # The value of an option: a file name where bash offers one.
  case " ${valued.join(' ')} " in
    *" $before "*) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W ${JSON.stringify(firstWords().join(' '))} -- "$word"))
    return
  fi
  below=$(_crossfile_below "$first")
  name=$first
  if (( COMP_CWORD > 2 )) && [[ " $below " == *" $second "* ]]; then name="$first $second"; fi
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$(_crossfile_options "$name")" -- "$word"))
  elif (( COMP_CWORD == 2 )); then COMPREPLY=($(compgen -W "$below" -- "$word") $(compgen -f -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _crossfile crossfile`
}

/** `name:about` of zsh, in which a colon separates. */
const described = (name: string, about: string): string => quoted(`${name.replaceAll(':', '\\\\:')}:${about}`)

function zsh(): string {
  const firsts = firstWords().map(first =>
    described(first, commandNames.includes(first as never) ? commands[first as keyof typeof commands].summary : `commands of ${first}`),
  )
  const cases = firstWords().map(first => {
    const below = commandNames.filter(name => name.startsWith(`${first} `))
    const lines = below.map(name => described(name.slice(first.length + 1), commands[name].summary))
    return `    ${first}) below=(${lines.join(' ')}) ;;`
  })
  const options = entries().map(
    ({ name, options: own }) => `    ${quoted(name)}) options=(${own.map(({ flag, about }) => described(flag, about)).join(' ')}) ;;`,
  )
  return `#compdef crossfile
# Completion of crossfile for zsh:  source <(crossfile completion zsh)
_crossfile() {
  local -a first below options
  local name=$words[2]
  first=(${firsts.join(' ')})
  if (( CURRENT == 2 )); then _describe command first; return; fi
  case $words[2] in
${cases.join('\n')}
  esac
  if (( CURRENT > 3 )) && (( \${#\${(M)below:#$words[3]:*}} )); then name="$words[2] $words[3]"; fi
  case $name in
${options.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then _describe option options
  elif (( CURRENT == 3 )); then _describe command below || _files
  else _files
  fi
}
compdef _crossfile crossfile`
}

function fish(): string {
  const lines = ['# Completion of crossfile for fish:  crossfile completion fish | source', 'complete -c crossfile -f']
  for (const first of firstWords()) {
    const about = commandNames.includes(first as never) ? commands[first as keyof typeof commands].summary : `commands of ${first}`
    lines.push(`complete -c crossfile -n __fish_use_subcommand -a ${quoted(first)} -d ${fishQuoted(about)}`)
  }
  for (const { name, options } of entries()) {
    const [first = '', second] = name.split(' ')
    if (second !== undefined)
      lines.push(
        `complete -c crossfile -n ${fishQuoted(`__fish_seen_subcommand_from ${first}`)} -a ${quoted(second)} -d ${fishQuoted(commands[name as keyof typeof commands].summary)}`,
      )
    const here =
      second === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
    for (const { flag, about, value } of options)
      lines.push(`complete -c crossfile -n ${fishQuoted(here)} -l ${flag.slice(2)}${value === null ? '' : ' -r -F'} -d ${fishQuoted(about)}`)
  }
  return lines.join('\n')
}
/** Text in single quotes of fish, which escapes with a backslash. */
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
