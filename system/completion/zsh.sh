# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=all
#
# Completion of OProfile's commands in zsh.  The specifications of options below are made from the
# tables of the commands.

_oprofile_file() { _files; }
_oprofile_directory() { _files -/; }
_oprofile_directories() { compset -P '*,'; _files -/; }
_oprofile_processes() { compset -P '*,'; _pids; }

# Names of events: those that need no catalogue, and those of this CPU
_oprofile_events()
{
	local -a events

	events=(${(f)"$({ ocount --list; ophelp; } 2>/dev/null |
		sed -nE 's/^([A-Za-z][A-Za-z0-9_.-]*)(:? \(counter| {2}).*/\1/p')"})
	compset -P '*,'
	compadd -S '' -a events
}

_oprofile_formats()
{
	local -a formats

	formats=(${(f)"$(opexport --list-formats 2>/dev/null | sed 's/ .*//')"})
	compadd -a formats
}

_oprofile_cpu_type()
{
	local -a types

	types=(${(f)"$(ophelp --list-cpu-types 2>/dev/null | awk '{ print $2 }')"})
	compadd -a types
}

# Names of the sessions below the session directory of the command line
_oprofile_sessions()
{
	local dir=${${(M)words:#--session-dir=*}[1]#*=}
	local -a sessions

	if [[ -z $dir ]]; then
		dir=/var/lib/oprofile
		[[ ! -d oprofile_data ]] || dir=oprofile_data
	fi
	sessions=($dir/samples/*(N/:t))
	compset -P '*,'
	compadd -a sessions
}

# A profile specification: TAG:LIST, or the name of an image
_oprofile_specification()
{
	local -a tags

	if compset -P 'session(-exclude|):'; then
		_oprofile_sessions
	elif compset -P 'event:'; then
		_oprofile_events
	elif compset -P 'session-dir:'; then
		_files -/
	elif compset -P '(archive|image|image-exclude|lib-image):'; then
		_files
	else
		tags=(archive: session-dir: session: session-exclude: image: image-exclude:
			lib-image: event: label: count: unit-mask: cpu: tgid: tid:)
		compadd -S '' -a tags
		_files
	fi
}
