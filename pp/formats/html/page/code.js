// SPDX-License-Identifier: GPL-2.0-or-later
// Source and instructions of a function, each line with its samples.

// listingsOf - the listings of a function: source before assembly, each with most samples first
function listingsOf(profile, fn) {
	const own = profile.listings.filter(({functions}) => functions.includes(fn));
	const of = (kind) => own.filter((listing) => listing.kind === kind);
	return [...of("source"), ...of("assembly")];
}

// codeOf - a listing as a table; its weights are those of the whole profile
function codeOf(view, listing) {
	const {profile} = view;
	const event = view.listedEvent, isEvents = view.selection.measure === "events";
	const index = profile.events.slice(0, event).filter(({side}) =>
		side === profile.sides.length - 1).length;
	const period = profile.events[event].period || 1;
	const counts = new Map((listing.counts[index] || []).map(([row, samples, events]) =>
		[row, isEvents ? events === undefined ? samples * period : events : samples]));
	const most = Math.max(...counts.values(), 0), all = view.listedAll;
	const isSource = listing.kind === "source", body = element("tbody");
	listing.rows.forEach(([place, text, line], i) => {
		const weight = counts.get(i) || 0, before = listing.rows[i - 1];
		if (isSource && before && place !== before[0] + 1)
			body.append(element("tr", {className: "gap"},
				element("td", {colSpan: 3, textContent: "⋯"})));
		const share = element("td", {className: "number"}, weight ? percent(weight, all) : "");
		share.style.setProperty("--heat", `${most ? Math.sqrt(weight / most) * 100 : 0}%`);
		body.append(element("tr", {className: weight && weight === most ? "hottest" : ""}, share,
			element("td", {className: "place"}, isSource ? String(place) : place),
			element("td", {className: "text"}, text, isSource || !line ? ""
				: element("span", {className: "line", textContent: ` line ${line}`}))));
	});
	const head = element("thead", {}, element("tr", {},
		element("th", {scope: "col", className: "number"}, "Self"),
		element("th", {scope: "col", className: "place"}, isSource ? "Line" : "Address"),
		element("th", {scope: "col"}, isSource ? "Source" : "Instruction")));
	const box = element("div", {className: "code", tabIndex: 0},
		element("table", {}, element("caption", {textContent: listing.name}), head, body));
	box.setAttribute("role", "region");
	box.setAttribute("aria-label", `${isSource ? "Source" : "Assembly"} of ${listing.name}`);
	const made = element("div", {}, box);
	if (listing.trouble)
		made.prepend(element("p", {className: "problem", textContent: listing.trouble}));
	requestAnimationFrame(() => {
		const hot = box.querySelector(".hottest");
		if (hot)
			box.scrollTop = hot.offsetTop - box.clientHeight / 2;
	});
	return made;
}

// codePanel - the listings of a function behind buttons, the first one shown; or why there are none
function codePanel(view, fn) {
	const listings = listingsOf(view.profile, fn).slice(0, 6);
	if (!listings.length)
		return element("p", {className: "none",
			textContent: "The page has the code of the functions with the most samples of their own."});
	const place = element("div"), bar = element("div", {className: "choice"});
	const buttons = listings.map((listing, i) => {
		const same = listings.filter(({kind}) => kind === listing.kind);
		const number = same.length > 1 ? ` ${same.indexOf(listing) + 1}` : "";
		const button = element("button", {type: "button",
			textContent: `${listing.kind === "source" ? "Source" : "Assembly"}${number}`});
		button.addEventListener("click", () => choose(i));
		return button;
	});

	function choose(index) {
		buttons.forEach((button, i) => {
			button.ariaPressed = String(i === index);
		});
		place.replaceChildren(codeOf(view, listings[index]));
	}

	bar.append(...buttons);
	choose(0);
	return element("div", {}, bar, place);
}
