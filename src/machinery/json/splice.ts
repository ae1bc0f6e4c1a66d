/** The resourceVersion of objects that are stored as JSON: put into the text, which is copied and not read. */
import { DecodeError } from '../codec/decode-error.ts';
import { eachMember, isName, skipSpace } from './walk.ts';

/** The stretch of text that is replaced, and what is put there besides the version itself. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** The object's text with its resourceVersion in `metadata`, among the members where its name belongs. */
export function spliceJsonResourceVersion(bytes: Buffer, revision: number): Buffer {
  const { start, end, before, after } = findPlace(bytes);
  const member = `${before}"resourceVersion":"${revision}"${after}`;
  const out = Buffer.allocUnsafe(bytes.length - (end - start) + member.length);
  bytes.copy(out, 0, 0, start);
  out.latin1Write(member, start, member.length);
  bytes.copy(out, start + member.length, end);
  return out;
}

/** How long {@link spliceJsonResourceVersion} makes the text. */
export function splicedJsonLength(bytes: Buffer, revision: number): number {
  const { start, end, before, after } = findPlace(bytes);
  return (
    bytes.length -
    (end - start) +
    before.length +
    after.length +
    '"resourceVersion":""'.length +
    String(revision).length
  );
}

function findPlace(bytes: Buffer): Place {
  let place: Place | undefined;
  eachMember(bytes, skipSpace(bytes, 0), (member) => {
    if (!isName(bytes, member, 'metadata')) return true;
    place = findInMetadata(bytes, member.valueStart);
    return false;
  });
  if (place === undefined) throw new DecodeError('object has no metadata');
  return place;
}

function findInMetadata(bytes: Buffer, metadata: number): Place {
  let place: Place | undefined;
  let count = 0;
  const end = eachMember(bytes, metadata, (member) => {
    count++;
    if (isName(bytes, member, 'resourceVersion'))
      place = { start: member.keyStart, end: member.valueEnd, before: '', after: '' };
    else if (isBehind(bytes, member.keyStart + 1))
      place = { start: member.keyStart, end: member.keyStart, before: '', after: ',' };
    return place === undefined;
  });
  return place ?? { start: end - 1, end: end - 1, before: count === 0 ? '' : ',', after: '' };
}

const name = Buffer.from('resourceVersion"');

/** Whether a name sorts behind `resourceVersion`. */
function isBehind(bytes: Buffer, p: number): boolean {
  for (let i = 0; i < name.length; i++) {
    const difference = bytes[p + i]! - name[i]!;
    if (difference !== 0) return difference > 0;
  }
  return false;
}
