// SPDX-License-Identifier: GPL-2.0-or-later
// Source and instructions of a function, each line with its samples.

// sourcesOf - the source that the samples of a function are in: its own, and what is inlined there
function sourcesOf(profile, fn) {
	return profile.listings.filter(({kind, functions}) =>
		kind === "source" && functions.includes(fn));
}

// listingsOf - the listings of a function: its own source, the new one first; its assembly; the
// source of what is inlined in it
function listingsOf(profile, fn) {
	const all = profile.listings.filter(({functions}) => functions.includes(fn));
	const isOwn = ({kind, functions}) => kind === "source" && functions[0] === fn;
	const others = profile.hasInlined && profile.tree.inlined ? []
		: all.filter((one) => one.kind === "source" && !isOwn(one));
	const isNew = ({sides}) => !sides || sides.includes(1);
	const own = all.filter(isOwn);
	return [...own.filter(isNew), ...own.filter((one) => !isNew(one)),
		...all.filter(({kind}) => kind === "assembly"), ...others];
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

// countsOf - of each part, {self, total} by row; where inlined functions are not told apart, self
// of the function that is open is with what is inlined in the line
function countsOf(view, listing) {
	const {profile} = view;
	const isApart = Boolean(profile.tree.inlined || listing.functions[0] !== view.opened);
	const ofChains = view.sumsOfChains(), {known} = listing;
	if (known?.ofChains === ofChains && known.isApart === isApart)
		return known.counts;
	listing.rowsAt ||= rowsByPlace(listing);
	const counts = ofChains.map((sums) => sumsByRow(profile.entries.chains, sums,
		listing.rowsAt, listing.rows.length, isApart));
	listing.known = {ofChains, isApart, counts};
	return counts;
}

// absentPart - the part of a comparison whose samples of a listing's function are not in it, as its
// lines are others or are not known; or -1
function absentPart(view, listing) {
	const {profile, selection} = view;
	return profile.sides.length < 2 ? -1 : partsOf(profile, selection).findIndex((part, i) =>
		!listing.sides.includes(i) && isIn(profile, selection, part, listing.functions[0]));
}

// rankOf - what makes rows the hottest: the weight; of a comparison, how much it has changed
function rankOf(view, weights) {
	return weights.length === 1 ? weights[0]
		: Math.abs(view.difference.of(...weights).difference);
}

const mostOf = (numbers) => numbers.reduce((most, one) => Math.max(most, one), 0);

// hottestOf - the line that ranks first by samples of its own within a function, or what is inlined
// there: {listing, row, within, all: wherever the line is}; or null
function hottestOf(view, fn) {
	const {profile} = view;
	const sources = sourcesOf(profile, fn).filter((one) => absentPart(view, one) < 0);
	if (!sources.length)
		return null;
	const parts = partsOf(profile, view.selection).map((part) =>
		sumsByPlace(profile, view.selection, part, fn));
	let hottest = null, most = 0;
	for (const listing of sources) {
		const none = () => parts.map(() => 0);
		const rows = listing.rows.map(() => ({within: none(), all: none()}));
		listing.rowsAt ||= rowsByPlace(listing);
		for (const [place, at] of listing.rowsAt)
			for (const {row} of at.filter(({isOwn}) => isOwn))
				parts.forEach((sums, i) => {
					rows[row].within[i] += sums.within.get(place) || 0;
					rows[row].all[i] += sums.all.get(place) || 0;
				});
		rows.forEach(({within, all}, row) => {
			if (rankOf(view, within) > most) {
				most = rankOf(view, within);
				hottest = {listing, row, within, all};
			}
		});
	}
	return hottest;
}

// shareCell - a weight of a part, as its share; most: what is hottest, or 0
function shareCell(view, weight, part, most) {
	const cell = element("td", {className: "number"},
		weight ? percent(weight, view.weights[part].all) : "");
	cell.title = weight ? view.exact(weight, part) : "";
	if (most)
		cell.style.setProperty("--heat", `${Math.sqrt(weight / most) * 100}%`);
	return cell;
}

// changeCell - what became of a weight
function changeCell(view, name, weights) {
	const change = view.difference.of(...weights), isThere = weights.some((weight) => weight);
	return element("td", {className: `number ${isThere ? toneOf(change) : ""}`,
		title: isThere ? view.weightText(name, weights) : ""},
	isThere ? view.difference.text(change) : "");
}

// columnsOf - of rows of one part, or of all: {heads, cells(row), rank(row)}
function columnsOf(view, counts, part) {
	const self = (row) => counts.map((sums) => sums.self[row]);
	const total = (row) => counts.map((sums) => sums.total[row]);
	const mostSelf = mostOf(counts[0].self.map((_, row) => rankOf(view, self(row))));
	const rank = (row) => rankOf(view, mostSelf ? self(row) : total(row));
	const value = (weight, i) =>
		element("td", {className: "number"}, weight ? view.difference.value(weight, i) : "");
	if (counts.length > 1)
		return {rank, heads: ["Self ±", "Old", "New", "Total ±"], cells: (row) => [
			changeCell(view, "self", self(row)), ...self(row).map(value),
			changeCell(view, "total", total(row)),
		]};
	return {rank, heads: ["Self", view.amountName, "Total"], cells: (row) => [
		shareCell(view, self(row)[0], part, mostSelf),
		element("td", {className: "number"}, self(row)[0] ? amount(self(row)[0], view.unit) : ""),
		shareCell(view, total(row)[0], part, 0),
	]};
}

// columnsOfListing - of all parts, but for one that is not there
function columnsOfListing(view, listing) {
	const absent = absentPart(view, listing), counts = countsOf(view, listing);
	return absent < 0 ? columnsOf(view, counts, 0)
		: columnsOf(view, [counts[1 - absent]], 1 - absent);
}

// indentOf - how many columns all lines of a source begin with
function indentOf(texts) {
	const indents = texts.filter((text) => text.trim()).map((text) => text.search(/\S/));
	return indents.length ? Math.min(...indents) : 0;
}

// codeOf - a listing as a table; row: what is the hottest one there, if that is not to be found out
function codeOf(view, listing, row) {
	const {heads: counted, cells, rank} = columnsOfListing(view, listing);
	const most = mostOf(listing.rows.map((_, i) => rank(i)));
	const isHottest = (i) => row !== undefined ? i === row : most && rank(i) === most;
	const isSource = listing.kind === "source", body = element("tbody");
	const heads = [...counted.map((name) => ["number", name]),
		["place", isSource ? "Line" : "Address"], ["", isSource ? "Source" : "Instruction"]];
	const texts = listing.rows.map(([, text]) => text.replaceAll("\t", "    "));
	const indent = isSource ? indentOf(texts) : 0;
	listing.rows.forEach(([place, , line], i) => {
		const before = listing.rows[i - 1];
		if (isSource && before && place !== before[0] + 1)
			body.append(element("tr", {className: "gap"},
				element("td", {colSpan: heads.length, textContent: "⋯"})));
		body.append(element("tr", {className: isHottest(i) ? "hottest" : ""},
			...cells(i),
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
// what is inlined rank higher
function isMarked(view, shown, {listing, row}) {
	const {rank} = columnsOfListing(view, shown);
	return listing === shown && shown.rows.every((_, i) => rank(i) <= rank(row));
}

// hottestButton - says which line is the hottest of a function, and leads there
function hottestButton(view, {listing, row, within, all}, choose) {
	const {profile} = view, fn = listing.functions[0], [name] = profile.functions[fn];
	const {difference} = view;
	const told = (weights) => difference ? difference.text(difference.of(...weights))
		: percent(weights[0], view.weights[0].all);
	const [here, everywhere] = [within, all].map(told);
	const title = difference ? "Most changed line" : "Hottest line";
	const line = listing.rows[row][0], file = listing.name.split("/").pop();
	const inlined = fn === view.opened ? "" : " (inlined)";
	const shares = here === everywhere ? here : `${here} here, ${everywhere} wherever it is`;
	const button = element("button", {type: "button",
		title: `${listing.name}:${line}\n${name}\n${view.weightText("self", within)}`},
	`${title}: ${file}:${line} in ${shorten(name, 50)}${inlined}, ${shares}`);
	button.addEventListener("click", () => {
		choose(listing, row);
		document.querySelector(".code").focus({preventScroll: true});
	});
	return element("p", {className: "hot"}, button);
}

// doubtsOf - what makes a listing doubtful, or empty
function doubtsOf(view, listing) {
	const side = ["old", "new"][absentPart(view, listing)];
	const notes = [listing.trouble];
	if (side && listing.kind === "source")
		notes.push(`Lines of the ${side} profile are not here: ` +
			"its file has another name, or its lines are not known.");
	else if (side)
		notes.push(`Instructions of the ${side} profile are not here: ` +
			"it is of another build.");
	else if (listing.builds_differ)
		notes.push("Of two builds: each has its own line numbers, and the text is that of now.");
	return notes.filter(Boolean).map((text) =>
		element("p", {className: "problem", textContent: text, title: text}));
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
			const text = isFirst(listing, i) ? title : `${title} of ${listing.name}`;
			more.append(element("option", {value: i}, shorten(text, 60)));
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
		shown = [...doubtsOf(view, listing), codeOf(view, listing, row)];
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
