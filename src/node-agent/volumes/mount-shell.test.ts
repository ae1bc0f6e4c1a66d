import { describe, expect, test } from 'vitest';
import { MountShell } from './mount-shell.ts';

describe('The shell that runs short commands', () => {
  test.each([
    { name: 'one that succeeds', words: ['true'], error: undefined },
    {
      name: 'words with all that a shell reads',
      words: ['test', `a 'b" $c \`d\`;e`, '=', `a 'b" $c \`d\`;e`],
      error: undefined,
    },
    {
      name: 'one that fails says why',
      words: ['sh', '-c', 'echo first; echo second >&2; exit 3'],
      error: 'first second',
    },
    { name: 'a program that is not there', words: ['/none'], error: /\/none: not found/ },
    { name: 'what it reads is not the input of the shell', words: ['cat', '/dev/null'], error: undefined },
  ])('A command runs as it is written: $name', async ({ words, error }) => {
    const run = new MountShell().run(words);
    if (error === undefined) await expect(run).resolves.toBeUndefined();
    else await expect(run).rejects.toThrow(error);
  });

  test('Commands run in their order, and each has its own answer', async () => {
    const shell = new MountShell();
    const answers = await Promise.allSettled([
      shell.run(['false']),
      shell.run(['true']),
      shell.run(['sh', '-c', 'echo x; exit 1']),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
  });

  test('A shell that was ended is an error of what waits, and the next command has a new one', async () => {
    const shell = new MountShell();
    await expect(shell.run(['sh', '-c', 'kill $PPID'])).rejects.toThrow('the shell for mounts has ended');
    await expect(shell.run(['true'])).resolves.toBeUndefined();
  });

  test('A word with a line break cannot be told to it', () => {
    expect([MountShell.canRun(['a', 'b c']), MountShell.canRun(['a\nb'])]).toEqual([true, false]);
  });
});
