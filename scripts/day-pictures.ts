/** `node scripts/day-pictures.ts FOLDER [COLUMNS] [THEME]`: sits through the working day and writes a picture of every sight. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workingDay } from '../test/day/sitting.ts';
import { writePicture } from '../test/support/picture.ts';

const [folder = 'day', columns = '120', theme = 'dark'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
await workingDay({
  columns: Number(columns),
  theme,
  async look(name, screen) {
    const path = join(folder, `${name}-${columns}-${theme}`);
    writeFileSync(`${path}.txt`, `${screen.screen().join('\n')}\n`);
    await writePicture(`${path}.png`, screen.cells(), {
      theme: theme.startsWith('light') ? 'light' : 'dark',
      title: name,
      scale: 1,
    });
    console.log(path);
  },
});
