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
	// callbacks: named(fn), tint(fn), change(node) (see changeOf(); if something is compared),
	// chosen(node), zoomed(node), pointed(node or -1, event)
	constructor(box, callbacks) {
		this.box = box;
		this.canvas = box.querySelector("canvas");
		this.height = box.querySelector(".height");
		this.context = this.canvas.getContext("2d");
		this.on = callbacks;
		this.upward = false;
		this.focus = -1;
		this.selected = -1;
		this.matches = null;
		this.colours = new Map();
		this.dress();
		box.addEventListener("scroll", () => this.redraw());
		box.addEventListener("click", (event) => this.click(event));
		box.addEventListener("mousemove", (event) =>
			this.on.pointed(this.nodeAt(event), event));
		box.addEventListener("mouseleave", (event) => this.on.pointed(-1, event));
		box.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
		box.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.redraw()).observe(box);
	}

	// show - another tree, or another weight of the same one
	show(tree, keep) {
		const focus = keep ? this.focus : -1;
		this.tree = tree;
		this.start = starts(tree);
		this.rows = tree.deepest + 1;
		this.focus = focus;
		if (!keep)
			this.selected = -1;
		[this.low, this.high] = this.rangeOf(focus);
		this.resize();
		this.redraw();
	}

	// resize - the box to the rows, as far as there is room
	resize() {
		const rows = this.rows * ROW;
		const most = Math.max(innerHeight * 0.6, 8 * ROW);
		this.box.style.height = `${Math.min(rows + 2, most)}px`;
		this.height.style.height = `${Math.max(0, rows - this.box.clientHeight)}px`;
	}

	rangeOf(node) {
		if (node < 0)
			return [0, this.tree.all || 1];
		return [this.start[node], this.start[node] + (this.tree.total[node] || 1)];
	}

	// zoom - show a node as wide as the page; -1: all
	zoom(node) {
		this.focus = node;
		this.animate(...this.rangeOf(node));
		this.on.zoomed(node);
	}

	animate(low, high) {
		const from = [this.low, this.high], begin = performance.now();
		const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
		cancelAnimationFrame(this.animation);
		const step = (now) => {
			const part = still ? 1 : Math.min(1, Math.max(0, (now - begin) / ZOOM_MS));
			const eased = part * (2 - part);
			this.low = from[0] + (low - from[0]) * eased;
			this.high = from[1] + (high - from[1]) * eased;
			this.draw();
			if (part < 1)
				this.animation = requestAnimationFrame(step);
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
		const {hue, saturation, shade} = this.on.tint(fn);
		colour = this.dark ? `hsl(${hue} ${saturation * 0.6}% ${24 + shade * 8}%)`
				   : `hsl(${hue} ${saturation}% ${80 - shade * 8}%)`;
		this.colours.set(key, colour);
		return colour;
	}

	// changed - the colour of a change: growth is orange, decline is blue, and what may be by
	// chance is pale
	changed({ratio, isChance}) {
		const strength = Math.min(1, Math.abs(ratio) * (isChance ? 0.25 : 1.5));
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
		if (node === this.selected) {
			context.strokeStyle = this.accent;
			context.lineWidth = 2;
			context.strokeRect(x + 1, y + 1, Math.max(width - 3, 1), ROW - 3);
		}
		if (width > 32)
			this.label(this.on.named(fn), x + 5, width - 9, y, change);
	}

	label(name, x, width, y, change) {
		const sign = change && width > 130 ? points(change.difference) : "";
		const room = width - (sign ? 50 : 0);
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
		if (event.shiftKey) {
			this.move(this.low + by / box.width * span, span);
			return;
		}
		const at = (event.clientX - box.left) / box.width;
		const next = Math.min(this.tree.all, span * Math.exp(by / 300));
		this.move(this.low + (span - next) * at, next);
	}

	// move - the window, within the profile
	move(low, span) {
		this.low = Math.min(Math.max(0, low), this.tree.all - span);
		this.high = this.low + span;
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
		if (event.key === "Escape")
			this.zoom(this.focus < 0 ? -1 : tree.parent[this.focus]);
		else if (event.key === "Enter" && selected >= 0)
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
