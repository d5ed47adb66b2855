import * as z from 'zod';
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';

/** EnterPlanModeTool (spec 3.2): changes are proposed, not made, until the user approves. `planFile` answers where the plan goes. */
export const enterPlanModeTool = (planFile: (state: SessionState) => string): Tool =>
  defineTool({
    name: 'EnterPlanModeTool',
    description:
      'Switches to plan mode: look around with read-only tools, change nothing, then put a plan before the user with ExitPlanModeTool. Use it before larger or risky work, or when the user asks for a plan. The mode stays until the user approves a plan or leaves it.',
    input: z.object({}),
    call: () => ({
      input: {},
      subject: '',
      readOnly: true,
      parallel: false,
      async run({ session }) {
        if (session.mode === 'plan')
          return {
            status: 'ok',
            text: JSON.stringify({
              message: `Plan mode is on already. The plan file is ${session.planFile ?? planFile(session)}.`,
            }),
          };
        const file = planFile(session);
        const message = `Plan mode is on. Nothing may be changed except the plan file ${file}.`;
        return {
          status: 'ok',
          text: JSON.stringify({ message }),
          response: { message },
          effects: [{ type: 'mode', mode: 'plan', planFile: file }],
        };
      },
    }),
  });
