/**
 * Loads what the screen is made of in steps, so that no key waits long for the frame before Ink to echo it.
 * Importing everything at once would be a little quicker and deaf for its whole time.
 */
export async function warm(turn: () => Promise<void>): Promise<void> {
  await import('react');
  await turn();
  await import('marked');
  await turn();
  await import('ink');
  await turn();
}
