/**
 * A daemon for tests of the kernel: while it leads, it counts in a ConfigMap, under its own identity, as fast as the
 * server answers. Run as a process of its own.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { FlagError, parseFlags } from '../../src/cmd/flags/parse.ts';
import { clientConnectionFlags } from '../../src/cmd/flags/shared/client-connection.ts';
import { daemonSections } from '../../src/cmd/flags/shared/daemon.ts';
import { bool, section, text } from '../../src/cmd/flags/flag.ts';
import { runDaemon } from '../../src/cmd/daemon/run-daemon.ts';

const flags = {
  access: section('API access', {
    ...clientConnectionFlags(),
    hangs: bool('hangs', 'supported', { help: 'Its work does not end when it is told to.' }),
    name: text('name', 'supported', { default: 'a', help: 'Under which it counts.' }),
  }),
  ...daemonSections({
    securePort: 0,
    pairName: 'counting-daemon',
    lock: { namespace: 'default', name: 'counting-daemon' },
    tolerateLookupFailure: true,
  }),
};

const { options, given } = parseFlags(flags, process.argv.slice(2));
if (options.access.kubeconfig === undefined) throw new FlagError(['--kubeconfig is required']);

process.exitCode = await runDaemon(
  {
    name: 'counting-daemon',
    options: { ...options, client: { ...options.access, qps: -1 } },
    given,
    featureGates: {},
    config: { name: 'test', value: {} },
    flags: () => [],
    around: { fileCheckMs: 50 },
    async lead({ client, signal, log }) {
      const maps = client().core.v1.configmaps.namespace('default');
      for (let count = 1; !signal.aborted; count++) {
        try {
          await maps.patch('counts', { merge: { data: { [options.access.name]: String(count) } } });
        } catch (error) {
          log.warn({ err: error }, 'not counted');
          // What the leadership ended is over; else the server is away.
          if (!signal.aborted) await wait(20);
        }
      }
      if (options.access.hangs) await new Promise(() => undefined);
    },
  },
  {
    parts: undefined as never,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    readStdin: () => Promise.reject(new Error('there is no input')),
    width: 100,
    onSignal: (listener) => {
      process.on('SIGINT', listener).on('SIGTERM', listener);
      return () => process.off('SIGINT', listener).off('SIGTERM', listener);
    },
    exit: (code) => process.exit(code),
  },
);
