/** A run that this command holds and shows until it ends. */
import { shortName, snapshotMessage } from '../../control/index.ts';
import type { ServiceId } from '../../workspace/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { hasColour, palette } from '../view/colours.ts';
import { isReaderGone, LineWriter } from '../view/line-writer.ts';
import { OutputLines } from '../view/output-lines.ts';
import { plainText } from '../view/plain-text.ts';
import type { EarlyAgents } from './early-agents.ts';
import { ExtendSignal } from './extend-signal.ts';
import { type HeldRun, holdRun } from './hold-run.ts';
import { Interrupts } from './interrupts.ts';
import { outcome } from './outcome.ts';
import type { RunRequest } from './request.ts';
import { jsonView, plainView, type RunView, type Shown } from './run-view.ts';

/** How long a reader that does not read may hold up the end of an interrupted run, milliseconds. */
const drainBudgetMs = 3_000;

export async function foreground(
  request: RunRequest,
  agents: EarlyAgents,
  options: CommonOptions,
): Promise<ExitStatus> {
  const closed = (error: Error): void =>
    interrupts.interrupt(
      `output ${isReaderGone(error) ? 'is closed' : 'cannot be written'} (${error.message})`,
    );
  const out = new LineWriter(process.stdout, closed);
  const progress = new LineWriter(process.stderr, closed);
  let view: RunView | undefined;
  const show = async (shown: Shown): Promise<void> => {
    await Promise.all([out.write(shown.out), progress.write(shown.progress)]);
  };
  using interrupts = new Interrupts((stage, cause) => {
    if (view !== undefined) void show(view.interrupted(stage, cause));
  });
  using extensions = new ExtendSignal();
  let held: HeldRun;
  try {
    held = await holdRun(
      request,
      agents,
      interrupts.signal,
      (message) => void progress.write(`skein | ${plainText(message)}\n`),
    );
  } catch (error) {
    if (interrupts.interrupted) return exitStatus.interrupted;
    throw error;
  }
  view = options.json ? jsonView() : plainViewOf(held, options);
  interrupts.attach(held.flow);
  extensions.attach(held.flow);
  const shown = Promise.all([showEvents(held, view, show), showOutput(held, view, show)]);
  await Promise.race([held.flow.ended, shown]);
  await held.flow.ended;
  held.closeOutput();
  await (interrupts.interrupted ? Promise.race([shown, budget(drainBudgetMs)]) : shown);
  const last = await held.finish();
  const end = show(view.end(last));
  await (interrupts.interrupted ? Promise.race([end, budget(drainBudgetMs)]) : end);
  return outcome(last, interrupts.interrupted);
}

type Show = (shown: Shown) => Promise<void>;

async function showEvents({ served, flow }: HeldRun, view: RunView, show: Show): Promise<void> {
  for await (const events of served.events()) {
    await show(view.events(events));
    if (events.some((event) => event.service === '' && event.phase === 'run' && event.state === 'ready'))
      await show(view.ready(snapshotMessage(flow.snapshot(), Date.now())));
  }
}

async function showOutput({ served }: HeldRun, view: RunView, show: Show): Promise<void> {
  for await (const chunks of served.output()) await show(view.output(chunks));
}

function plainViewOf({ flow }: HeldRun, options: CommonOptions): RunView {
  const nameOf = (service: string): string => shortName(flow.workspace, service as ServiceId);
  const colour = hasColour(process.stdout, options.color, process.env);
  const services = [...flow.snapshot().services.keys()];
  return plainView({
    output: new OutputLines({ services, nameOf, palette: palette(colour), colours: colour }),
    nameOf,
    roots: () => new Set<string>(flow.roots),
    palette: palette(hasColour(process.stderr, options.color, process.env)),
    quiet: options.quiet ?? false,
  });
}

function budget(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
