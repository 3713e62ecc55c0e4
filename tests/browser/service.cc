// SPDX-License-Identifier: GPL-2.0-or-later
// The program of a recording that service.py makes up: it is built, and never run.
#include <cctype>
#include <map>
#include <string>
#include <vector>

#define APART __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))

using Counts = std::map<std::string, int>;

/* ---- words ---- */

INLINED char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

INLINED void squeeze(std::string &word)
{
	for (size_t i = 1; i < word.size();)
		if (word[i] == word[i - 1]) // CENTRE
			word.erase(i, 1);
		else
			i++;
}

APART std::string normalise(std::string word)
{
	for (char &c : word)
		c = lower(c);
	squeeze(word);
	return word;
}

APART bool next_word(const std::string &text, size_t &at, std::string &word)
{
	word.clear();
	while (at < text.size() && !isalpha((unsigned char)text[at]))
		at++;
	while (at < text.size() && isalpha((unsigned char)text[at]))
		word += text[at++];
	return !word.empty();
}

template <class Map> APART void count(const std::string &text, Map &counts)
{
	std::string word;
	size_t at = 0;

	while (next_word(text, at, word))
		counts[normalise(word)]++; // HOT
}

/* ---- requests ---- */

APART unsigned hash_bytes(const std::string &key)
{
	unsigned hash = 5381;

	for (unsigned char c : key)
		hash = hash * 33 + c;
	return hash;
}

APART int rank(const std::vector<std::string> &words, const Counts &counts)
{
	int sum = 0;

	for (const std::string &word : words) {
		auto found = counts.find(word);

		if (found != counts.end())
			sum += found->second * (int)(hash_bytes(word) % 7);
	}
	return sum;
}

APART std::vector<std::string> parse(const std::string &query)
{
	std::vector<std::string> words;
	std::string word;
	size_t at = 0;

	while (next_word(query, at, word))
		words.push_back(normalise(word));
	return words;
}

APART std::string render(int score, const std::vector<std::string> &words)
{
	std::string page = "<h1>" + std::to_string(score) + "</h1>";

	for (const std::string &word : words)
		page += "<li>" + word;
	return page;
}

/* Two of these are in a call chain: a request may ask for another one. */
APART std::string serve(const std::string &query, const Counts &counts, int depth)
{
	std::vector<std::string> words = parse(query);

	if (depth > 0 && words.size() > 3)
		return serve(query.substr(1), counts, depth - 1);
	return render(rank(words, counts), words);
}

APART void build_index(const std::string &text)
{
	Counts counts;

	count(text, counts);
}

int main(int argc, char **argv)
{
	Counts counts;

	if (argc > 2)
		build_index(argv[1]);
	return (int)serve(argv[0], counts, argc).size();
}
