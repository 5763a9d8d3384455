/** The status that a run's command ends with (U-2). */
import { type RunSnapshot, RunState } from '../../gen/skein/control/v1/control_pb.js';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { isClean } from '../view/status-text.ts';

/** 130 where it was interrupted; else 1 where anything failed or may still run; 0 where it was told to stop, or had done its work. */
export function outcome(run: RunSnapshot, interrupted: boolean): ExitStatus {
  const failed =
    run.failure !== undefined ||
    run.state === RunState.FAILED ||
    run.services.some((service) => service.failure !== '') ||
    (run.receipt !== undefined && !isClean(run.receipt));
  if (interrupted) return exitStatus.interrupted;
  return failed ? exitStatus.failed : exitStatus.done;
}
