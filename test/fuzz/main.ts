/** `npm run fuzz`: one target for as long as asked. */
import { parseArgs } from 'node:util';
import { bytesOf, corpusOf } from './corpus.ts';
import { failureText, fuzz, inputOf } from './engine.ts';
import { loadTarget, targetNames } from './targets.ts';

const usage = `npm run fuzz                               the targets
npm run fuzz -- TARGET [SECONDS]           its corpus, then new inputs for so long (60)
npm run fuzz -- TARGET --seed N [SECONDS]  those that the seed gives
npm run fuzz -- TARGET --seed N --run K    one of them`;

/** Returns the exit code. @param root of the project */
export async function main(args: string[], root: string): Promise<number> {
  const {
    positionals: [name, seconds = '60'],
    values,
  } = parseArgs({ args, allowPositionals: true, options: { seed: { type: 'string' }, run: { type: 'string' } } });
  const names = targetNames(root);
  if (name === undefined || !names.includes(name)) {
    console.log(`${usage}\n`);
    for (const known of names) console.log(`${known.padEnd(20)} ${(await loadTarget(known)).about}`);
    return name === undefined ? 0 : 2;
  }
  const target = await loadTarget(name);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  if (values.run !== undefined) {
    await target.check(inputOf(target, seed, Number(values.run)));
    return 0;
  }
  for (const { name: title, input } of corpusOf(root, name)) {
    const before = performance.now();
    await target.check(bytesOf(input));
    console.log(`${(performance.now() - before).toFixed(0).padStart(6)} ms  ${title}`);
  }
  const { tried, failure } = await fuzz(target, { seed, milliseconds: Number(seconds) * 1000 });
  console.log(
    failure === undefined
      ? `${tried} inputs of seed ${seed}: nothing found`
      : `${failureText(name, failure)}\n${failure.error.stack}`,
  );
  return failure === undefined ? 0 : 1;
}
