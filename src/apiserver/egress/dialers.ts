/** The tunnels of a server: one dialer for each kind of destination that has one. */
import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Dialer } from '../../base/dialer.ts';
import { currentSpan, inChildSpan } from '../../base/span.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { deadline } from '../../client/deadline.ts';
import type { EgressConfiguration, EgressName, Tunnel } from './configuration.ts';
import type { OnStage, Stage } from './dial-stage.ts';
import { dialThroughGrpc } from './grpc-tunnel.ts';
import { dialThroughHttpConnect } from './http-connect-tunnel.ts';

/** One event of a dial. Plain values, so that they can come from another thread. */
export type DialObservation = Pick<Tunnel, 'protocol' | 'transport'> &
  (
    | { readonly event: 'started' }
    | { readonly event: 'failed'; readonly stage: Stage }
    | { readonly event: 'dialed'; readonly seconds: number }
  );

export type ObserveDial = (observation: DialObservation) => void;

/** What is absent is connected to directly. */
export type EgressDialers = Readonly<Partial<Record<EgressName, Dialer>>>;

/** The egress of a server. Metrics come after the store is opened, so they are set later. */
export interface Egress {
  readonly configuration: EgressConfiguration;
  readonly dialers: EgressDialers;
  observe: ObserveDial;
}

/** For the way to the tunnel server and from there to the destination. */
const dialTimeoutMs = 30_000;

export function createEgress(configuration: EgressConfiguration, clock: Clock = systemClock): Egress {
  const dialers: Partial<Record<EgressName, Dialer>> = {};
  const egress: Egress = { configuration, dialers, observe: () => undefined };
  const observe: ObserveDial = (observation) => egress.observe(observation);
  for (const [name, tunnel] of Object.entries(configuration) as [EgressName, Tunnel][])
    dialers[name] = createDialer(tunnel, observe, clock);
  return egress;
}

function createDialer(tunnel: Tunnel, observe: ObserveDial, clock: Clock): Dialer {
  const { protocol, transport } = tunnel;
  const open = (...args: [...Parameters<Dialer>, OnStage]): Promise<Duplex> =>
    tunnel.protocol === 'grpc' ? dialThroughGrpc(tunnel.path, ...args) : dialThroughHttpConnect(tunnel, ...args);
  const dial: Dialer = async (address, outer) => {
    setMaxListeners(0, outer);
    const startedMs = clock.now();
    let stage: Stage = 'connect';
    observe({ protocol, transport, event: 'started' });
    const limited = deadline(clock, dialTimeoutMs, outer, 'no connection through the tunnel');
    try {
      const socket = await open(address, limited.signal, (reached) => (stage = reached));
      observe({ protocol, transport, event: 'dialed', seconds: (clock.now() - startedMs) / 1000 });
      return socket;
    } catch (error) {
      observe({ protocol, transport, event: 'failed', stage });
      throw error;
    } finally {
      limited.end();
    }
  };
  return (address, signal) => {
    const parent = currentSpan();
    if (parent === undefined) return dial(address, signal);
    const name = `Proxy via ${protocol} protocol over ${transport}`;
    return inChildSpan(parent, name, () => dial(address, signal), { address: `${address.host}:${address.port}` });
  };
}
