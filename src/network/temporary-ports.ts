/**
 * Ports of the operating system's choice (N-2). The listening socket is kept until just before the service binds, so that
 * no other run is given the port meanwhile; an endpoint keeps its port across reloads (N-9).
 */
import { SkeinError } from '../errors/index.ts';
import type { EndpointId, Port } from '../workspace/index.ts';
import type { Transport } from './mapping.ts';
import { type Bound, bind } from './sockets.ts';

/** The kernel's choice for IPv4 is free on IPv6 too, nearly always. */
const attempts = 32;

type Reservation =
  | { readonly state: 'held'; readonly port: Port; readonly sockets: readonly Bound[] }
  | { readonly state: 'released'; readonly port: Port };

/** Owns the sockets of the ports that it has given out and not yet released; disposing of it closes them all. */
export class TemporaryPorts implements AsyncDisposable {
  readonly #reservations = new Map<EndpointId, Promise<Reservation>>();
  /** Every port ever given out: a released one is its endpoint's still, though the kernel holds it free. */
  readonly #given: Record<Transport, Set<number>> = { tcp: new Set(), udp: new Set() };

  /**
   * The endpoint's port: a new one that is held on 127.0.0.1 and, where the machine has it, ::1; or the one that it was
   * given before. Every port given out by one object is different within its transport.
   * @throws {SkeinError} SK1204
   */
  async reserve(endpoint: EndpointId, transport: Transport): Promise<Port> {
    const reservation = await (this.#reservations.get(endpoint) ?? this.#hold(endpoint, transport));
    return reservation.port;
  }

  /** Lets the service bind: closes the endpoint's sockets. Its port stays known; releasing twice is done at once. */
  async release(endpoint: EndpointId): Promise<void> {
    const releasing = this.#reservations.get(endpoint)?.then(released);
    if (releasing === undefined) return;
    this.#reservations.set(endpoint, releasing);
    await releasing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reservations = await Promise.allSettled(this.#reservations.values());
    this.#reservations.clear();
    await Promise.all(
      reservations.map(async (settled) => {
        // A reservation that failed holds nothing, and its failure went to whoever asked for it.
        if (settled.status === 'fulfilled') await released(settled.value);
      }),
    );
  }

  async #hold(endpoint: EndpointId, transport: Transport): Promise<Reservation> {
    const pending = hold(endpoint, transport, this.#given[transport]);
    this.#reservations.set(endpoint, pending);
    try {
      return await pending;
    } catch (error) {
      if (this.#reservations.get(endpoint) === pending) this.#reservations.delete(endpoint);
      throw error;
    }
  }
}

async function released(reservation: Reservation): Promise<Reservation> {
  if (reservation.state === 'held') await closeAll(reservation.sockets);
  return { state: 'released', port: reservation.port };
}

async function closeAll(sockets: readonly Bound[]): Promise<void> {
  await Promise.all(sockets.map((socket) => socket.close()));
}

async function hold(endpoint: EndpointId, transport: Transport, given: Set<number>): Promise<Reservation> {
  // Those that do not serve are kept to the end, so that the kernel does not offer them again.
  const rejected: Bound[] = [];
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const first = await bind('ipv4', transport, 0);
      if (first === 'refused' || first === 'absent') break;
      const port = first.port as Port;
      const second = given.has(port) ? 'refused' : await bind('ipv6', transport, port);
      if (second === 'refused') rejected.push(first);
      else {
        given.add(port);
        return { state: 'held', port, sockets: second === 'absent' ? [first] : [first, second] };
      }
    }
  } catch (cause) {
    throw new SkeinError('SK1204', `no temporary ${transport.toUpperCase()} port for ${endpoint}`, { cause });
  } finally {
    await closeAll(rejected);
  }
  throw new SkeinError(
    'SK1204',
    `no temporary ${transport.toUpperCase()} port for ${endpoint} after ${attempts} attempts`,
  );
}
