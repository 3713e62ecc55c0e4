// SPDX-License-Identifier: GPL-2.0-or-later
// A Rust program with generic and inlined functions: for tests of symbols.
use std::collections::HashMap;

struct Counter<K> {
    counts: HashMap<K, usize>,
}

impl<K: std::hash::Hash + Eq + Clone> Counter<K> {
    #[inline(never)]
    fn add(&mut self, key: &K) -> usize {
        let n = self.counts.entry(key.clone()).or_insert(0);
        *n += 1;
        *n
    }
}

#[inline(never)]
fn longest(words: &[String]) -> Option<&String> {
    words.iter().max_by_key(|word| word.len())
}

fn main() {
    let mut counter = Counter { counts: HashMap::new() };
    let words: Vec<String> = std::env::args().collect();
    for word in &words {
        counter.add(word);
    }
    println!("{:?} {}", longest(&words), counter.counts.len());
}
