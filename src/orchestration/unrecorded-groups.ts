/**
 * The process groups that an agent names and has not put on record itself, as one without the SDK does: the host does it,
 * so that they are found when supervisor and agent are killed together (T-7, T-8).
 */
import {
  type AdoptedGroup,
  LeadersOnRecord,
  type ProcessIdentity,
  type Registrar,
} from '../processes/index.ts';

/** Whose groups they are. */
export interface GroupsOf {
  /** Absolute root of the workspace. */
  readonly workspaceRoot: string;
  /** Name of the workspace. */
  readonly workspace: string;
  readonly run: string;
  /** `module/service`. */
  readonly service: string;
}

/** Those of one run. */
export class UnrecordedGroups {
  readonly #registrar: Registrar;
  readonly #recorded: LeadersOnRecord;

  constructor(registrar: Registrar) {
    this.#registrar = registrar;
    this.#recorded = new LeadersOnRecord(registrar.folder);
  }

  /**
   * Puts on record what is not. Of a leader that no living process proves nothing can be recorded.
   * @throws {SkeinError} SK1611, SK1613, SK1614, SK1615
   */
  async adopt(
    leaders: readonly ProcessIdentity[],
    { workspaceRoot, ...names }: GroupsOf,
    stopTimeoutMs: number,
  ): Promise<readonly AdoptedGroup[]> {
    const adopted: AdoptedGroup[] = [];
    for (const leader of leaders) {
      if (this.#recorded.has(leader)) continue;
      const purpose = { kind: 'service', ...names } as const;
      const group = await this.#registrar.adopt(leader, { workspaceRoot, purpose, stopTimeoutMs });
      if (group !== undefined) adopted.push(group);
    }
    return adopted;
  }
}
