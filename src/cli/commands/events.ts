/** `skein events`: the history of the live run, then what happens, until it ends. */
import type { Event } from '../../gen/skein/control/v1/control_pb.js';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { hasColour, type Palette, palette } from '../view/colours.ts';
import { eventDocument } from '../view/documents.ts';
import { follow } from '../view/following.ts';
import { plainText } from '../view/plain-text.ts';
import { requireRun } from './live-run.ts';

export interface EventsOptions extends CommonOptions {
  readonly follow: boolean;
}

export async function events(options: EventsOptions): Promise<ExitStatus> {
  const { client } = await requireRun(options.cwd);
  const last = options.follow ? undefined : (await client.getSnapshot({})).run?.sequence;
  using following = follow({ quiet: options.follow });
  const { writer, signal } = following;
  const colours = palette(hasColour(process.stdout, options.color, process.env));
  const format = (event: Event): string =>
    options.json ? `${JSON.stringify(eventDocument(event))}\n` : `${eventText(event, colours)}\n`;
  let begun = false;
  try {
    for await (const { events: batch } of client.watchEvents({}, { signal })) {
      const oldest = batch[0]?.sequence ?? 1n;
      if (!begun && oldest > 1n)
        process.stderr.write(`the first ${oldest - 1n} events of the run are not kept any more\n`);
      begun = true;
      const wanted = batch.filter((event) => last === undefined || event.sequence <= last);
      await writer.write(wanted.map(format).join(''));
      if (last !== undefined && batch.some((event) => event.sequence >= last)) following.stop();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return exitStatus.done;
}

function eventText(event: Event, colours: Palette): string {
  const time = new Date(Number(event.timeUnixMs)).toISOString().slice(11, 23);
  const paint =
    event.severity === 'error' ? colours.bad : event.severity === 'warning' ? colours.warn : String;
  const cause = event.cause === '' ? '' : `: ${plainText(event.cause)}`;
  return `${colours.dim(time)} ${event.service || 'run'} · ${event.phase} · ${paint(event.state + cause)}`;
}
