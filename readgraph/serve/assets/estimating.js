/** What a run will take, told before it begins; it is asked anew whenever `body()` may have changed. */
function estimating(body, signal) {
  const box = element("p.estimate", { role: "status" });
  let turn = 0;
  const renew = settled(400, async () => {
    const mine = (turn += 1);
    const wanted = body();
    if (!wanted) return void (box.textContent = "");
    try {
      const told = toldEstimate(await ask("POST", "/api/estimate", wanted, signal));
      if (mine === turn) box.className = "estimate", box.textContent = told;
    } catch (problem) {
      if (mine === turn) box.className = "estimate trouble", box.textContent = toldProblem(problem);
    }
  });
  return { box, renew };
}

/** "12 to 15 calls, 3,400 words in, 600 words out, $0.02". */
function toldEstimate({ words, calls: made, input_words: input, output_words: output, cost, model }) {
  const parts = [made && ranged(made, "call"), input && ranged(input, "word", " in"), output && ranged(output, "word", " out")];
  const isFree = made && made.expected === 0;
  const price = isFree ? "" : cost === null || cost === undefined ? "price not known" : inDollars(cost);
  const text = words ? `${counted(words, "word")} of text` : "";
  const takes = isFree ? "no calls of a model" : parts.filter(Boolean).join(", ");
  return `Expected: ${[takes, price, model ? `with ${model}` : "", text].filter(Boolean).join("; ")}.`;
}

/** A figure and how far it may go. */
function ranged({ low, expected, high }, thing, more = "") {
  const about = counted(Math.round(expected), thing) + more;
  if (high === null || high === undefined) return `${about} or more`;
  return low === high ? about : `${about} (${number(Math.round(low))} to ${number(Math.round(high))})`;
}
