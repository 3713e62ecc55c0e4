// SPDX-License-Identifier: GPL-2.0-or-later
// Names and numbers for people.

const UNITS = {
	nanoseconds: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
	bytes: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]],
};

// amount - a weight, in the unit of its event if events are shown; three digits at least
function amount(weight, unit) {
	const scale = UNITS[unit];
	if (!scale)
		return Math.round(weight).toLocaleString("en");
	if (!weight)
		return "0";
	const [size, name] = scale.find(([size]) => Math.abs(weight) >= size) ||
		scale[scale.length - 1];
	const value = weight / size, whole = Math.abs(value);
	const digits = size === 1 || whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
	return `${value.toLocaleString("en", {minimumFractionDigits: digits,
		maximumFractionDigits: digits})} ${name}`;
}

// signed - a change of an amount: "+12", "−3.50 ms", "0"
function signed(change, unit) {
	const text = amount(Math.abs(change), unit);
	return Number.parseFloat(text) === 0 ? "0" : `${change > 0 ? "+" : "−"}${text}`;
}

function percent(weight, all) {
	return all ? `${(weight / all * 100).toFixed(2)} %` : "0.00 %";
}

// points - a change of a share, in percentage points: "+1.25", "−0.50", "0.00"
function points(change) {
	const text = Math.abs(change * 100).toFixed(2);
	if (Number(text) === 0)
		return text;
	return `${change > 0 ? "+" : "−"}${text}`;
}

// plural - "1 sample", "2 samples"
function plural(n, word) {
	return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}

// unitOf - the unit of systemd, or else the last part, of a control group's path
function unitOf(path) {
	const parts = String(path).split("/").filter(Boolean);
	const unit = parts.findLast((part) => /\.(service|scope|socket|mount|swap)$/.test(part));
	return unit || parts[parts.length - 1] || "/";
}

// threadName - "program 70/71"
function threadName(profile, index) {
	const [program, pid, tid] = profile.threads[index];
	return [profile.functions[program][0], [pid, tid].filter((id) => id >= 0).join("/")]
		.filter(Boolean).join(" ");
}

// matcher - what a search looks for: part of a name, whatever its case, or /regex/; throws if
// the expression is wrong
function matcher(text) {
	const expression = /^\/(.+)\/$/.exec(text);
	if (expression) {
		const regex = new RegExp(expression[1]);
		return (name) => regex.test(name);
	}
	const part = text.toLowerCase();
	return (name) => name.toLowerCase().includes(part);
}

// folded - a name with what is between <> or () as an ellipsis; operators keep theirs
function folded(name, open, close) {
	let out = "", depth = 0;
	const operator = open === "(" ? /operator\(?$/ : /operator[<>-]?$/;
	for (let i = 0; i < name.length; i++) {
		const isOperator = (name[i] === open || name[i] === close) &&
			operator.test(name.slice(Math.max(0, i - 10), i));
		if (name[i] === close && depth && !isOperator && name[i - 1] !== "-") {
			depth--;
			out += depth ? "" : close;
		} else if (name[i] === open && !isOperator) {
			out += depth++ ? "" : name[i + 1] === close ? open : `${open}…`;
		} else {
			out += depth ? "" : name[i];
		}
	}
	return depth ? name : out;
}

// briefer - a name without its template arguments; also without its parameters; without its return
// type; its last parts; and the last one alone
function briefer(name) {
	const clean = name.replaceAll("(anonymous namespace)", "{anonymous}")
		.replace(/ \[clone [^\]]*\]/g, "");
	const once = folded(clean, "<", ">"), twice = folded(once, "(", ")").replace(/ const$/, "");
	const own = twice.includes("operator") ? twice : twice.slice(twice.lastIndexOf(" ") + 1);
	const parts = own.split("::"), last = parts[parts.length - 1];
	return [name, once, twice, own, parts.slice(-2).join("::"), last,
		last.replace("(…)", ""), last.replace("(…)", "").replace("<…>", "").trim()];
}

const SHORT_MOST = 20000; // names that are kept short
const short = new Map();

// shorten - to at most n characters; tables and graphs ask for the same ones at each frame
function shorten(name, n) {
	if (name.length <= n)
		return name;
	const key = `${n} ${name}`;
	let text = short.get(key);
	if (text === undefined) {
		if (short.size >= SHORT_MOST)
			short.clear();
		short.set(key, text = shortened(name, n));
	}
	return text;
}

// shortened - to what briefer() says, then in the middle
function shortened(name, n) {
	const names = briefer(name);
	const text = names.find((text) => text.length <= n);
	if (text !== undefined)
		return text;
	const least = names[names.length - 1];
	if (n < 4)
		return least.slice(0, Math.max(0, n));
	const tail = Math.floor((n - 1) / 2);
	return `${least.slice(0, n - 1 - tail)}…${least.slice(least.length - tail)}`;
}

// element - <tag> with properties, and children that are elements or text
function element(tag, properties, ...children) {
	const made = Object.assign(document.createElement(tag), properties);
	made.append(...children);
	return made;
}
