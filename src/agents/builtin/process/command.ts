/** A command as the workspace writes it, as arguments to execute. */

/**
 * A list as it is; text by `/bin/sh -c`, with `exec` in front of a simple command, so that the program itself, and not a
 * shell around it, gets the signals and has the exit status.
 */
export function commandLine(
  command: string | readonly [string, ...string[]],
): readonly [string, ...string[]] {
  if (typeof command !== 'string') return command;
  const text = command.trim();
  return ['/bin/sh', '-c', isSimple(text) ? `exec ${text}` : text];
}

/**
 * Whether the shell would only look up one program and run it. Anything else is left to the shell as it stands: with
 * `exec` in front, `a && b` would never come to `b`, `X=1 a` would be no assignment, and `cd a` no built-in command.
 * What stands in quotes is judged like the rest, which at worst costs a shell.
 */
function isSimple(text: string): boolean {
  if (/[;&|<>()\n`]/.test(text)) return false;
  const first = /^\S+/.exec(text)?.[0] ?? '';
  return /^[\w./+@%:,][\w./+@%:,-]*$/.test(first) && !shellWords.has(first);
}

/** Reserved words and built-in commands of POSIX shells, and of those that stand in for /bin/sh. */
const shellWords: ReadonlySet<string> = new Set(
  (
    '. : alias bg bind break builtin caller case cd command compgen complete continue coproc declare dirs disown do done ' +
    'echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs ' +
    'kill let local logout mapfile newgrp popd print printf pushd pwd read readarray readonly return select set shift ' +
    'shopt source suspend test then time times trap true type typeset ulimit umask unalias unset until wait while'
  ).split(' '),
);
