/** Work that is done once, however often it is asked for: whoever asks later gets what the first one got. */
export const once = <Args extends readonly unknown[], Result>(
  work: (...args: Args) => Result,
): ((...args: Args) => Result) => {
  let done: { readonly result: Result } | undefined;
  return (...args) => {
    done ??= { result: work(...args) };
    return done.result;
  };
};
