// SPDX-License-Identifier: GPL-2.0-or-later
// What changed between two profiles, or two ranges of time, and what of it may be chance: verdicts
// on functions are in the data (verdicts.h), as reports in text have them.

// What is compared, as a share of what: counts as they are, as text does; those of a second, where
// one was sampled longer; or shares, which change when anything else does.
const BASES = {
	counts: {title: "counts", of: () => 1},
	seconds: {title: "per second", of: ({seconds}) => seconds},
	shares: {title: "shares", of: ({all}) => all},
};

// basesOf - those that two parts can be compared by
function basesOf(parts) {
	return Object.keys(BASES).filter((basis) =>
		parts.every((part) => BASES[basis].of(part) > 0));
}

// Verdicts, as in enum pp_verdict of pp/statistics/chance.h, and the marks that text has for them.
const CHANGE = 0, CHANCE = 1, UNKNOWN = 2;
const MARKS = ["", " ~", " ?"];

// What a selection needs so that the data have verdicts on it: all threads and times of two
// profiles. Of anything else, nothing says how much it varies.
class Verdicts {
	constructor(profile, {event, shown, range, base, basis}) {
		const {at} = profile.kinds[event], {trees, tree} = profile;
		const pair = at.length < 2 ? -1 : profile.judged.findIndex((events) =>
			events.every((one, i) => one === at[i]));
		const isWhole = !shown && !range && !base && pair >= 0;
		this.column = isWhole ? profile.verdicts[pair] : null;
		this.basis = Object.keys(BASES).indexOf(basis);
		this.apart = tree === trees.inlined.tree ? 2 : 0;
	}

	// of - on what a function has ("self" or "total")
	of(fn, key) {
		if (!this.column || fn === undefined)
			return UNKNOWN;
		const measure = this.apart + (key === "total" ? 1 : 0);
		const place = measure * Object.keys(BASES).length + this.basis;
		return this.column[fn] >>> 2 * place & 3;
	}
}

class Difference {
	// parts: the old one and the new one, as weigh() makes them
	constructor(parts, basis, unit) {
		this.parts = parts;
		this.basis = basis;
		this.unit = unit;
		this.times = parts.map(BASES[basis].of);
	}

	// of - what became of a weight: the change of its rate, the part of both that it makes (-1
	// to 1), and whether it may be chance, by the verdict of the data
	of(old, now, verdict = UNKNOWN) {
		const [before, after] = [old, now].map((weight, i) =>
			this.times[i] ? weight / this.times[i] : 0);
		const difference = after - before;
		return {difference, ratio: before + after ? difference / (before + after) : 0,
			verdict: difference ? verdict : CHANCE};
	}

	// text - of a change, with its mark
	text({difference, verdict}) {
		const text = this.basis === "shares" ? points(difference)
			: `${signed(difference, this.unit)}${this.basis === "seconds" ? "/s" : ""}`;
		return text + MARKS[verdict];
	}

	// longer - with the change in percent of what was
	longer(change, old) {
		const before = this.times[0] ? old / this.times[0] : 0;
		const text = this.text(change);
		if (!before || this.basis === "shares")
			return text;
		const percents = change.difference / before * 100;
		return `${percents > 0 ? "+" : "−"}${Math.abs(percents).toFixed(1)} %, ${text}`;
	}

	// value - of one part, as its change is told
	value(weight, i) {
		if (this.basis === "shares")
			return percent(weight, this.parts[i].all);
		const rate = this.times[i] ? weight / this.times[i] : 0;
		return `${amount(rate, this.unit)}${this.basis === "seconds" ? "/s" : ""}`;
	}
}
