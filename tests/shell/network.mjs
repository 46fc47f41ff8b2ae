// The network between simulated hosts: requests and messages are slow, lost, repeated and reordered.

/** Faults of a network, each as a probability. */
export const FAULTS = { lost: 0.02, unanswered: 0.02, hanging: 0.003 };

export class Network {
  #listeners = new Set();
  /** True while no request reaches the store. */
  isDown = false;

  constructor(world, { longestMs, faults }) {
    Object.assign(this, { world, longestMs, faults });
  }

  /** Makes a request of a host to a server. `work` is what the server does. */
  async request(host, what, work) {
    const { world, faults } = this;
    const { dice } = world;
    const isFaulty = () => !world.isCalm;
    return host.outside(what, dice.next() * this.longestMs, async () => {
      if (this.isDown || (isFaulty() && dice.is(faults.lost))) throw new Error(`connection refused: ${what}`);
      const answer = await work();
      // the answer takes time too, so that other requests happen meanwhile
      await new Promise((resolve) => host.after(dice.next() * this.longestMs, resolve));
      if (isFaulty() && dice.is(faults.hanging)) await new Promise(() => {});
      if (isFaulty() && dice.is(faults.unanswered)) throw new Error(`connection reset: ${what}`);
      return answer;
    });
  }

  /** Returns the transport of a host. `isRefused` names messages that can never be sent. */
  transport(host, { isRefused = () => false } = {}) {
    return {
      publish: (message) =>
        this.request(host, `publish ${message.subject}`, () => {
          if (isRefused(message)) throw new Error(`refused: ${message.subject}`);
          for (const [listener, to] of this.#listeners) this.#deliver(listener, to, structuredClone(message));
        }),
      subscribe: (listener) => {
        const entry = [listener, host];
        this.#listeners.add(entry);
        const leave = () => this.#listeners.delete(entry);
        host.onCrash(leave);
        return leave;
      },
    };
  }

  #deliver(listener, to, message) {
    const { dice, isCalm } = this.world;
    if (!isCalm && dice.is(0.05)) return;
    const copies = !isCalm && dice.is(0.05) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) to.after(dice.next() * (dice.is(0.1) ? 3000 : this.longestMs), () => listener(message));
  }
}
