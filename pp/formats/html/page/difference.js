// SPDX-License-Identifier: GPL-2.0-or-later
// What changed between two profiles, or two ranges of time, and what of it may be chance: as
// reports in text have it (pp/statistics/chance.c).

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

const CONFIDENCE = 0.95, CONFIDENCE_ERRORS = 1.959963984540054;
const MANY = 1000; // from here on the normal distribution is as good

// tailOf - the probability of k of n, each with probability p, or of less probable ones on its side
function tailOf(n, k, p) {
	const isUpper = k > n * p, step = isUpper ? 1 : -1;
	let one = k * Math.log(p) + (n - k) * Math.log1p(-p), sum = 0;
	for (let i = 1; i <= k; i++)
		one += Math.log((n - k + i) / i);
	one = Math.exp(one);
	for (let i = k; i >= 0 && i <= n; i += step) {
		sum += one;
		one *= isUpper ? (n - i) / (i + 1) * p / (1 - p) : i / (n - i + 1) * (1 - p) / p;
	}
	return sum;
}

// mayBeChance - whether two numbers of samples, taken in such times, may be of one rate
function mayBeChance(old, now, oldTime, nowTime) {
	const n = old + now, p = nowTime / (oldTime + nowTime);
	if (!(oldTime > 0 && nowTime > 0) || !n)
		return true;
	if (n < MANY)
		return tailOf(n, now, p) > (1 - CONFIDENCE) / 2;
	return Math.abs(now - n * p) <= CONFIDENCE_ERRORS * Math.sqrt(n * p * (1 - p));
}

class Difference {
	// parts: the old one and the new one, as weigh() makes them
	constructor(parts, basis, unit) {
		this.parts = parts;
		this.basis = basis;
		this.unit = unit;
		this.times = parts.map(BASES[basis].of);
		this.known = new Map();
	}

	// of - what became of a weight: the change of its rate, the part of both that it makes (-1
	// to 1), and whether it may be chance
	of(old, now) {
		const [before, after] = [old, now].map((weight, i) =>
			this.times[i] ? weight / this.times[i] : 0);
		const difference = after - before;
		return {difference, ratio: before + after ? difference / (before + after) : 0,
			isChance: this.isChance(old, now)};
	}

	isChance(...weights) {
		const counts = weights.map((weight, i) => {
			const {all, samples} = this.parts[i];
			return all ? Math.round(weight / all * samples) : 0;
		});
		const key = counts[0] * 2 ** 26 + counts[1];
		let known = this.known.get(key);
		if (known === undefined)
			this.known.set(key, known = mayBeChance(...counts, ...this.times));
		return known;
	}

	// text - of a change; "~": it may be chance
	text({difference, isChance}) {
		const text = this.basis === "shares" ? points(difference)
			: `${signed(difference, this.unit)}${this.basis === "seconds" ? "/s" : ""}`;
		return isChance ? `${text} ~` : text;
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
