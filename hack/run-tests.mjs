/**
 * Runs checks and test rings and adds up their results; `hack/test` calls it when everything they need is there.
 * Every step runs even if one before it failed, so that one run shows all there is to mend.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { add, formatTotals, none, totalsOfReport } from './lib/test-totals.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const reportOf = (ring) => `${root}.cache/test-reports/${ring}.json`;
/** A run takes less than 20 minutes; a step that hangs is ended before that, so that the summary still comes. */
const deadline = Date.now() + 18 * 60_000;

const checks = ['types', 'format:check', 'lint', 'generate:check'];
const rings = ['unit', 'integration', 'conformance', 'e2e'];

/** Runs a command in the checkout to its end. What it writes is shown, or with `quiet` returned. */
function run(command, args, { quiet }) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    timeout: Math.max(1, deadline - Date.now()),
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code, signal) =>
      resolve({
        code: code ?? 1,
        output: signal === null ? output : `${output}ended by ${signal}, after the time for all tests\n`,
      }),
    );
  });
}

async function timed(name, work) {
  const start = Date.now();
  const result = await work();
  console.log(
    `${result.failed === 0 ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - start) / 1000).toFixed(1)} ` +
      `s): ${formatTotals(result)}`,
  );
  return result;
}

/** A check counts as one test. */
const runCheck = (name) =>
  timed(name, async () => {
    const { code, output } = await run('npm', ['run', '--silent', name], { quiet: true });
    if (code !== 0) console.log(`\n> npm run ${name}\n${output}`);
    return code === 0 ? { ...none, passed: 1 } : { ...none, failed: 1 };
  });

const runRing = (name) =>
  timed(name, async () => {
    rmSync(reportOf(name), { force: true });
    const { code } = await run(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        name,
        '--project',
        `${name}-isolated`,
        '--passWithNoTests',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${reportOf(name)}`,
        // These wait much of the time, for processes and for what controllers do after a while.
        ...(name === 'conformance' || name === 'integration' ? ['--maxWorkers=3'] : []),
      ],
      { quiet: false },
    );
    return totalsOfReport(readReport(name), code);
  });

function readReport(ring) {
  try {
    return JSON.parse(readFileSync(reportOf(ring), 'utf8'));
  } catch {
    return undefined;
  }
}

async function main(chosen) {
  const unknown = chosen.filter((name) => !rings.includes(name));
  if (unknown.length > 0) throw new Error(`there is no test ring ${unknown.join(', ')}; there are ${rings.join(', ')}`);
  mkdirSync(`${root}.cache/test-reports`, { recursive: true });
  let totals = none;
  // Each takes one core, and depends on no time.
  if (chosen.length === 0) totals = (await Promise.all(checks.map(runCheck))).reduce(add, totals);
  for (const name of chosen.length > 0 ? chosen : rings) totals = add(totals, await runRing(name));
  process.exitCode = totals.failed === 0 ? 0 : 1;
  console.log(`\n${formatTotals(totals)}`);
}

await main(process.argv.slice(2));
