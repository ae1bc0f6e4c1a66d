/** Why the image of a container is not there, as the status of the container says it. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  /** `ErrImagePull` */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
