/** Devices of containers, as `kubelet_internal_checkpoint` keeps them over a restart of the agent. */
import { MessageCodec, type WireSchema } from '../../../base/protobuf/message-codec.ts';
import { ProtoReader } from '../../../base/protobuf/reader.ts';
import { CheckpointError, corrupted, parseCheckpoint } from '../checkpoint-file.ts';
import { checksumOf, goIntMap, goMap, goNumber, goSlice, goStruct, goText, type GoValue } from '../go-dump.ts';
import type { DeviceGrant } from './device-inventory.ts';
import { type ContainerAllocateResponse, enums, messages } from './gen/device-plugin.ts';

const codec = new MessageCodec({ enums, messages } as WireSchema);
const responseType = 'ContainerAllocateResponse';

interface Entry {
  readonly PodUID: string;
  readonly ContainerName: string;
  readonly ResourceName: string;
  readonly DeviceIDs: Readonly<Record<string, readonly string[]>>;
  /** Base64 of the message. */
  readonly AllocResp: string;
}

interface Data {
  readonly PodDeviceEntries: readonly Entry[] | null;
  readonly RegisteredDevices: Readonly<Record<string, readonly string[]>> | null;
}

export interface DeviceCheckpoint {
  readonly grants: readonly DeviceGrant[];
  /** Resources of plugins that were there, with the devices that were well. */
  readonly registered: ReadonlyMap<string, readonly string[]>;
}

export function formatDeviceCheckpoint({ grants, registered }: DeviceCheckpoint): string {
  const entries = grants.map(
    (grant): Entry => ({
      PodUID: grant.uid,
      ContainerName: grant.container,
      ResourceName: grant.resource,
      DeviceIDs: Object.fromEntries(grant.devices),
      AllocResp: codec.encode(responseType, grant.response).toString('base64'),
    }),
  );
  const Data: Data = {
    PodDeviceEntries: entries.length === 0 ? null : entries,
    RegisteredDevices: Object.fromEntries(registered),
  };
  return JSON.stringify({ Data, Checksum: checksumOfData(Data) });
}

/** Throws a `CheckpointError`. */
export function parseDeviceCheckpoint(text: string): DeviceCheckpoint {
  const { Data: data, Checksum: checksum } = parseCheckpoint(text);
  if (!isData(data) || checksum !== checksumOfData(data)) throw new CheckpointError(corrupted);
  return {
    grants: (data.PodDeviceEntries ?? []).map((entry) => ({
      uid: entry.PodUID,
      container: entry.ContainerName,
      resource: entry.ResourceName,
      devices: new Map(Object.entries(entry.DeviceIDs).map(([node, ids]) => [Number(node), ids])),
      response: responseOf(entry.AllocResp),
    })),
    registered: new Map(Object.entries(data.RegisteredDevices ?? {})),
  };
}

function responseOf(base64: string): ContainerAllocateResponse {
  const bytes = Buffer.from(base64, 'base64');
  try {
    return codec.decode(responseType, new ProtoReader(bytes, 0, bytes.length));
  } catch (error) {
    throw new CheckpointError(corrupted, { cause: error });
  }
}

type Fields = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === 'string');
const areLists = (value: unknown): boolean => isMap(value) && Object.values(value).every(areTexts);
const textMembers = ['PodUID', 'ContainerName', 'ResourceName', 'AllocResp'] as const;

const isEntry = (value: unknown): boolean =>
  isMap(value) && textMembers.every((name) => typeof value[name] === 'string') && areLists(value['DeviceIDs']);

const isData = (value: unknown): value is Data =>
  isMap(value) &&
  (value['RegisteredDevices'] === null || areLists(value['RegisteredDevices'])) &&
  (value['PodDeviceEntries'] === null ||
    (Array.isArray(value['PodDeviceEntries']) && value['PodDeviceEntries'].every(isEntry)));

const textsOf = (texts: readonly string[]): GoValue =>
  goSlice(
    '[]string',
    texts.map((text) => goText(text)),
  );

const mapped = (lists: Readonly<Record<string, readonly string[]>>): Record<string, GoValue> =>
  Object.fromEntries(Object.entries(lists).map(([key, texts]) => [key, textsOf(texts)]));

const entryOf = (entry: Entry): GoValue =>
  goStruct('checkpoint.PodDevicesEntry', {
    PodUID: goText(entry.PodUID),
    ContainerName: goText(entry.ContainerName),
    ResourceName: goText(entry.ResourceName),
    DeviceIDs: goIntMap('checkpoint.DevicesPerNUMA', mapped(entry.DeviceIDs)),
    AllocResp: goSlice(
      '[]uint8',
      [...Buffer.from(entry.AllocResp, 'base64')].map((byte) => goNumber(byte, 'uint8')),
    ),
  });

const checksumOfData = ({ PodDeviceEntries: entries, RegisteredDevices: registered }: Data): number =>
  checksumOf(
    goStruct('checkpoint.checkpointData', {
      PodDeviceEntries: {
        type: '[]checkpoint.PodDevicesEntry',
        text: entries === null ? '<nil>' : goSlice('', entries.map(entryOf)).text,
      },
      RegisteredDevices: goMap('map[string][]string', registered === null ? undefined : mapped(registered)),
    }),
  );
