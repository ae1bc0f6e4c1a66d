/** Something cannot be given out. The message is upstream's and ends up in a Status. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
}
