/** A service between file and model. */
import type { FilePlace } from '../errors/index.ts';
import type { ServiceBody } from './bodies.ts';
import type { Path, YamlDocument } from './document.ts';
import type { Doubts } from './doubts.ts';
import type { ServiceId } from './model.ts';

/** A service as written, its form judged and nothing followed. */
export interface ServiceDraft {
  readonly id: ServiceId;
  readonly module: string;
  readonly name: string;
  readonly body: ServiceBody;
  readonly document: YamlDocument;
  /** Where the body stands in the document. */
  readonly path: Path;
  /** Absolute: the folder of the file that declares it. */
  readonly directory: string;
  readonly place: FilePlace;
  /** Of the whole document. */
  readonly doubts: Doubts;
}
