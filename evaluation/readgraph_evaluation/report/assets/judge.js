/** How far a judge can be trusted: its agreement with known verdicts, and its scores by the answers' length. */
const between = ([low, high], digits = 0) => `[${low.toFixed(digits)}–${high.toFixed(digits)}]`;

function calibrationLine(found) {
  if (found.agreement === null) return `${found.judge} gave no verdict that could be used.`;
  const [long, ofLong] = found.long_wrong_taken_for_right;
  const [short, ofShort] = found.wrong_taken_for_right;
  const [missed, ofRight] = found.right_taken_for_wrong;
  const kappa = found.kappa === null ? "" : `, Cohen's kappa ${fixed(found.kappa, 2)} ${between(found.kappa_interval, 2)}`;
  return `Of ${found.pairs} answers that are known to be right or wrong, ${found.judge} judged ${number(found.rated)}, ` +
    `and agrees with ${percent(found.agreement)} ${between(found.interval)}${kappa}. It took ${long} of ${ofLong} long ` +
    `wrong answers for right, ${short} of ${ofShort} other wrong ones, and ${missed} of ${ofRight} right ones for wrong.`;
}

function unprovenLine(judging) {
  return `Unproven judge: for ${judging.unproven.join(", ")} it may agree with the verdicts known for these rules by ` +
    "chance alone (Cohen's kappa may be 0). Don't rely on these scores.";
}

function calibrationTable(found) {
  return table("Agreement by kind of answer", Object.entries(found.kinds), [
    ["kind of answer", ([kind]) => kind],
    ["agreement", ([, agreement]) => percent(agreement)],
  ]);
}

function lengthLine(lengths) {
  if (lengths.preference === null) return "Whether the judge favours long answers can't be told from these.";
  const sign = lengths.preference < 0 ? "−" : "+";
  return `Of answers with the same share of the reference's words, length and ${lengths.metric} correlate with ` +
    `${sign}${fixed(Math.abs(lengths.preference), 2)}: above 0, the judge favours long answers.`;
}

function lengthTable(lengths) {
  return table(`${lengths.metric} by length`, lengths.groups, [
    ["answer words", (one) => number(one.from) + (one.to > one.from ? `–${number(one.to)}` : "")],
    ["answers", (one) => number(one.answers)],
    [lengths.metric, (one) => fixed(one.score)],
    ["reference's words", (one) => percent(one.shared), "of a reference's words, so many stand in the answer"],
  ]);
}
