// SPDX-License-Identifier: GPL-2.0-or-later
// The head of the page: what was profiled and how, and what makes it doubtful.

// Facts that stand below the title; all of them are in "How it was taken".
const CHIPS = ["Started", "Time", "Duration", "Host", "System", "CPU"];

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

function notesOf({sides}) {
	return sides.flatMap((side, i) => [
		...side.notes.map((note) => sides.length > 1 ? `${["Old", "New"][i]}: ${note}` : note),
		...(side.lost || []).map(([cause, n]) => `${plural(n, "sample")} lost: ${cause}`),
	]);
}

// sumsOf - "1,234 samples of cycles" of each event
function sumsOf({events, sides, entries}) {
	return events.map((event, i) => {
		const sum = entries.samples[i].reduce((all, count) => all + count, 0);
		const side = sides.length > 1 ? `${["old", "new"][event.side]}: ` : "";
		return `${side}${plural(sum, "sample")}` +
			(event.name === "samples" ? "" : ` of ${event.name}`);
	});
}

function showHead(profile) {
	const {sides} = profile, last = sides[sides.length - 1];
	document.title = `${profile.title} - profile`;
	$("title").textContent = profile.title;
	const names = sides.map(({name}) => name).join(" → ");
	const chips = [...(sides.length > 1 ? [`Difference: ${names}`] : []), ...sumsOf(profile),
		...last.facts.filter(([name]) => CHIPS.includes(name)).map(([, value]) => value)];
	$("chips").append(...chips.map((text) => element("li", {}, text)));
	$("facts").append(...sides.map((side, i) => sideOf(side, sides.length > 1, i)));
	$("notes").append(...notesOf(profile).map((note) => element("li", {}, note)));
	$("notes").hidden = !$("notes").children.length;
	$("about").hidden = !sides.some(({facts, account}) => facts.length || account.length);
}
