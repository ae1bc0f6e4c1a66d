import { parseCidr } from '../../../machinery/formats/addresses.ts';
import type { Cidr } from '../../../machinery/formats/addresses.ts';
import type { Check } from './check.ts';
import { inRange } from '../in-range.ts';

export const reconcilerTypes = ['lease', 'master-count', 'none'];

export const checkServices: Check = ({ services, serving, storage, nodeAgent }, spelled) => {
  const { first, last } = services.nodePortRange;
  const port = services.kubernetesServiceNodePort;
  return [
    ...checkRanges(services.clusterIpRanges, spelled('service-cluster-ip-range')),
    storage.endpointReconcilerType !== 'none' && checkFamilies(services.clusterIpRanges[0], serving.advertiseAddress),
    !inRange(port, 0, 65535) &&
      `${spelled('kubernetes-service-node-port')} ${port} must be between 0 and 65535, inclusive. If 0, the ` +
        'Kubernetes master service will be of type ClusterIP',
    (nodeAgent.clientCertificate === undefined) !== (nodeAgent.clientKey === undefined) &&
      `${spelled('nodeagent-client-certificate')} and ${spelled('nodeagent-client-key')} are to be given together`,
    !inRange(nodeAgent.port, 1, 65535) && `${spelled('nodeagent-port')} ${nodeAgent.port} must be between 1 and 65535`,
    nodeAgent.timeoutMs <= 0 && `${spelled('nodeagent-timeout')} must be greater than 0`,
    port > 0 && !inRange(port, first, last) && `kubernetes service port range ${first}-${last} doesn't contain ${port}`,
  ];
};

function checkRanges(ranges: readonly string[], flag: string): (string | false | undefined)[] {
  const cidrs = ranges.map(parseCidr);
  return [
    ranges.length > 2 && `${flag} must not contain more than two entries`,
    ...cidrs.slice(0, 2).map((cidr, index) => checkRange(cidr, index, flag)),
    cidrs[0] !== undefined &&
      cidrs[0].family === cidrs[1]?.family &&
      `${flag}[0] and ${flag}[1] must be of different IP family`,
  ];
}

/** More addresses would make the allocation bitmaps of all replicas too large for one object. */
const maxRangeBits = 20;

const minRangeBits = 3;

function checkRange(cidr: Cidr | undefined, index: number, flag: string): string | false {
  if (cidr === undefined) return `${flag.slice(2)}[${index}] is not a valid cidr`;
  const bits = cidr.family === 4 ? 32 : 128;
  const name = index === 0 ? flag : `${flag}[${index}]`;
  if (bits - cidr.prefixLength > maxRangeBits)
    return `specified ${name} is too large; for ${bits}-bit addresses, the mask must be >= ${bits - maxRangeBits}`;
  return bits - cidr.prefixLength < minRangeBits && 'the service cluster IP range must be at least 8 IP addresses';
}

function checkFamilies(range: string | undefined, publicAddress: string | undefined): string | undefined {
  const service = range === undefined ? undefined : parseCidr(range)?.family;
  if (service === undefined || publicAddress === undefined) return undefined;
  const own = publicAddress.includes(':') ? 6 : 4;
  return service === own ? undefined : `service IP family "IPv${service}" must match public address family "IPv${own}"`;
}
