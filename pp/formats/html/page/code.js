// SPDX-License-Identifier: GPL-2.0-or-later
// Source and instructions of a function, each line with its samples.

// sourcesOf - the source that the samples of a function are in: its own, and what is inlined there
function sourcesOf(profile, fn) {
	return profile.listings.filter(({kind, functions}) =>
		kind === "source" && functions.includes(fn));
}

// listingsOf - the listings of a function: its own source, its assembly, the source of what is
// inlined in it
function listingsOf(profile, fn) {
	const all = profile.listings.filter(({functions}) => functions.includes(fn));
	const isOwn = ({kind, functions}) => kind === "source" && functions[0] === fn;
	const others = profile.hasInlined && profile.tree.inlined ? []
		: all.filter((one) => one.kind === "source" && !isOwn(one));
	return [...all.filter(isOwn), ...all.filter(({kind}) => kind === "assembly"), ...others];
}

// rowsByPlace - the rows of a listing at each place
function rowsByPlace(listing) {
	const rowsAt = new Map(), {places} = listing;
	for (let i = 0; i < places.length; i += 3) {
		const [row, place, isOwn] = places.slice(i, i + 3);
		rowsAt.set(place, [...rowsAt.get(place) || [], {row, isOwn: Boolean(isOwn)}]);
	}
	return rowsAt;
}

// countsOf - {self, total}: by row, what is selected; where inlined functions are not told apart,
// self of the function that is open is with what is inlined in the line
function countsOf(view, listing) {
	const {profile} = view;
	const isApart = profile.tree.inlined || listing.functions[0] !== view.opened;
	listing.rowsAt ||= rowsByPlace(listing);
	return sumsByRow(profile.entries.chains, view.sumsOfChains().at(-1), listing.rowsAt,
		listing.rows.length, Boolean(isApart));
}

// hottestOf - the line with the most samples of its own within a function, or what is inlined there:
// {listing, row, within, all: wherever the line is}; or null
function hottestOf(view, fn) {
	const {profile} = view, sources = sourcesOf(profile, fn);
	if (!sources.length)
		return null;
	const part = partsOf(profile, view.selection).at(-1);
	const sums = sumsByPlace(profile, view.selection, part, fn);
	let hottest = null;
	for (const listing of sources) {
		const within = new Float64Array(listing.rows.length), all = within.slice();
		listing.rowsAt ||= rowsByPlace(listing);
		for (const [place, rows] of listing.rowsAt)
			for (const {row} of rows.filter(({isOwn}) => isOwn)) {
				within[row] += sums.within.get(place) || 0;
				all[row] += sums.all.get(place) || 0;
			}
		const row = within.indexOf(within.reduce((most, one) => Math.max(most, one), 0));
		if (within[row] > (hottest ? hottest.within : 0))
			hottest = {listing, row, within: within[row], all: all[row]};
	}
	return hottest;
}

function heatedCell(view, weight, most) {
	const i = view.weights.length - 1;
	const cell = element("td", {className: "number"},
		weight ? percent(weight, view.weights[i].all) : "");
	cell.title = weight ? view.exact(weight, i) : "";
	if (most)
		cell.style.setProperty("--heat", `${Math.sqrt(weight / most) * 100}%`);
	return cell;
}

// indentOf - how many columns all lines of a source begin with
function indentOf(texts) {
	const indents = texts.filter((text) => text.trim()).map((text) => text.search(/\S/));
	return indents.length ? Math.min(...indents) : 0;
}

// codeOf - a listing as a table; row: what is the hottest one there, if that is not to be found out
function codeOf(view, listing, row) {
	const {self, total} = countsOf(view, listing);
	const mostOf = (weights) => weights.reduce((most, one) => Math.max(most, one), 0);
	const mostSelf = mostOf(self), mostTotal = mostOf(total);
	const isHottest = (i) => row !== undefined ? i === row
		: mostSelf ? self[i] === mostSelf : mostTotal && total[i] === mostTotal;
	const isSource = listing.kind === "source", body = element("tbody");
	const heads = [["number", "Self"], ["number", view.amountName], ["number", "Total"],
		["place", isSource ? "Line" : "Address"], ["", isSource ? "Source" : "Instruction"]];
	const texts = listing.rows.map(([, text]) => text.replaceAll("\t", "    "));
	const indent = isSource ? indentOf(texts) : 0;
	listing.rows.forEach(([place, , line], i) => {
		const before = listing.rows[i - 1];
		if (isSource && before && place !== before[0] + 1)
			body.append(element("tr", {className: "gap"},
				element("td", {colSpan: heads.length, textContent: "⋯"})));
		body.append(element("tr", {className: isHottest(i) ? "hottest" : ""},
			heatedCell(view, self[i], mostSelf),
			element("td", {className: "number"}, self[i] ? amount(self[i], view.unit) : ""),
			heatedCell(view, total[i], 0),
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

// isMarked - whether a listing, when it is shown, marks the hottest line by itself: not if calls of
// what is inlined have more samples
function isMarked(view, shown, {listing, row}) {
	if (listing !== shown)
		return false;
	const {self} = countsOf(view, shown);
	return self.every((weight) => weight <= self[row]);
}

// hottestButton - says which line is the hottest of a function, and leads there
function hottestButton(view, {listing, row, within, all}, choose) {
	const {profile} = view, {all: whole} = view.weights.at(-1);
	const [name] = profile.functions[listing.functions[0]], [line] = listing.rows[row];
	const inlined = listing.functions[0] === view.opened ? "" : " (inlined)";
	const share = percent(within, whole), shareOfAll = percent(all, whole);
	const button = element("button", {type: "button",
		title: `${listing.name}:${line}\n${name}\n${view.exact(within, view.weights.length - 1)}`},
		`Hottest line: ${listing.name.split("/").pop()}:${line} in ${shorten(name, 50)}${inlined}, ` +
			share + (share === shareOfAll ? "" : ` here, ${shareOfAll} wherever it is`));
	button.addEventListener("click", () => {
		choose(listing, row);
		document.querySelector(".code").focus({preventScroll: true});
	});
	return element("p", {className: "hot"}, button);
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
	let shown = [];
	listings.forEach((listing, i) => {
		const title = titleOf(profile, listing, fn);
		if (!isFirst(listing, i) || !["Source", "Assembly"].includes(title)) {
			more.append(element("option", {value: i}, shorten(title, 60)));
			return;
		}
		const button = element("button", {type: "button", textContent: title});
		button.addEventListener("click", () => choose(listing));
		buttons[i] = button;
	});
	more.addEventListener("change", () =>
		more.value !== "" && choose(listings[Number(more.value)]));

	// what was clicked stays where it is, with the focus
	function choose(listing, row) {
		const index = listings.indexOf(listing);
		buttons.forEach((button, i) => {
			button.ariaPressed = String(i === index);
		});
		more.value = buttons[index] || index < 0 ? "" : index;
		said.textContent = listing.name;
		said.title = said.textContent;
		shown.forEach((one) => one.remove());
		shown = listing.trouble
			? [element("p", {className: "problem", textContent: listing.trouble})] : [];
		shown.push(codeOf(view, listing, row));
		place.append(...shown);
	}

	bar.append(...buttons.filter(Boolean), ...(more.options.length > 1 ? [more] : []), said);
	place.append(bar);
	const hottest = hottestOf(view, fn);
	if (hottest && !isMarked(view, listings[0], hottest))
		place.append(hottestButton(view, hottest, choose));
	choose(listings[0]);
	return place;
}
