/** Node ports of one service: its ports' own, and the one that load balancers ask for its health. */
import { getsNodePorts, needsHealthCheck, needsNodePorts, nodePortsOf } from '../../../../api/core/services/fields.ts';
import type { Service, ServicePort } from '../../../../api/gen/types/core-v1.ts';
import { invalid } from '../../../../machinery/field-error.ts';
import { FieldPath } from '../../../../machinery/field-path.ts';
import { internalError, invalid as invalidStatus, plainError } from '../../../../machinery/status.ts';
import { AllocationError } from './allocation-errors.ts';
import type { PortOperation } from './port-operation.ts';

const portsPath = FieldPath.of('spec', 'ports');

export async function takeNodePorts(service: Service, operation: PortOperation): Promise<void> {
  if (needsNodePorts(service)) await takeForPorts(service, operation);
  if (needsHealthCheck(service)) await takeHealthCheckPort(service, operation);
}

/** Ports of one number and different protocols share their node port, unless they ask for others. */
async function takeForPorts(service: Service, operation: PortOperation): Promise<void> {
  const byPort = new Map<number, number>();
  const requested = requestedPorts(service);
  for (const [i, port] of (service.spec.ports ?? []).entries()) {
    const asked = port.nodePort ?? 0;
    if (asked === 0 && !getsNodePorts(service)) continue;
    const number = port.port ?? 0;
    const shared = byPort.get(number);
    if (shared !== undefined) {
      if (asked === 0) port.nodePort = shared;
      else if (asked !== shared) await takeAsked(asked, i, service, operation);
      continue;
    }
    const wanted = requested.get(number) ?? 0;
    if (wanted === 0) port.nodePort = await takeAny(operation);
    else {
      await takeAsked(wanted, i, service, operation);
      port.nodePort = wanted;
    }
    byPort.set(number, port.nodePort);
  }
}

/** By number, the node port that a client asks for any of the ports with it: the first. */
const requestedPorts = ({ spec }: Service): ReadonlyMap<number, number> =>
  new Map(
    spec.ports
      ?.filter(({ nodePort = 0 }) => nodePort !== 0)
      .toReversed()
      .map(({ port = 0, nodePort = 0 }) => [port, nodePort]),
  );

export async function changeNodePorts(service: Service, old: Service, operation: PortOperation): Promise<void> {
  if (needsNodePorts(service)) await changeForPorts(service, old, operation);
  else if (needsNodePorts(old)) for (const port of nodePortsOf(old)) operation.releaseLater(port);
  if (needsHealthCheck(service) && !needsHealthCheck(old)) await takeHealthCheckPort(service, operation);
  if (needsHealthCheck(old) && !needsHealthCheck(service)) operation.releaseLater(old.spec.healthCheckNodePort ?? 0);
}

async function changeForPorts(service: Service, old: Service, operation: PortOperation): Promise<void> {
  const own = new Set(nodePortsOf(old));
  const seen = new Set<string>();
  for (const [i, port] of (service.spec.ports ?? []).entries()) {
    const asked = port.nodePort ?? 0;
    if (asked === 0 && !getsNodePorts(service)) continue;
    if (asked === 0) port.nodePort = await takeAny(operation);
    else if (!own.has(asked)) {
      await takeAsked(asked, i, service, operation);
      own.add(asked);
    }
    checkOnce(port, seen);
  }
  const now = new Set(nodePortsOf(service));
  for (const port of nodePortsOf(old)) if (!now.has(port)) operation.releaseLater(port);
}

function checkOnce({ protocol, nodePort = 0 }: ServicePort, seen: Set<string>): void {
  const key = `{${protocol ?? ''} ${nodePort}}`;
  if (seen.has(key)) throw plainError(`duplicate nodePort: ${key}`);
  seen.add(key);
}

async function takeAny(operation: PortOperation): Promise<number> {
  try {
    return await operation.takeAny();
  } catch (error) {
    if (error instanceof AllocationError)
      throw internalError(`failed to allocate a nodePort: ${error.message}`, { cause: error });
    throw error;
  }
}

async function takeAsked(port: number, index: number, service: Service, operation: PortOperation): Promise<void> {
  try {
    await operation.take(port);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw invalidStatus({ group: '', kind: 'Service' }, service.metadata.name ?? '', [
      invalid(portsPath.index(index).child('nodePort'), port, error.message),
    ]);
  }
}

async function takeHealthCheckPort({ spec }: Service, operation: PortOperation): Promise<void> {
  const asked = spec.healthCheckNodePort ?? 0;
  try {
    if (asked === 0) spec.healthCheckNodePort = await operation.takeAny();
    else await operation.take(asked);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    const what = asked === 0 ? 'a HealthCheck NodePort 0' : `requested HealthCheck NodePort ${asked}`;
    throw internalError(`failed to allocate ${what}: ${error.message}`, { cause: error });
  }
}
