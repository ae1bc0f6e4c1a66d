import type { Service, ServicePort } from '../../gen/types/core-v1.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label, isPortName, isQualifiedName } from '../../../machinery/formats/names.ts';
import { isPortNumber } from '../../../machinery/formats/numbers.ts';
import type { GoSyntax } from '../../../machinery/go-quote.ts';
import { goFields, goPointer, goText } from '../../../machinery/go-struct.ts';
import { checkFormat, invalidEach } from '../../meta/checks.ts';

export const protocols = ['SCTP', 'TCP', 'UDP'];

/** A number, or the name of a port of the pods. */
export function checkPortNumberOrName(value: number | string, path: FieldPath, errors: FieldErrors): void {
  invalidEach(typeof value === 'number' ? isPortNumber(value) : isPortName(value), path, value, errors);
}

export function checkProtocol(protocol: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (protocol === undefined || protocol === '') errors.push(required(path));
  else if (!protocols.includes(protocol)) errors.push(notSupported(path, protocol, protocols));
}

/** Each port on its own, and its name among the others. */
export function checkServicePorts(
  ports: readonly ServicePort[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (ports === undefined) return;
  const names = new Set<string>();
  ports.forEach((port, i) => checkPort(port, ports.length > 1, names, path.index(i), errors));
}

function checkPort(
  port: ServicePort,
  needsName: boolean,
  names: Set<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { name = '', port: number = 0, targetPort = 0, appProtocol } = port;
  if (name !== '') {
    checkFormat(isDns1123Label, name, path.child('name'), errors);
    if (names.has(name)) errors.push(duplicate(path.child('name'), name));
    names.add(name);
  } else if (needsName) errors.push(required(path.child('name')));
  invalidEach(isPortNumber(number), path.child('port'), number, errors);
  checkProtocol(port.protocol, path.child('protocol'), errors);
  checkPortNumberOrName(targetPort, path.child('targetPort'), errors);
  if (appProtocol !== undefined) checkFormat(isQualifiedName, appProtocol, path.child('appProtocol'), errors);
}

/** Node ports, and what must not be there twice. */
export function checkPortPairs({ spec }: Service, path: FieldPath, errors: FieldErrors): void {
  const ports = spec.ports ?? [];
  if (spec.type === 'ClusterIP') {
    ports.forEach(({ nodePort = 0 }, i) => {
      if (nodePort !== 0)
        errors.push(forbidden(path.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
    });
  }
  const nodePorts = new Set<string>();
  ports.forEach(({ protocol = '', nodePort = 0 }, i) => {
    if (nodePort === 0) return;
    if (isRepeated(nodePorts, `${protocol}/${nodePort}`))
      errors.push(duplicate(path.index(i).child('nodePort'), nodePort));
  });
  const pairs = new Set<string>();
  ports.forEach(({ protocol = '', port = 0 }, i) => {
    if (isRepeated(pairs, `${protocol}/${port}`)) errors.push(duplicate(path.index(i), shownPair(protocol, port)));
  });
}

/** The pair that is there twice as upstream keeps it: a port with nothing else in it. */
const shownPair = (protocol: string, port: number): GoSyntax =>
  goFields('core.ServicePort', {
    Name: goText(''),
    Protocol: goText(protocol),
    AppProtocol: goPointer('string', undefined),
    Port: String(port),
    TargetPort: 'intstr.IntOrString{Type:0, IntVal:0, StrVal:""}',
    NodePort: '0',
  });

function isRepeated(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}

/** The port of the node agent: clouds open firewalls for the ports of load balancers on every node. */
const agentPort = 10250;

export function checkExposedPorts(
  ports: readonly ServicePort[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  ports?.forEach(({ port }, i) => {
    if (port === agentPort)
      errors.push(
        invalid(path.index(i), port, `may not expose port ${agentPort} externally since it is used by kubelet`),
      );
  });
}
