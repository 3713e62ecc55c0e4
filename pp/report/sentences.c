// SPDX-License-Identifier: GPL-2.0-or-later
/* Sentences of a report: see sentences.h. */
#include "sentences.h"

#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/text/shorten.h"

void pp_sentences_begin(struct pp_sentences *sentences, size_t columns, FILE *out)
{
	*sentences = (struct pp_sentences){.out = out, .file = out, .columns = columns};
	if (!columns)
		return;
	sentences->file = open_memstream(&sentences->text, &sentences->n);
	if (!sentences->file)
		op_out_of_memory();
}

void pp_sentences_end(struct pp_sentences *sentences)
{
	if (!sentences->columns)
		return;
	if (fclose(sentences->file))
		op_out_of_memory();
	op_text_fold(sentences->text, sentences->n, sentences->columns, sentences->out);
	free(sentences->text);
}
