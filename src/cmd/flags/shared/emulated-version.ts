/**
 * `--emulated-version`: behave like an older minor version, so that an upgrade can be tried or taken back (KEP-4330).
 */
import { currentMinor, defaultsAt, gatesAt, oldestEmulatedMinor } from '../../../api/emulated-version.ts';
import type { GateSettings } from '../../../api/feature-gates.ts';
import { strings } from '../flag.ts';
import { expandGates, type GateTable } from './feature-gates.ts';
import type { Problems } from './problems.ts';

export const emulatedVersionFlag = strings('emulated-version', 'supported', {
  help:
    `Behave like this minor version: 1.${oldestEmulatedMinor}, or kube:1.${oldestEmulatedMinor}. Feature gates have ` +
    'the defaults that they had then, and later gates and APIs do not exist.',
});

const component = 'kube';

interface Given {
  readonly component: string;
  readonly version: string;
}

function read(value: string): Given {
  const colon = value.indexOf(':');
  return colon < 0
    ? { component, version: value.trim() }
    : { component: value.slice(0, colon).trim(), version: value.slice(colon + 1).trim() };
}

const minorOf = (version: string): number | undefined => {
  const [, minor] = /^v?1\.(\d{1,4})(?:\.0)?$/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
};

export function emulatedVersionProblems(values: readonly string[]): Problems {
  const given = values.map(read);
  const twice = given.find(
    ({ component: name }, index) => given.findIndex((other) => other.component === name) < index,
  );
  return [
    ...given.map(({ component: name, version }) => {
      if (name !== component) return `component not registered: ${name}`;
      if (!/^v?\d+\.\d+(\.\d+)*$/.test(version)) return `could not parse ${JSON.stringify(version)} as version`;
      if (/^v?\d+\.\d+\.0*[1-9]/.test(version)) return `patch version not allowed, got: ${name}=${version}`;
      const minor = minorOf(version);
      return (
        (minor === undefined || minor < oldestEmulatedMinor || minor > currentMinor) &&
        `emulation version ${version.replace(/^v/, '')} is not between [1.${oldestEmulatedMinor}, 1.${currentMinor}]`
      );
    }),
    twice !== undefined && `duplicate version flag, ${twice.component}=${twice.version}`,
  ];
}

/** @param values of the flag, without problems. @returns 31 for 1.31 */
export const emulatedMinor = (values: readonly string[]): number =>
  values.map((value) => minorOf(read(value).version)).find((minor) => minor !== undefined) ?? currentMinor;

/** What was set and what the emulated version has otherwise; see {@link expandGates}. */
export function emulatedGates(settings: GateSettings, values: readonly string[], table: GateTable): GateSettings {
  const minor = emulatedMinor(values);
  return {
    ...defaultsAt(minor, table.gates),
    ...expandGates(settings, { ...table, gates: gatesAt(minor, table.gates) }),
  };
}

/** Gates that the emulated version does not have cannot be set. */
export function emulatedGateProblems(settings: GateSettings, values: readonly string[], table: GateTable): Problems {
  const minor = emulatedMinor(values);
  const known = gatesAt(minor, table.gates);
  return Object.entries(settings)
    .filter(([gate]) => Object.hasOwn(table.gates, gate) && !Object.hasOwn(known, gate))
    .map(
      ([gate, on]) => `cannot set feature gate ${gate} to ${on}, feature is PreAlpha at emulated version 1.${minor}`,
    );
}
