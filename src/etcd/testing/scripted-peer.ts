import { onTestFinished } from 'vitest';
import { EtcdClient } from '../client.ts';
import type { EtcdClientOptions } from '../client.ts';
import { startGrpcPeer } from './grpc-peer.ts';
import type { GrpcPeer, PeerCall } from './grpc-peer.ts';

export function openClient(endpoints: readonly string[], options: Partial<EtcdClientOptions> = {}): EtcdClient {
  const client = new EtcdClient({ endpoints, ...options });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

/** Each call is answered by the next of these; the last one repeats. */
export async function startScript(...steps: ((call: PeerCall) => void)[]): Promise<GrpcPeer> {
  let next = 0;
  return startGrpcPeer((call) => steps[Math.min(next++, steps.length - 1)]!(call));
}

export const answer = (call: PeerCall): void => call.reply(42);
