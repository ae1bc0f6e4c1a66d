/** What a request cannot have, with the answer in upstream's words. */
export class Refusal extends Error {
  readonly status: number;

  /** @param text the whole body */
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}
