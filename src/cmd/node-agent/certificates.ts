/** The certificates that an agent asks the API server for: its own as a client, and that of its server. */
import { Counter, Gauge, Histogram } from 'prom-client';
import { systemClock } from '../../base/clock.ts';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import type { NodeAddress } from '../../api/gen/types/core-v1.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { CertificateFiles, lifeOf } from '../../node-agent/node/certificates/certificate-files.ts';
import { CertificateKeeper } from '../../node-agent/node/certificates/certificate-keeper.ts';
import { namesOfNode } from '../../node-agent/node/certificates/certificate-names.ts';
import type { KeyPair } from '../../pki/pki.ts';
import type { ServingPair } from '../../server/tls/certificate-reload.ts';
import type { LeadingDaemon } from '../daemon/daemon-spec.ts';

/** As upstream: then a supervisor starts the agent anew. */
const lostAfterMs = 300_000;

const common = { clock: systemClock, wallTime: Date.now, random: Math.random };

/** `rotateCertificates`. Undefined without it, and without an API server. */
export async function keepClientCertificate(
  daemon: LeadingDaemon,
  { config, nodeName, certDir }: NodeAgentSettings,
): Promise<CertificateKeeper | undefined> {
  const { connection, client, log, registry } = daemon;
  if (connection === undefined || !config.rotateCertificates) return undefined;
  const first = await connection.config.renewedPair?.();
  const errors = new Counter({
    name: 'kubelet_certificate_manager_client_expiration_renew_errors',
    help: 'Failed renewals of the client certificate.',
    registers: [registry],
  });
  const keeper = new CertificateKeeper({
    ...common,
    files: new CertificateFiles(certDir, 'kubelet-client'),
    nodeName,
    use: 'client auth',
    client: client({ part: 'certificates', limits: { qps: 0 } }),
    first,
    lostAfterMs,
    onFailure: () => errors.inc(),
    log,
  });
  await keeper.load();
  showTtl('kubelet_certificate_manager_client_ttl_seconds', 'client', keeper, registry);
  return keeper;
}

export interface ServingCertificate {
  readonly keeper: CertificateKeeper;
  /** What is served, as it is renewed. */
  readonly pair: ServingPair;
}

/**
 * `serverTLSBootstrap`. Undefined without it, and without an API server.
 *
 * @NOTE differs from upstream, which ends handshakes until the first certificate is signed: a self-signed one is shown.
 *
 * @param before shown until the first certificate is signed
 * @param addresses those of the node, as its status says them
 */
export async function keepServingCertificate(
  daemon: LeadingDaemon,
  { config, nodeName, certDir }: NodeAgentSettings,
  { before, addresses }: { before: KeyPair; addresses: () => readonly NodeAddress[] },
): Promise<ServingCertificate | undefined> {
  const { connection, client, log, registry } = daemon;
  if (connection === undefined || !config.serverTLSBootstrap) return undefined;
  const errors = new Counter({
    name: 'kubelet_server_expiration_renew_errors',
    help: 'Failed renewals of the serving certificate.',
    registers: [registry],
  });
  const shown = new RenewedPair(before);
  const rotation = new Histogram({
    name: 'kubelet_certificate_manager_server_rotation_seconds',
    help: 'How old the serving certificate was when it was replaced.',
    buckets: [60, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000],
    registers: [registry],
  });
  let last: KeyPair | undefined;
  const keeper = new CertificateKeeper({
    ...common,
    files: new CertificateFiles(certDir, 'kubelet-server'),
    nodeName,
    use: 'server auth',
    client: client({ part: 'certificates', limits: { qps: 0 } }),
    names: () => namesOfNode(addresses()),
    onRenewed(pair) {
      if (last !== undefined) rotation.observe((Date.now() - lifeOf(last.certificate).from) / 1000);
      last = pair;
      shown.set(pair);
    },
    onFailure: () => errors.inc(),
    log,
  });
  await keeper.load();
  showTtl('kubelet_certificate_manager_server_ttl_seconds', 'serving', keeper, registry);
  return { keeper, pair: shown };
}

function showTtl(name: string, which: string, keeper: CertificateKeeper, registry: LeadingDaemon['registry']): void {
  new Gauge({
    name,
    help: `Seconds until the ${which} certificate expires; infinite without one.`,
    registers: [registry],
    collect() {
      const until = keeper.expiresAt;
      this.set(until === undefined ? Infinity : Math.floor((until - Date.now()) / 1000));
    },
  });
}

/** Both texts change at once. */
class RenewedPair implements ServingPair {
  readonly #listeners = new Set<() => void>();
  #pair: KeyPair;
  readonly certificate: ReloadableText = this.#text(() => this.#pair.certificate);
  readonly key: ReloadableText = this.#text(() => this.#pair.key);

  constructor(first: KeyPair) {
    this.#pair = first;
  }

  set(pair: KeyPair): void {
    this.#pair = pair;
    for (const listener of this.#listeners) listener();
  }

  #text(get: () => string): ReloadableText {
    return {
      get,
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }
}
