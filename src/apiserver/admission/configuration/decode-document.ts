/** Reads the documents of admission plugins strictly. */
import {
  decodeStrictDocument,
  decodeStrictUntyped,
  type DocumentKind,
} from '../../../machinery/codec/strict-document.ts';
import { documentCodecs } from './document-types.ts';

export { type DocumentKind, NoSuchKind } from '../../../machinery/codec/strict-document.ts';

/** Throws an Error that says what is wrong, in the words of the reference. */
export const decodeDocument = <T>(text: string, kinds: readonly DocumentKind[]): T =>
  decodeStrictDocument(text, kinds, documentCodecs);

/** The same for a document that does not say what it is. */
export const decodeUntyped = <T>(text: string, typeId: string): T => decodeStrictUntyped(text, typeId, documentCodecs);
