/**
 * systemd-logind: how long it waits for programs that delay a shutdown, when one begins, and the lock that delays it.
 * @see {@link https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html |
 *   org.freedesktop.login1}, {@link https://systemd.io/INHIBITOR_LOCKS/ | Inhibitor Locks}
 */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { DBusConnection } from '../../dbus/bus.ts';
import type { Variant } from '../../dbus/message.ts';

export interface Logind {
  /** How long it waits at most, in milliseconds. */
  inhibitDelayMs(): Promise<number>;
  /** Has it wait as long from now on. */
  setInhibitDelay(ms: number): Promise<void>;
  /** True: the machine is about to shut down; false: it does not after all. */
  onPrepareForShutdown(onPrepare: (isActive: boolean) => void): Promise<void>;
  readonly closed: Promise<void>;
  close(): void;
}

export interface InhibitorLock {
  release(): void;
}

const destination = 'org.freedesktop.login1';
const path = '/org/freedesktop/login1';
const manager = 'org.freedesktop.login1.Manager';
const overrideFile = '99-kubelet.conf';

export interface LogindOptions {
  /** Of the system bus. */
  readonly busPath?: string | undefined;
  /** Where files of an operator go over those of the system. */
  readonly configDirectory?: string;
}

/** Rejects where there is no system bus. */
export async function openLogind({
  busPath,
  configDirectory = '/etc/systemd/logind.conf.d',
}: LogindOptions = {}): Promise<Logind> {
  const bus = await DBusConnection.open(busPath);
  return {
    async inhibitDelayMs() {
      const [value] = await bus.call({
        destination,
        path,
        interface: 'org.freedesktop.DBus.Properties',
        member: 'Get',
        signature: 'ss',
        body: [manager, 'InhibitDelayMaxUSec'],
      });
      return Number((value as Variant).value as bigint) / 1000;
    },
    async setInhibitDelay(ms) {
      const text = `# Written by the node agent.\n[Login]\nInhibitDelayMaxSec=${Math.ceil(ms / 1000)}\n`;
      await mkdir(configDirectory, { recursive: true, mode: 0o755 });
      await writeFile(`${configDirectory}/${overrideFile}`, text, { mode: 0o644 });
      await bus.call({
        destination: 'org.freedesktop.systemd1',
        path: '/org/freedesktop/systemd1',
        interface: 'org.freedesktop.systemd1.Manager',
        member: 'ReloadUnit',
        signature: 'ss',
        body: ['systemd-logind.service', 'replace'],
      });
    },
    onPrepareForShutdown: (onPrepare) =>
      bus.onSignal({ sender: destination, path, interface: manager, member: 'PrepareForShutdown' }, ([isActive]) =>
        onPrepare(isActive === true),
      ),
    closed: bus.closed,
    close: () => bus.close(),
  };
}

/**
 * Delays shutdowns until it is released, or this process ends. The lock is a descriptor of a file, which this runtime
 * cannot receive from the bus: a process of `systemd-inhibit` holds it.
 */
export function takeInhibitorLock(program = 'systemd-inhibit'): Promise<InhibitorLock> {
  const child = spawn(
    program,
    ['--what=shutdown', '--who=kubelet', '--why=Kubelet needs time to handle node shutdown', '--mode=delay', 'cat'],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${program} has ended with code ${code}`)));
    child.stdin.on('error', () => undefined);
    // What is said comes back when the lock is taken.
    child.stdout.once('data', () => resolve({ release: () => child.stdin.end() }));
    child.stdin.write('taken\n');
  });
}
