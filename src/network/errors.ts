/** The codes of addresses and ports, SK1201 to SK1299: what each means, and what a person does about it. */
import type { ErrorTable } from '../errors/index.ts';

export const networkErrors: ErrorTable = {
  SK1201: {
    title: 'one fixed port for two endpoints',
    remedy: 'Change one of the two, or leave it out: skein derives a stable port.',
  },
  SK1202: {
    title: 'no port left to derive',
    remedy: 'Run fewer endpoints in one workspace, or give some of them a fixed `port` outside 10000–31999.',
  },
  SK1203: {
    title: 'a malformed port override',
    remedy: 'Write it as --port service/endpoint=N, with N from 1 to 65535.',
  },
  SK1204: {
    title: 'no temporary port to be had',
    remedy: 'Check the limits on open files and the range of ephemeral ports of this machine.',
  },
  SK1210: {
    title: 'a port is taken',
    remedy: 'End the process that holds it, or choose another port with --port or --temporary-ports.',
  },
  SK1211: {
    title: 'a port cannot be examined',
    remedy: 'Check the limits on open files and the loopback interface of this machine.',
  },
  SK1220: {
    title: 'an agent answered other endpoints than were proposed',
    remedy: 'The agent must answer exactly the endpoints of the proposal, or no mapping at all.',
  },
  SK1221: {
    title: 'an agent answered an address that cannot stand',
    remedy: 'The agent must echo the proposed address, or answer a complete one that the view allows.',
  },
  SK1222: {
    title: 'an agent answered a view that it may not have',
    remedy:
      'The agent may drop views, and add those that skein would itself have proposed; each at most once.',
  },
  SK1223: {
    title: 'an agent left an endpoint without address',
    remedy: 'The agent must answer at least one address for each endpoint, or no mapping at all.',
  },
  SK1230: {
    title: 'addresses asked for without a composition to judge by',
    remedy: 'This is a fault of skein; please report it.',
  },
  SK1231: {
    title: 'an address of an endpoint that nobody declared',
    remedy: "Declare the endpoint in the producer's service file, or correct the agent that answered it.",
  },
  SK1240: {
    title: 'a native service listens on more than loopback',
    remedy:
      'Make it listen on the host that it is given (`${self:ENDPOINT|host}`), which is a loopback address: everybody in the network of the machine can reach it as it is.',
  },
};
