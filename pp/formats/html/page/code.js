// SPDX-License-Identifier: GPL-2.0-or-later
// Source and instructions of a function, each line with its samples.

const KINDS = 3; // of values of a line: own ones, with what is inlined, with what is called

// listingsOf - the listings of a function: its own source, its assembly, the source of what is
// inlined in it
function listingsOf(profile, fn) {
	const all = profile.listings.filter(({functions}) => functions.includes(fn));
	const isOwn = ({kind, functions}) => kind === "source" && functions[0] === fn;
	const others = profile.hasInlined && profile.tree.inlined ? []
		: all.filter((one) => one.kind === "source" && !isOwn(one));
	return [...all.filter(isOwn), ...all.filter(({kind}) => kind === "assembly"), ...others];
}

// countsOf - by row: [self, total]; where inlined functions are not told apart, self is with what
// is inlined in the line
function countsOf(view, listing) {
	const {profile} = view, event = view.listedEvent, last = profile.sides.length - 1;
	const index = profile.events.slice(0, event).filter(({side}) => side === last).length;
	const isEvents = view.selection.measure === "events";
	const period = profile.events[event].period || 1;
	const self = profile.tree.inlined ? 0 : 1;
	return new Map((listing.counts[index] || []).map(([row, ...values]) => {
		const weights = !isEvents ? values : values.length > KINDS ? values.slice(KINDS)
			: values.map((value) => value * period);
		return [row, [weights[self], weights[2]]];
	}));
}

// countsOfPart - the same of what is selected, of which only self is known
function countsOfPart(view, listing) {
	const {profile} = view, part = partsOf(profile, view.selection).at(-1);
	const sums = new Map(), counts = new Map(), {place} = profile.entries;
	eachValue(profile, view.selection, part, (entry, weight) => {
		sums.set(place[entry], (sums.get(place[entry]) || 0) + weight);
	});
	for (let i = 0; i < listing.places.length; i += 3) {
		const [row, at, isOwn] = listing.places.slice(i, i + 3), weight = sums.get(at);
		if (weight && (isOwn || !profile.tree.inlined))
			counts.set(row, [(counts.get(row)?.[0] || 0) + weight, 0]);
	}
	return counts;
}

function heatedCell(view, weight, most) {
	const all = view.isPart() ? view.weights.at(-1).all : view.listedAll;
	const cell = element("td", {className: "number"}, weight ? percent(weight, all) : "");
	cell.title = weight ? view.exact(weight, view.weights.length - 1) : "";
	if (most)
		cell.style.setProperty("--heat", `${Math.sqrt(weight / most) * 100}%`);
	return cell;
}

// indentOf - how many columns all lines of a source begin with
function indentOf(texts) {
	const indents = texts.filter((text) => text.trim()).map((text) => text.search(/\S/));
	return indents.length ? Math.min(...indents) : 0;
}

// codeOf - a listing as a table; of a part of the profile, what lines call is not known
function codeOf(view, listing) {
	const counts = (view.isPart() ? countsOfPart : countsOf)(view, listing);
	const mostOf = (i) => Math.max(...[...counts.values()].map((all) => all[i]), 0);
	const mostSelf = mostOf(0), mostTotal = mostOf(1);
	const isHottest = ([self, total]) => mostSelf ? self === mostSelf : total === mostTotal;
	const isSource = listing.kind === "source", body = element("tbody");
	const totalHead = view.isPart() ? [] : [["number", "Total"]];
	const heads = [["number", "Self"], ["number", view.amountName], ...totalHead,
		["place", isSource ? "Line" : "Address"], ["", isSource ? "Source" : "Instruction"]];
	const texts = listing.rows.map(([, text]) => text.replaceAll("\t", "    "));
	const indent = isSource ? indentOf(texts) : 0;
	listing.rows.forEach(([place, , line], i) => {
		const count = counts.get(i), before = listing.rows[i - 1];
		if (isSource && before && place !== before[0] + 1)
			body.append(element("tr", {className: "gap"},
				element("td", {colSpan: heads.length, textContent: "⋯"})));
		const [self, total] = count || [0, 0];
		body.append(element("tr", {className: count && isHottest(count) ? "hottest" : ""},
			heatedCell(view, self, mostSelf),
			element("td", {className: "number"}, self ? amount(self, view.unit) : ""),
			...(view.isPart() ? [] : [heatedCell(view, total, 0)]),
			element("td", {className: "place"}, isSource ? String(place) : place),
			element("td", {className: "text"}, texts[i].slice(indent), isSource || !line
				? "" : element("span", {className: "line"}, ` line ${line}`))));
	});
	const head = element("thead", {}, element("tr", {}, ...heads.map(([className, text]) =>
		element("th", {scope: "col", className}, text))));
	const box = element("div", {className: "code", tabIndex: 0},
		element("table", {}, element("caption", {textContent: listing.name}), head, body));
	box.setAttribute("role", "region");
	box.setAttribute("aria-label", `${isSource ? "Source" : "Assembly"} of ${listing.name}`);
	requestAnimationFrame(() => {
		const hot = box.querySelector(".hottest");
		if (hot)
			box.scrollTop = hot.offsetTop - box.clientHeight / 2;
	});
	return box;
}

// titleOf - what the button or option of a listing says
function titleOf(profile, listing, fn) {
	if (listing.kind === "assembly")
		return "Assembly";
	if (listing.functions[0] === fn)
		return "Source";
	return `${profile.functions[listing.functions[0]][0]} (${listing.name.split("/").pop()})`;
}

// codePanel - the listings of a function, the first one shown; or why there are none
function codePanel(view, fn) {
	const {profile} = view, listings = listingsOf(profile, fn);
	if (!listings.length)
		return element("p", {className: "none", textContent: profile.listings.length
			? "The page has code of the functions with the most samples, and none of this one."
			: "No code: its files, or their debug information, were not where the page was made."});
	const place = element("div", {className: "listing"}), said = element("span");
	const bar = element("div", {className: "choice"});
	const isFirst = (one, i) => listings.findIndex((other) =>
		titleOf(profile, other, fn) === titleOf(profile, one, fn)) === i;
	const more = element("select", {ariaLabel: "Other code of the function"},
		element("option", {value: ""}, "inlined…"));
	const buttons = [];
	listings.forEach((listing, i) => {
		const title = titleOf(profile, listing, fn);
		if (!isFirst(listing, i) || !["Source", "Assembly"].includes(title)) {
			more.append(element("option", {value: i}, shorten(title, 60)));
			return;
		}
		const button = element("button", {type: "button", textContent: title});
		button.addEventListener("click", () => choose(i));
		buttons[i] = button;
	});
	more.addEventListener("change", () => more.value !== "" && choose(Number(more.value)));

	function choose(index) {
		const listing = listings[index];
		buttons.forEach((button, i) => {
			button.ariaPressed = String(i === index);
		});
		more.value = buttons[index] ? "" : index;
		said.textContent = listing.name;
		said.title = said.textContent;
		const trouble = listing.trouble
			? [element("p", {className: "problem", textContent: listing.trouble})] : [];
		place.replaceChildren(bar, ...trouble, codeOf(view, listing));
	}

	bar.append(...buttons.filter(Boolean), ...(more.options.length > 1 ? [more] : []), said);
	choose(0);
	return place;
}
