/** The console's state of the session: its token against forged requests, and whether it has ended. Each window has one. */
export type Ended = { readonly since: number };

type Listener = () => void;

export class Session {
  #csrf = "";
  #person = "";
  #ended: Ended | undefined;
  #renewed: { promise: Promise<void>; resolve: () => void } | undefined;
  #listeners = new Set<Listener>();

  get csrf(): string {
    return this.#csrf;
  }

  /** Takes the answer of GET /api/me. If the person has changed, the page's contents are not theirs, and the answer is "other". */
  take(me: { id: string; csrfToken: string }): "same" | "other" {
    if (this.#person !== "" && this.#person !== me.id) return "other";
    this.#person = me.id;
    this.#csrf = me.csrfToken;
    return "same";
  }

  /** Whether the session has ended, for components that ask the person to sign in again. */
  readonly ended = (): boolean => this.#ended !== undefined;

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Waits until the person has signed in again. The page stays unchanged. */
  end(): Promise<void> {
    if (!this.#renewed) {
      let resolve: () => void = () => undefined;
      const promise = new Promise<void>((done) => (resolve = done));
      this.#renewed = { promise, resolve };
      this.#ended = { since: Date.now() };
      this.#tell();
    }
    return this.#renewed.promise;
  }

  /** Lets requests that wait for the session continue. */
  renew(): void {
    const waiting = this.#renewed;
    this.#renewed = undefined;
    this.#ended = undefined;
    this.#tell();
    waiting?.resolve();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const session = new Session();
