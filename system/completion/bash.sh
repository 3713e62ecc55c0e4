# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Completion of OProfile's commands in bash.  The tables of options below are made from those of the
# commands.

# Names of events: those that need no catalogue, and those of this CPU
_oprofile_events()
{
	{ ocount --list; ophelp; } 2>/dev/null |
		sed -nE 's/^([A-Za-z][A-Za-z0-9_.-]*)(:? \(counter| {2}).*/\1/p'
}

# Names of the sessions below the session directory of the command line
_oprofile_sessions()
{
	local word dir='' session

	for word in "${words[@]}"; do
		[[ $word != --session-dir=* ]] || dir=${word#*=}
	done
	if [[ -z $dir ]]; then
		dir=/var/lib/oprofile
		[[ ! -d oprofile_data ]] || dir=oprofile_data
	fi
	for session in "$dir"/samples/*/; do
		session=${session%/}
		[[ ! -d $session ]] || echo "${session##*/}"
	done 2>/dev/null
}

# _oprofile_value KIND VALUE [CHOICES] - completes a value; the last one of a list
_oprofile_value()
{
	local list=''

	case $1 in
	events | sessions | processes | directories)
		[[ $2 != *,* ]] || list=${2%,*},
		;;
	esac
	case $1 in
	words) mapfile -t COMPREPLY < <(compgen -W "$3" -- "$2") ;;
	events | sessions)
		mapfile -t COMPREPLY < <(compgen -P "$list" -W "$("_oprofile_$1")" -- "${2##*,}")
		[[ $1 = sessions ]] || compopt -o nospace
		;;
	processes)
		mapfile -t COMPREPLY < <(cd /proc && compgen -P "$list" -W "$(echo [0-9]*)" -- \
			"${2##*,}")
		;;
	formats)
		mapfile -t COMPREPLY < <(compgen -W \
			"$(opexport --list-formats 2>/dev/null | sed 's/ .*//')" -- "$2")
		;;
	cpu_type)
		mapfile -t COMPREPLY < <(compgen -W \
			"$(ophelp --list-cpu-types 2>/dev/null | awk '{ print $2 }')" -- "$2")
		;;
	file)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
		;;
	directory | directories)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -P "$list" -d -- "${2##*,}")
		;;
	esac
}

# A profile specification: TAG:LIST, or the name of an image or a profile
_oprofile_specification()
{
	case $1 in
	*:*) prefix=${1%%:*}: ;;
	esac
	case $1 in
	session:* | session-exclude:*) _oprofile_value sessions "${1#*:}" ;;
	event:*) _oprofile_value events "${1#*:}" ;;
	session-dir:*) _oprofile_value directory "${1#*:}" ;;
	archive:* | image:* | image-exclude:* | lib-image:*) _oprofile_value file "${1#*:}" ;;
	*:*) ;;
	*)
		mapfile -t COMPREPLY < <(compgen -W 'archive: session-dir: session:
			session-exclude: image: image-exclude: lib-image: event: label: count:
			unit-mask: cpu: tgid: tid:' -- "$1")
		if [[ ${#COMPREPLY[@]} -gt 0 && -n $1 ]]; then
			compopt -o nospace
		else
			_oprofile_value file "$1"
		fi
		;;
	esac
}

# _oprofile_words - what readline has cut at = and :, in one piece again: sets words, and places,
# where in COMP_WORDS each begins
_oprofile_words()
{
	local i word joined=no

	words=() places=()
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $i -gt 1 && ${#words[@]} -gt 0 && ($word = [=:]* || $joined = yes) ]] &&
			[[ $i -lt $COMP_CWORD || ${COMP_LINE:0:COMP_POINT} != *[[:space:]] ]]; then
			words[-1]+=$word
		else
			words+=("$word")
			places+=("$i")
		fi
		joined=no
		[[ $word != *[=:] ]] || joined=yes
	done
}

# What is completed after the first word that is no option is the command's own.
_oprofile_command()
{
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [[ $1 -eq $COMP_CWORD ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		_oprofile_value file "$2"
	fi
}

# _oprofile_operand COMMAND CURRENT - a word that is no option
_oprofile_operand()
{
	local i previous='' operand=-1

	for ((i = 0; i < ${#words[@]}; i++)); do
		_oprofile_table "$1" "$previous"
		if [[ ${words[i]} != -* && (-z $kind || -n $optional) && $operand -lt 0 ]]; then
			operand=$i
		fi
		previous=${words[i]}
	done
	if [[ -n $subcommands && $operand -eq $((${#words[@]} - 1)) ]]; then
		_oprofile_value words "$2" "$subcommands"
	elif [[ $operands = command ]]; then
		_oprofile_command "${places[operand]}" "$2"
	elif [[ $operands = specification ]]; then
		_oprofile_specification "$2"
	else
		_oprofile_value "$operands" "$2"
	fi
}

# After its command, operf and ocount have no options of their own.
_oprofile_is_past_command()
{
	local i previous=''

	for ((i = 0; i < ${#words[@]} - 1; i++)); do
		_oprofile_table "$1" "$previous"
		[[ ${words[i]} = -* || (-n $kind && -z $optional) ]] || return 0
		previous=${words[i]}
	done
	return 1
}

_oprofile()
{
	local command=${1##*/} words places current previous='' prefix='' i
	local options='' operands='' subcommands='' kind='' optional='' choices=''

	COMPREPLY=()
	_oprofile_words
	current=${words[-1]}
	[[ ${#words[@]} -lt 2 ]] || previous=${words[-2]}
	_oprofile_table "$command" "$previous"
	if [[ $operands = command ]] && _oprofile_is_past_command "$command"; then
		_oprofile_operand "$command" "$current"
		return
	fi
	_oprofile_table "$command" "$previous"
	if [[ $current = --*=* ]]; then
		prefix=${current%%=*}=
		_oprofile_table "$command" "${current%%=*}"
		_oprofile_value "$kind" "${current#*=}" "$choices"
	elif [[ -n $kind && -z $optional ]]; then
		_oprofile_value "$kind" "$current" "$choices"
	elif [[ $current = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
		[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
	else
		_oprofile_operand "$command" "$current"
	fi
	# Readline replaces only what is behind a : or = that it cuts words at.
	if [[ -n $prefix && $COMP_WORDBREAKS != *"${prefix: -1}"* ]]; then
		for i in "${!COMPREPLY[@]}"; do
			COMPREPLY[i]=$prefix${COMPREPLY[i]}
		done
	fi
}
