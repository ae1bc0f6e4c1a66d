/** The port that a probe or hook names, by number or by the name that the container gives it. */
import type { PodContainer } from '../pod-lifecycle/containers.ts';

export function portNumber(port: number | string | undefined, { spec }: PodContainer): number {
  if (typeof port === 'number') return port;
  const named = spec.ports?.find(({ name }) => name === port)?.containerPort;
  const number = named ?? Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) throw new Error(`couldn't find port: ${port}`);
  return number;
}
