/** The CIDRs of nodes and services, in the words of upstream's node IPAM controller. */
import { type Cidr, parseCidr } from '../../../machinery/formats/addresses.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { Problems } from '../shared/problems.ts';
import type { ControllerManagerFlagOptions } from './table.ts';

type NodeIpam = ControllerManagerFlagOptions['nodeIpamController'];

/** What is not used is not judged. */
export function checkNodeIpam(options: NodeIpam): Problems {
  const tooMany = options.serviceCidrs.length > 2 && '--service-cluster-ip-range can not contain more than two entries';
  return options.allocateNodeCidrs ? [tooMany, ...checkAllocation(options)] : [tooMany];
}

function checkAllocation(options: NodeIpam): Problems {
  const { allocatorType, clusterCidrs } = options;
  if (allocatorType === 'CloudAllocator')
    return ["--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured"];
  if (allocatorType !== 'RangeAllocator') return [`invalid CIDR allocator type: ${allocatorType}`];
  if (clusterCidrs.length === 0) return ['--cluster-cidr is required with --allocate-node-cidrs'];
  const cidrs = clusterCidrs.map(parseCidr);
  const invalid = clusterCidrs.find((_, index) => cidrs[index] === undefined);
  if (invalid !== undefined) return [`--cluster-cidr: invalid CIDR address: ${invalid}`];
  const families = new Set(cidrs.map((cidr) => cidr!.family));
  if (cidrs.length > 1 && families.size < 2)
    return [
      `len of ClusterCIDRs==${cidrs.length} and they are not configured as dual stack (at least one from each ` +
        'IPFamily)',
    ];
  if (cidrs.length > 2) return [`length of clusterCIDRs is:${cidrs.length} more than max allowed of 2`];
  return [...checkServiceCidrs(options.serviceCidrs), ...checkMasks(options, cidrs as Cidr[])];
}

function checkServiceCidrs(serviceCidrs: readonly string[]): Problems {
  const cidrs = serviceCidrs.map(parseCidr);
  return [
    ...serviceCidrs.map(
      (text, index) => cidrs[index] === undefined && `--service-cluster-ip-range: invalid CIDR address: ${text}`,
    ),
    cidrs[0] !== undefined &&
      cidrs[0].family === cidrs[1]?.family &&
      'serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)',
  ];
}

function checkMasks(options: NodeIpam, cidrs: readonly Cidr[]): Problems {
  const { maskSize, maskSizeIpv4, maskSizeIpv6 } = options;
  if (cidrs.length > 1 && maskSize !== 0)
    return ['usage of --node-cidr-mask-size is not allowed with dual-stack clusters'];
  if (maskSize !== 0 && (maskSizeIpv4 !== 0 || maskSizeIpv6 !== 0))
    return [
      'usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is ' +
        'set. For dual-stack clusters please unset it and use IPFamily specific flags',
    ];
  const other = cidrs.length === 1 ? (cidrs[0]!.family === 4 ? 6 : 4) : undefined;
  if (other === 4 && maskSizeIpv4 !== 0)
    return ['usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster'];
  if (other === 6 && maskSizeIpv6 !== 0)
    return ['usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster'];
  return cidrs.map((cidr, index) => checkMask(cidr, options.clusterCidrs[index]!, maskOf(options, cidr.family)));
}

/** More CIDRs than this many bits of them cannot be kept account of. */
const maxNodeBits = 16;

function checkMask({ family, prefixLength }: Cidr, text: string, mask: number): string | undefined {
  const bits = family === 4 ? 32 : 128;
  if (mask < prefixLength || mask > bits)
    return `the node CIDR mask size ${mask} must be between the prefix length of ${goQuote(text)} and ${bits}`;
  return mask - prefixLength > maxNodeBits
    ? `New CIDR set failed; the node CIDR size is too big: ${goQuote(text)} with node CIDR mask size ${mask}`
    : undefined;
}

const defaultMask = { 4: 24, 6: 64 } as const;

/** Bits of the CIDR of a node in a family. */
export function maskOf({ maskSize, maskSizeIpv4, maskSizeIpv6 }: NodeIpam, family: 4 | 6): number {
  const own = family === 4 ? maskSizeIpv4 : maskSizeIpv6;
  return maskSize || own || defaultMask[family];
}
