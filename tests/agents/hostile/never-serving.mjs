#!/usr/bin/env node
// Its health stays NOT_SERVING.
import { serve } from './speak.mjs';

await serve({ serving: 2 });
