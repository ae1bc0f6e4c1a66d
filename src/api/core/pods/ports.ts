import type { Container, ContainerPort, PodSpec } from '../../gen/types/core-v1.ts';
import { duplicate, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isPortName } from '../../../machinery/formats/names.ts';
import { isPortNumber } from '../../../machinery/formats/numbers.ts';
import { checkRequiredText, invalidEach } from '../../meta/checks.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

/** A port by number, or by the name that a container gives it. */
export function checkPortOrName(port: number | string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (typeof port === 'string') invalidEach(isPortName(port), path, port, errors);
  else invalidEach(isPortNumber(port ?? 0), path, port ?? 0, errors);
}

export function checkContainerPorts(
  ports: readonly ContainerPort[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (ports === undefined) return;
  const names = new Set<string>();
  ports.forEach((port, i) => checkPort(port, path.index(i), errors, names));
}

function checkPort(
  { name, containerPort, hostPort, protocol }: ContainerPort,
  path: FieldPath,
  errors: FieldErrors,
  names: Set<string>,
): void {
  if (name !== undefined) checkName(name, path.child('name'), errors, names);
  if (containerPort === undefined) errors.push(required(path.child('containerPort')));
  else invalidEach(isPortNumber(containerPort), path.child('containerPort'), containerPort, errors);
  if (hostPort !== undefined) invalidEach(isPortNumber(hostPort), path.child('hostPort'), hostPort, errors);
  if (checkRequiredText(protocol, path.child('protocol'), errors) && !protocols.includes(protocol!))
    errors.push(notSupported(path.child('protocol'), protocol, protocols));
}

function checkName(name: string, path: FieldPath, errors: FieldErrors, names: Set<string>): void {
  const messages = isPortName(name);
  invalidEach(messages, path, name, errors);
  if (messages.length > 0) return;
  if (names.has(name)) errors.push(duplicate(path, name));
  names.add(name);
}

/** A port of the host can be taken once per protocol and address. `path` is that of the containers. */
export function checkHostPortConflicts(containers: readonly Container[], path: FieldPath, errors: FieldErrors): void {
  const taken = new Set<string>();
  containers.forEach(({ ports }, c) =>
    ports?.forEach(({ protocol = '', hostIP = '', hostPort }, p) => {
      if (hostPort === undefined) return;
      const port = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(port)) errors.push(duplicate(path.index(c).child('ports').index(p).child('hostPort'), port));
      taken.add(port);
    }),
  );
}

/** In the network of the host a port is that port of the host; a template may leave it open. */
export function checkHostNetworkPorts(
  { hostNetwork, containers }: PodSpec,
  isPod: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (hostNetwork !== true) return;
  containers?.forEach(({ ports }, c) =>
    ports?.forEach(({ hostPort = 0, containerPort = 0 }, p) => {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) return;
      errors.push(
        invalid(
          path.child('containers').index(c).child('ports').index(p).child('hostPort'),
          hostPort,
          'must match `containerPort` when `hostNetwork` is true',
        ),
      );
    }),
  );
}
