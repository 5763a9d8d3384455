/** The cases of the chaos suite (T-13): who is killed, at which moment of a run, and how much damage is done besides. */

export const victims = ['supervisor', 'agent', 'agent host', 'service', 'everybody'] as const;
/** `agent`: that of one service; `agent host`: that of many; `everybody`: supervisor and agents at one moment. */
export type Victim = (typeof victims)[number];

export const moments = ['load', 'init', 'start', 'half started', 'ready', 'teardown'] as const;
export type Moment = (typeof moments)[number];

export interface Killing {
  readonly victim: Victim;
  readonly moment: Moment;
  /** Whether the run ends at the first failure, or goes on and starts again what was killed. */
  readonly failFast: boolean;
}

export const damages = [
  'a half-written record',
  'a re-used pid',
  'a record of another boot',
  'a full disk before the run',
  'a full disk before the crash',
  'a state folder that cannot be written',
] as const;
export type Damage = (typeof damages)[number];

/** Every one. In Load no service runs that could be killed: what is killed of it in Init is its build. */
export const killings: readonly Killing[] = victims
  .flatMap((victim) => moments.map((moment) => ({ victim, moment })))
  .filter(({ victim, moment }) => victim !== 'service' || moment !== 'load')
  .map((killing, index) => ({ ...killing, failFast: index % 2 === 0 }));

export interface Drawn {
  readonly killings: readonly Killing[];
  readonly damages: readonly Damage[];
}

/** One killing of each victim but the last, and one damage, by a number that brings the same ones again. */
export function draw(seed: number): Drawn {
  const random = mulberry32(seed);
  const pick = <One>(all: readonly One[]): readonly One[] =>
    all.slice(Math.floor(random() * all.length)).slice(0, 1);
  return {
    killings: victims
      .slice(0, -1)
      .flatMap((victim) => pick(killings.filter((killing) => killing.victim === victim)))
      .map((killing) => ({ ...killing, failFast: random() < 0.5 })),
    damages: pick(damages),
  };
}

/** A small generator of well-mixed numbers from 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
