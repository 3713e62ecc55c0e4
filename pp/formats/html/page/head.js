// SPDX-License-Identifier: GPL-2.0-or-later
// The head of the page: what was profiled and how, and what makes it doubtful.

// Facts that stand below the title; all of them are in "How it was taken".
const CHIPS = ["Started", "Time", "Duration", "Host", "System", "CPU"];

// Functions that a program, a thread or the kernel's own code begins with.
const BEGINNINGS = new RegExp("^(_start|_dl_start(_user)?|(__)?clone3?|__libc_start_main|" +
	"(start_)?thread(_start)?|main|ret_from_fork(_asm)?|secondary_startup.*|entry_.*|" +
	"asm_.*|runtime\\.(goexit|mstart|rt0_go|mcall|systemstack)(\\..*)?|_rt0_.*|idle|" +
	"cpu_startup_entry|kthread|\\[.*\\])$");
const CUT_LEAST = 0.01; // a smaller part is not told


function factsOf(side) {
	const list = element("dl");
	for (const [name, value] of side.facts)
		list.append(element("dt", {}, name), element("dd", {}, value));
	return list;
}

// accountOf - samples received, stored and lost; the numbers of causes stand in a column
function accountOf(side) {
	const lines = [...side.account];
	for (const [cause, n] of side.lost || [])
		lines.push(`${plural(n, "sample")} lost: ${cause}`);
	return lines.length ? [element("pre", {className: "account"}, lines.join("\n"))] : [];
}

function sideOf(side, isPair, index) {
	const title = isPair ? [element("h2", {}, `${["Old", "New"][index]}: ${side.name}`)] : [];
	return element("section", {}, ...title, factsOf(side), ...accountOf(side));
}

// cutChains - how much of all samples of the first event has a call chain that does not begin where
// programs do; and how much has none.  A recording that names no such beginning has its own ones.
function cutChains({tree, entries, functions, images}) {
	const weights = entries.samples[0], begin = new Int8Array(tree.n);
	const sums = {all: 0, alone: 0, cut: 0, whole: 0}; // those alone are cut, too
	for (let i = 0; i < tree.n; i++) {
		const above = tree.parent[i];
		if (above < 0)
			continue;
		const [name, image] = functions[tree.fn[i]];
		begin[i] = tree.parent[above] >= 0 ? begin[above]
			: BEGINNINGS.test(name) || images[image][2] ? 1 : -1;
	}
	for (let i = 0; i < weights.length; i++) {
		const node = entries.node[i];
		sums.all += weights[i];
		if (begin[node] > 0)
			sums.whole += weights[i];
		else
			sums.cut += weights[i];
		if (begin[node] <= 0 && tree.depth[node] < 2)
			sums.alone += weights[i];
	}
	return sums;
}

function chainNotes(profile) {
	const told = profile.sides.some(({notes}) =>
		notes.some((note) => /^Call chains: /.test(note)));
	const {all, alone, cut, whole} = cutChains(profile);
	if (told || !whole || cut < all * CUT_LEAST)
		return [];
	return [`Call chains: ${percent(cut, all)} are cut, as they do not begin where a program ` +
		`or thread does; ${percent(alone, all)} are of one function`];
}

// isDoubt - a note of what succeeded in all samples is none
function isDoubt(note) {
	const found = /copies of the stack of (\d+) samples: callers of (\d+) were/.exec(note);
	return !found || found[1] !== found[2];
}

function notesOf({sides}) {
	return sides.flatMap((side, i) => [
		...side.notes.map((note) =>
			sides.length < 2 || / in the (old|new) profile: /.test(note)
				? note : `${["Old", "New"][i]}: ${note}`),
		...(side.lost || []).map(([cause, n]) => `${plural(n, "sample")} lost: ${cause}`),
	]);
}

// sumsOf - "1,234 samples of cycles, 1.24 s" of each event
function sumsOf({events, sides, entries}) {
	return events.map((event, i) => {
		const sum = (values) => values.reduce((all, count) => all + count, 0);
		const side = sides.length > 1 ? `${["old", "new"][event.side]}: ` : "";
		const total = UNITS[event.unit] && (event.weighted || event.period)
			? ` (${amount(sum(entries.of("events", i)), event.unit)})` : "";
		return `${side}${plural(sum(entries.samples[i]), "sample")}` +
			(event.name === "samples" ? "" : ` of ${event.name}`) + total;
	});
}

function showHead(profile) {
	const {sides} = profile, last = sides[sides.length - 1];
	document.title = `${profile.title} - profile`;
	$("title").textContent = $("title").title = profile.title;
	const names = sides.map(({name}) => name.slice(name.lastIndexOf("/") + 1)).join(" → ");
	const named = {Time: "duration ", Duration: "duration "};
	const chips = [...(sides.length > 1 ? [`Difference: ${names}`] : []), ...sumsOf(profile),
		...last.facts.filter(([name]) => CHIPS.includes(name))
			.map(([name, value]) => (named[name] || "") + value)];
	$("chips").append(...chips.map((text) => element("li", {title: text}, text)));
	const notes = [...notesOf(profile), ...chainNotes(profile)];
	const list = notes.length ? [element("section", {}, element("h2", {}, "Notes"),
		element("ul", {}, ...notes.map((note) => element("li", {}, note))))] : [];
	$("facts").append(...sides.map((side, i) => sideOf(side, sides.length > 1, i)), ...list);
	const doubts = notes.filter(isDoubt);
	$("notes").append(...doubts.map((note) => element("li", {title: note}, note)));
	$("notes").hidden = !doubts.length;
	$("about").hidden = !sides.some(({facts, account}) => facts.length || account.length) &&
		!notes.length;
}
