// The completion scripts, run in each shell that this machine has. A shell that is absent is skipped.
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commandNames, commands } from './commands.ts'
import { completion, shells } from './completion.ts'
import { keptIo } from './kept-io.ts'

function script(shell: string): string {
  const io = keptIo()
  expect(completion([shell], io)).toBe(0)
  return io.output.out.join('\n')
}
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

function run(shell: string, args: readonly string[], text: string): string[] {
  const { status, stdout, stderr } = spawnSync(shell, [...args, text], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.split('\n').filter(line => line !== '')
}

/** What a shell offers for the words of a command line, the last of which is being typed. */
const offers: Readonly<Record<(typeof shells)[number], (words: readonly string[]) => string[]>> = {
  bash: words =>
    run(
      'bash',
      ['--norc', '-c'],
      `${script('bash')}\nCOMP_WORDS=(crossfile ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _crossfile; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ),
  // The functions of zsh's completion system are replaced by one that prints what they are given.
  zsh: words => {
    const stubs = `compdef() { : }; _files() { : }; _describe() { local -a given; given=(\${(P)2}); print -rl -- \${given%%:*} }`
    const typed = words.at(-1) ?? ''
    return run(
      'zsh',
      ['-f', '-c'],
      `${stubs}\n${script('zsh')}\nwords=(crossfile ${words.map(word => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _crossfile; true`,
    ).filter(each => each.startsWith(typed))
  },
  fish: words =>
    run('fish', ['--no-config', '-c'], `${script('fish')}\ncomplete -C 'crossfile ${words.join(' ')}'`).map(line => line.split('\t', 1)[0] ?? ''),
}

describe.each(shells)('%s', shell => {
  it.skipIf(!has(shell))('completes commands, subcommands and options', () => {
    const offered = offers[shell]
    expect(offered(['back']).sort()).toEqual(['backfill', 'backup'])
    expect(offered(['keys', 're'])).toEqual(['revoke'])
    expect(offered(['upstreams', 'l'])).toEqual(['lift'])
    expect(offered(['status', '--j'])).toEqual(['--json'])
    expect(offered(['keys', 'create', '--exp'])).toEqual(['--expires-days'])
    expect(offered(['status', '--nothing'])).toEqual([])
  })
  it.skipIf(!has(shell))('offers every command by its first word', () => {
    const firsts = new Set(commandNames.map(name => name.split(' ')[0] ?? ''))
    expect(new Set(offers[shell](['']))).toEqual(firsts)
  })
  it('names every option of every command', () => {
    const text = script(shell)
    for (const name of commandNames)
      for (const option of Object.keys(commands[name].options)) expect(text).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`)
  })
})

it('names the shells if none or another one is given', () => {
  expect(() => completion([], keptIo())).toThrow('the shell is missing')
  expect(() => completion(['fsh'], keptIo())).toThrow('"fsh" is not known')
})
