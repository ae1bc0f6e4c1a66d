/**
 * Asks a container for its health over gRPC.
 * @see {@link https://github.com/grpc/grpc/blob/master/doc/health-checking.md | GRPC Health Checking Protocol}
 */
import { ProtoWriter } from '../../base/protobuf/writer.ts';
import type { ProtoReader } from '../../base/protobuf/reader.ts';
import { GrpcClient } from '../../grpc/client.ts';
import { GrpcError } from '../../grpc/grpc-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import type { ProbeResult } from './probe-result.ts';

export interface GrpcHealthRequest {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly timeoutMs: number;
}

const statuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const maxAnswerBytes = 1024;

const method = {
  path: '/grpc.health.v1.Health/Check',
  decode(reader: ProtoReader): number {
    let status = 0;
    while (reader.next(reader.end)) {
      if (reader.field === 1) status = reader.uint();
      else reader.skip();
    }
    return status;
  },
};

export async function grpcHealth({ host, port, service, timeoutMs }: GrpcHealthRequest): Promise<ProbeResult> {
  const client = new GrpcClient({ address: { host, port }, peer: 'the container', maxMessageBytes: maxAnswerBytes });
  const writer = new ProtoWriter(64);
  if (service !== '') writer.string(1, service);
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  try {
    const status = await client.call(method, writer.finishGrpc(), AbortSignal.timeout(timeoutMs));
    const name = statuses[status] ?? String(status);
    if (name === 'SERVING') return { outcome: 'success', output: 'service healthy' };
    return { outcome: 'failure', output: `service unhealthy (responded with "${name}")` };
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return { outcome: 'failure', output: failureText(error, address, timeoutMs) };
  } finally {
    client.close();
  }
}

function failureText({ code, message }: GrpcError, address: string, timeoutMs: number): string {
  switch (code) {
    case GrpcCode.unimplemented:
      return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`;
    case GrpcCode.deadlineExceeded:
    case GrpcCode.unavailable:
      return `timeout: failed to connect service "${address}" within ${timeoutMs / 1000}s: context deadline exceeded`;
    default:
      return `error: health rpc probe failed: rpc error: code = ${code} desc = ${message}`;
  }
}
