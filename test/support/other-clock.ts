/** For `NODE_OPTIONS=--import`: the clock of the program is `CLOCK_MS` milliseconds off. It knows nothing of it. */
const off = Number(process.env.CLOCK_MS ?? 0);
const RealDate = Date;
class OtherDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + off);
    else super(...(given as [number]));
  }
  static override now(): number {
    return RealDate.now() + off;
  }
}
globalThis.Date = OtherDate as DateConstructor;
