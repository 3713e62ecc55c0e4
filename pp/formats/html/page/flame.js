// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph: draws the part of a tree that can be seen.

const ROW = 20; // pixels of a frame's height
const LEAST = 0.5; // pixels: frames less wide are not drawn
const ZOOM_MS = 180;

// hueOf - of a text: the same on every page
function hueOf(text) {
	let hash = 0;
	for (let i = 0; i < text.length; i++)
		hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
	return hash * 0.618034 % 1 * 360;
}

class Flame {
	// callbacks: named(fn), tint(fn), change(node) and changeText(change) (see Difference; if
	// something is compared), chosen(node), moved(), pointed(node or -1, its top and bottom in
	// the window, event)
	constructor(box, callbacks) {
		this.box = box;
		this.canvas = box.querySelector("canvas");
		this.height = box.querySelector(".height");
		this.context = this.canvas.getContext("2d");
		this.on = callbacks;
		this.upward = false;
		this.target = null; // the range that is shown, or is being gone to; null: all
		this.animation = 0;
		this.focus = -1;
		this.selected = -1;
		this.matches = null;
		this.marked = -1; // a function whose frames are outlined
		this.colours = new Map();
		this.dress();
		box.addEventListener("scroll", () => this.redraw());
		box.addEventListener("click", (event) => this.click(event));
		box.addEventListener("mousemove", (event) => this.point(event));
		box.addEventListener("mouseleave", () => this.on.pointed(-1));
		box.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
		box.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.redraw()).observe(box);
	}

	// show - another tree, or another weight of the same one; if it is to be kept, the range,
	// also one that is on its way to its end, is that of the same call chain
	show(tree, keep) {
		const {target} = this, before = this.tree;
		this.stop();
		if (keep && before && before.fn !== tree.fn) {
			this.focus = sameChain(before, this.focus, tree);
			this.selected = sameChain(before, this.selected, tree);
		}
		this.tree = tree;
		this.start = starts(tree);
		this.rows = tree.deepest + 1;
		if (!keep) {
			this.focus = this.selected = -1;
			this.target = null;
		} else if (target && this.focus < 0) {
			// of the wheel: the same part of all
			const scale = before.all ? (tree.all || 1) / before.all : 1;
			this.target = target.map((at) => at * scale);
		}
		if (this.focus >= 0)
			this.target = this.rangeOf(this.focus);
		[this.low, this.high] = this.target || this.rangeOf(-1);
		this.resize();
		this.on.moved();
		this.redraw();
	}

	// state - what is seen of a tree, for restore() after another one was shown
	state() {
		const {focus, selected, target} = this;
		return {focus, selected, target, top: this.box.scrollTop};
	}

	restore({focus, selected, target, top}) {
		this.stop();
		Object.assign(this, {focus, selected, target});
		[this.low, this.high] = target || this.rangeOf(-1);
		this.box.scrollTop = top;
		this.on.moved();
		this.redraw();
	}

	// resize - what is scrolled to the rows
	resize() {
		const rows = this.rows * ROW;
		this.height.style.height = `${Math.max(0, rows - this.box.clientHeight)}px`;
	}

	rangeOf(node) {
		if (node < 0)
			return [0, this.tree.all || 1];
		return [this.start[node], this.start[node] + (this.tree.total[node] || 1)];
	}

	isWhole() {
		return !this.target;
	}

	// zoom - show a node as wide as the page; -1: all
	zoom(node) {
		this.focus = node;
		this.target = node < 0 ? null : this.rangeOf(node);
		this.animate(...this.rangeOf(node));
		this.on.moved();
	}

	// back - one step out: from a node to its caller, from a range to all
	back() {
		const {focus, tree} = this;
		this.zoom(focus < 0 ? -1 : tree.parent[focus]);
	}

	stop() {
		cancelAnimationFrame(this.animation);
		this.animation = 0;
	}

	animate(low, high) {
		const from = [this.low, this.high], begin = performance.now();
		const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
		this.stop();
		const step = (now) => {
			const part = still ? 1 : Math.min(1, Math.max(0, (now - begin) / ZOOM_MS));
			const eased = part * (2 - part);
			this.low = from[0] + (low - from[0]) * eased;
			this.high = from[1] + (high - from[1]) * eased;
			this.draw();
			this.animation = part < 1 ? requestAnimationFrame(step) : 0;
		};
		this.animation = requestAnimationFrame(step);
	}

	redraw() {
		cancelAnimationFrame(this.pending);
		this.pending = requestAnimationFrame(() => this.draw());
	}

	fit() {
		const ratio = window.devicePixelRatio || 1;
		const width = this.box.clientWidth, height = this.box.clientHeight;
		if (this.canvas.width !== Math.round(width * ratio) ||
		    this.canvas.height !== Math.round(height * ratio)) {
			this.canvas.width = Math.round(width * ratio);
			this.canvas.height = Math.round(height * ratio);
			this.canvas.style.height = `${height}px`;
			this.resize();
		}
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		return [width, height];
	}

	// top - pixels from the canvas' top to a row's
	top(depth, height) {
		if (!this.upward)
			return depth * ROW - this.box.scrollTop;
		const whole = Math.max(height, this.rows * ROW);
		return whole - (depth + 1) * ROW - this.box.scrollTop;
	}

	// dress - take the colours of the page's theme
	dress() {
		const style = getComputedStyle(this.box);
		this.dark = document.documentElement.classList.contains("dark");
		this.match = style.getPropertyValue("--match");
		this.accent = style.getPropertyValue("--accent");
		this.text = style.getPropertyValue("--frame-text");
		this.weak = style.getPropertyValue("--weak");
		this.font = `12px ${style.fontFamily}`;
		this.redraw();
	}

	draw() {
		const [width, height] = this.fit(), {context} = this;
		context.clearRect(0, 0, width, height);
		context.font = this.font;
		context.textBaseline = "middle";
		if (!this.tree)
			return;
		if (this.tree.all) {
			this.eachVisible(width, height, (...where) => this.frame(...where));
			return;
		}
		context.fillStyle = this.weak;
		context.fillText("There are no samples in what is selected.", 12, height / 2);
	}

	// eachVisible - of the nodes that are in the window and wide enough
	eachVisible(width, height, visit) {
		const {tree, start} = this, scale = width / (this.high - this.low);
		for (let i = 0; i < tree.n;) {
			const left = (start[i] - this.low) * scale, w = tree.total[i] * scale;
			const y = this.top(tree.depth[i], height);
			if (w < LEAST || left >= width) {
				i = this.behind(i);
				continue;
			}
			if (left + w <= 0) {
				i = tree.end[i];
				continue;
			}
			if (y > -ROW && y < height) {
				const x = Math.max(0, left);
				visit(i, x, Math.min(width, left + w) - x, y);
			}
			const isBeyond = this.upward ? y <= -ROW : y >= height;
			i = isBeyond ? tree.end[i] : i + 1;
		}
	}

	// behind - the next node that may be seen after one that is too narrow, or right of the
	// window: where children stand in the order of their weight, none of those that follow it
	behind(node) {
		const {tree} = this;
		if (!tree.isSorted)
			return tree.end[node];
		return tree.parent[node] < 0 ? tree.n : tree.end[tree.parent[node]];
	}

	colour(fn) {
		const key = this.dark ? -fn - 1 : fn;
		let colour = this.colours.get(key);
		if (colour)
			return colour;
		colour = this.colourOf(this.on.tint(fn));
		this.colours.set(key, colour);
		return colour;
	}

	// colourOf - functions of an image differ a little in hue and light
	colourOf({hue, saturation, shade}) {
		const own = hue + (shade - 0.5) * 36;
		return this.dark ? `hsl(${own} ${saturation * 0.6}% ${24 + shade * 8}%)`
				 : `hsl(${own} ${saturation}% ${80 - shade * 8}%)`;
	}

	// changed - the colour of a change: growth is orange, decline is blue; what cannot be told
	// from chance is paler, and what may be chance is pale
	changed({ratio, verdict}) {
		const factor = {[CHANGE]: 1.5, [CHANCE]: 0.25, [UNKNOWN]: 1}[verdict];
		const strength = Math.min(1, Math.abs(ratio) * factor);
		const hue = ratio > 0 ? 24 : 212;
		if (this.dark)
			return `hsl(${hue} ${strength * 75}% ${26 + strength * 14}%)`;
		return `hsl(${hue} ${strength * 90}% ${90 - strength * 26}%)`;
	}

	frame(node, x, width, y) {
		const context = this.context, fn = this.tree.fn[node];
		const isMatch = this.matches && this.matches[fn];
		const change = this.tree.parts && this.on.change(node);
		context.globalAlpha = this.matches && !isMatch ? 0.35 : 1;
		context.fillStyle = change ? this.changed(change) : this.colour(fn);
		context.fillRect(x, y, Math.max(width - (width > 3 ? 1 : 0), LEAST), ROW - 1);
		context.globalAlpha = 1;
		if (isMatch) {
			context.fillStyle = this.match;
			context.fillRect(x, y + ROW - 4, Math.max(width - 1, 1), 3);
		}
		if (node === this.selected || fn === this.marked) {
			context.strokeStyle = this.accent;
			context.lineWidth = node === this.selected ? 2 : 1;
			context.strokeRect(x + 1, y + 1, Math.max(width - 3, 1), ROW - 3);
		}
		if (width > 32)
			this.label(this.on.named(fn), x + 5, width - 9, y, change);
	}

	label(name, x, width, y, change) {
		const sign = change && width > 150 ? this.on.changeText(change) : "";
		const room = width - (sign ? this.context.measureText(sign).width + 8 : 0);
		this.context.fillStyle = this.text;
		this.context.fillText(shorten(name, Math.floor(room / 6.4)), x, y + ROW / 2, room);
		if (!sign)
			return;
		this.context.textAlign = "right";
		this.context.fillText(sign, x + width, y + ROW / 2);
		this.context.textAlign = "left";
	}

	nodeAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const x = event.clientX - box.left, y = event.clientY - box.top;
		let found = -1;
		if (this.tree)
			this.eachVisible(box.width, box.height, (node, left, width, top) => {
				if (x >= left && x < left + width && y >= top && y < top + ROW)
					found = node;
			});
		return found;
	}

	point(event) {
		const node = this.nodeAt(event);
		if (node < 0) {
			this.on.pointed(-1);
			return;
		}
		const box = this.canvas.getBoundingClientRect();
		const top = box.top + this.top(this.tree.depth[node], box.height);
		this.on.pointed(node, top, top + ROW, event);
	}

	select(node) {
		this.selected = node;
		this.reveal(node);
		this.on.chosen(node);
		this.redraw();
	}

	// reveal - scroll to a node
	reveal(node) {
		const height = this.box.clientHeight, top = this.top(this.tree.depth[node], height);
		if (top < 0)
			this.box.scrollTop += top;
		else if (top + ROW > height)
			this.box.scrollTop += top + ROW - height;
	}

	click(event) {
		const node = this.nodeAt(event);
		if (node < 0)
			return;
		this.select(node);
		this.zoom(node);
	}

	wheel(event) {
		if (!event.ctrlKey && !event.shiftKey)
			return;
		event.preventDefault();
		const box = this.canvas.getBoundingClientRect(), span = this.high - this.low;
		const by = event.deltaY || event.deltaX;
		if (event.shiftKey)
			this.move(this.low + by / box.width * span, span);
		else
			this.scale(Math.exp(by / 300), (event.clientX - box.left) / box.width);
	}

	// scale - the window, around a share of its width
	scale(factor, at) {
		const [low, high] = this.animation ? this.target || this.rangeOf(-1)
			: [this.low, this.high];
		const span = high - low, next = Math.min(this.tree.all, span * factor);
		this.move(low + (span - next) * at, next);
	}

	// move - the window, within the profile
	move(low, span) {
		const {all} = this.tree;
		if (!all)
			return;
		this.stop();
		this.focus = -1;
		this.low = Math.min(Math.max(0, low), all - span);
		this.high = this.low + span;
		this.target = span > all * 0.999999 ? null : [this.low, this.high];
		this.on.moved();
		this.redraw();
	}

	// sibling - the next or the previous node with the same parent, or -1
	sibling(node, step) {
		const {tree} = this;
		const next = tree.end[node];
		if (step > 0)
			return next < tree.n && tree.parent[next] === tree.parent[node] ? next : -1;
		let at = tree.parent[node] + 1, before = -1;
		for (; at < node; at = tree.end[at])
			before = at;
		return before;
	}

	// inside - the heaviest callee, or -1
	inside(node) {
		const {tree} = this;
		let best = -1;
		for (let i = node + 1; i < tree.end[node]; i = tree.end[i])
			if (best < 0 || tree.total[i] > tree.total[best])
				best = i;
		return best;
	}

	key(event) {
		const {tree, selected} = this;
		const down = this.upward ? "ArrowUp" : "ArrowDown", up = this.upward ? "ArrowDown" : "ArrowUp";
		if (!tree || !tree.n || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key === "Enter" && selected >= 0)
			this.zoom(selected);
		else if (["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(event.key))
			this.go(selected < 0 ? 0
				: event.key === down ? this.inside(selected)
				: event.key === up ? tree.parent[selected]
				: this.sibling(selected, event.key === "ArrowRight" ? 1 : -1));
		else
			return;
		event.preventDefault();
	}

	go(node) {
		if (node >= 0)
			this.select(node);
	}
}

// sameChain - the node of a tree with the call chain of a node of another one, or as much of it as
// is there; -1: nothing is
function sameChain(from, node, tree) {
	const chain = [];
	for (let i = node; i >= 0; i = from.parent[i])
		chain.push(from.fn[i]);
	let found = -1;
	while (chain.length) {
		const fn = chain.pop(), end = found < 0 ? tree.n : tree.end[found];
		let i = found + 1;
		while (i < end && tree.fn[i] !== fn)
			i = tree.end[i];
		if (i >= end)
			break;
		found = i;
	}
	return found;
}

// starts - where each node begins, in the weight of all: children follow each other
function starts(tree) {
	const start = new Float64Array(tree.n), next = new Float64Array(tree.n);
	const {parent, total} = tree;
	let root = 0;
	for (let i = 0; i < tree.n; i++) {
		const above = parent[i];
		if (above < 0) {
			start[i] = root;
			root += total[i];
		} else {
			start[i] = next[above];
			next[above] += total[i];
		}
		next[i] = start[i];
	}
	return start;
}
