/** Placeholder for the command line. */
export async function main(args: readonly string[]): Promise<void> {
  process.stdout.write(`coppice ${args.join(' ')}\n`);
}
