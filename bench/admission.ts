/**
 * `npm run bench -- admission`: what admission adds to the create of a pod: the default plugins, policies that are not
 * for it, and one webhook on loopback.
 */
import { parseArgs } from 'node:util';
import { chainCosts } from './admission/chain.ts';
import { webhookTimes } from './admission/webhook-times.ts';

const help = `Usage: npm run bench -- admission [options]

Measures in this process: the CPU time of all default admission plugins for the create of a pod, over a registry on the
embedded store; the same beside 1,000 policies for other resources and other namespaces; and one webhook on loopback, in
turns with bare calls of the same length to the same server.

  --rounds N   of each (7)
  --help

Exits with 1 when the plugins take more than 50 µs, the policies more than 50 µs besides, or a webhook more than 1.2
times its own round trip, by the medians of the rounds.
`;

const largestMicroseconds = 50;
const largestRatio = 1.2;

/** @returns the exit code */
export async function admission(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { rounds: { type: 'string' }, help: { type: 'boolean' } },
    strict: true,
  });
  if (values.help === true) return process.stdout.write(help), 0;
  const rounds = Number(values.rounds ?? 7);
  const { plain, beside } = await chainCosts(rounds);
  console.log(`all default plugins: ${plain.toFixed(1)} µs of CPU for each pod`);
  console.log(`beside 1,000 policies that are not for it: ${(beside - plain).toFixed(1)} µs more`);
  const { bare, asked } = await webhookTimes(rounds);
  const ratio = asked.wall / bare.wall;
  console.log('| one webhook on loopback | µs | µs of CPU, both ends |\n|---|---|---|');
  console.log(`| its own round trip | ${bare.wall.toFixed(0)} | ${bare.cpu.toFixed(0)} |`);
  console.log(`| admission | ${asked.wall.toFixed(0)} | ${asked.cpu.toFixed(0)} |`);
  console.log(`ratio ${ratio.toFixed(2)}`);
  const isCheap = plain <= largestMicroseconds && beside - plain <= largestMicroseconds;
  return isCheap && ratio <= largestRatio ? 0 : 1;
}
