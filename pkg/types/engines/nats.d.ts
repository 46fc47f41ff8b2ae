import type { Clock, Transport } from "../engine.js";

/** What a NATS transport is made with. */
export interface NatsOptions {
  /** The package `@nats-io/transport-node`. */
  readonly nats: { headers(...given: any[]): any; connect?(options?: any): Promise<any> };
  /** The package `@nats-io/jetstream`. */
  readonly jetstream: { jetstream(connection: any, options?: any): any; jetstreamManager(connection: any, options?: any): Promise<any> };
  /** A connection of the host's own, which stays open. */
  readonly connection?: { publish(subject: string, ...more: any[]): unknown };
  /** The options of `connect`, where there is no connection yet: `servers`, `user`, `pass`, `token`, .. */
  readonly connect?: { readonly [option: string]: unknown };
  /** The stream that keeps the messages; `cg_v1r3` by default. */
  readonly stream?: string;
  /** Whether the stream is made where it is missing; true by default. */
  readonly create?: boolean;
  /** How long the stream keeps messages; 3,600 by default. */
  readonly max_age_seconds?: number;
  /** The beginning of the name of the workers' durable consumer. */
  readonly consumer?: string;
  /** How long a worker may take to claim what a doorbell tells it; 30 by default. */
  readonly ack_wait_seconds?: number;
  /** How long the server may take to store a message; 5,000 by default. */
  readonly publish_timeout_ms?: number;
  /** The clock that the transport waits by before it tries again; that of the machine by default. */
  readonly clock?: Clock;
}

export interface NatsTransport extends Required<Transport> {
  /** Whether the server can be reached. */
  readonly isUp: boolean;
  /** Stops listening; closes the connection that it made. */
  close(): Promise<void>;
}

/**
 * Messages over NATS JetStream: a doorbell and a newspaper, never the truth. A message's id is that of its outbox row.
 *
 * @throws TuckboxError `store` without a server, `auth_failed` with wrong credentials, `bad_request` where the
 * stream is there with another configuration.
 */
export declare function natsTransport(options: NatsOptions): Promise<NatsTransport>;
