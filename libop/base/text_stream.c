// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams in memory: see text_stream.h. */
#include "text_stream.h"

#include "memory.h"

void op_text_stream_open(struct op_text_stream *stream)
{
	*stream = (struct op_text_stream){0};
	stream->out = open_memstream(&stream->text, &stream->length);
	if (!stream->out)
		op_out_of_memory();
}

void op_text_stream_close(struct op_text_stream *stream)
{
	if (ferror(stream->out) | fclose(stream->out))
		op_out_of_memory();
	stream->out = NULL;
}
