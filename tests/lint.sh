#!/bin/bash
# Style and static checks; ends with N passed, N failed, N skipped.
# usage: tests/lint.sh SCRIPT...     (make lint gives the scripts)
cd "$(dirname "$0")/.." || exit 3
passed=0 failed=0
# check NAME COMMAND...
check() {
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'lint: %s failed\n' "$name"
	fi
}

mapfile -t sources < <(find lib tools tests -name '*.[ch]' | sort)
mapfile -t units < <(find lib tools -name '*.c' | sort)

format() {
	clang-format --dry-run --Werror "${sources[@]}"
}
tidy() {
	printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 8 sh -c 'clang-tidy --quiet "$@" -- -std=c11 -D_GNU_SOURCE "-DTL_VERSION=\"\"" "-DTL_JQ=\"\"" "-DTL_PREFIX=\"\"" -Ibuild/gen 2>/dev/null' sh |
		grep -E 'warning:|error:' && return 1
	return 0
}
cpp() {
	cppcheck --quiet --std=c11 --enable=warning,portability,performance --inline-suppr \
		--suppress=missingIncludeSystem --suppress=ctuuninitvar '-D_Noreturn=__attribute__((noreturn))' --error-exitcode=1 -D_GNU_SOURCE -D__BYTE_ORDER__=1234 -D__ORDER_LITTLE_ENDIAN__=1234 lib tools
}
clang_build() {
	for f in "${units[@]}"; do
		clang -std=c11 -D_GNU_SOURCE -DTL_VERSION='""' -DTL_JQ='""' -DTL_PREFIX='""' -Ibuild/gen -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Werror -fsyntax-only "$f" || return 1
	done
}
# Rooms of lib from the lowest floor up (lib/README.md): a room includes what stands before it, and of
# that only ROOM/ROOM.h. Those joined by a + are on one floor and do not include each other.
rooms='base json stream rules trace format synth+sourcemap+overlap+reliability+collective chrome+perfetto+report extract window+front'
floors() {
	grep -nE '#include "\.\./' lib/*/*.[ch] tools/*.c | awk -F'[/"]' '
		{ for (i = 1; i <= NF; i++) if ($i ~ /\.h$/) if ($i != $(i - 1) ".h") { print; bad = 1 } }
		END { exit bad }' &&
		grep -oE '#include "\.\./[a-z]+/' lib/*/*.[ch] | sed 's,^lib/\([a-z]*\)/.*\.\./\([a-z]*\)/,\1 \2,' | sort -u |
		awk -v rooms="$rooms" '
			BEGIN {
				n = split(rooms, floor, " ")
				for (i = 1; i <= n; i++) {
					m = split(floor[i], room, "+")
					for (k = 1; k <= m; k++)
						at[room[k]] = i
				}
			}
			!($1 in at) || !($2 in at) || at[$2] >= at[$1] { print "lib/" $1 " includes lib/" $2; bad = 1 }
			END { exit bad }'
}
# What a room of the upper floors gives to others is called tl_ROOM_, what its files share among
# themselves ROOM_ or the room's short word; below, tl_ and what it is about (lib/README.md).
names() {
	nm -AP --defined-only build/lib/*/*.o | awk -v rooms="$rooms" '
		BEGIN {
			n = split(rooms, room, /[ +]/)
			for (i = 1; i <= n; i++)
				own[room[i]] = i <= 6 ? "tl_" : "(tl_)?" room[i] "(_|$)"
			own["perfetto"] = "tl_perfetto_|pf_"
			own["reliability"] = "tl_reliability_|rl_"
		}
		$3 ~ /^[BDRT]$/ {
			split($1, path, "/")
			if ($2 !~ ("^(" own[path[3]] ")")) { print path[3] "/" path[4], $2; bad = 1 }
			if ($2 !~ /^tl_/) home[$2] = path[3]
		}
		END { exit bad }' &&
		nm -AP build/lib/*/*.o build/tools/*.o | awk '
			{ split($1, path, "/") }
			$3 ~ /^[BDRT]$/ && $2 !~ /^tl_/ { home[$2] = path[3] }
			$3 == "U" && $2 !~ /^tl_/ { need[$2] = need[$2] " " path[3] }
			END {
				for (name in home) {
					n = split(need[name], by, " ")
					for (i = 1; i <= n; i++)
						if (by[i] != home[name]) { print name " of lib/" home[name] " in " by[i]; bad = 1 }
				}
				exit bad
			}'
}
# no two files of lib may need each other, directly or round about; each loop is named
circles() {
	nm -AP build/lib/*/*.o | awk '
		{ sub(/:$/, "", $1); sub(/^build\//, "", $1) }
		$3 == "U" { from[++n] = $1; name[n] = $2 }
		$3 ~ /^[BDRT]$/ { home[$2] = $1 }
		END {
			for (i = 1; i <= n; i++)
				if (home[name[i]] != "" && home[name[i]] != from[i])
					print from[i], home[name[i]]
		}' | sort -u | tsort 2>&1 >/dev/null | grep . && return 1
	return 0
}
# comments name functions, types and files that are there
comments() {
	awk '
		{
			line = $0
			comment = ""
			if (inside || match(line, /\/\*|\/\//)) {
				at = inside ? 1 : RSTART
				comment = substr(line, at) " "
				inside = comment ~ /\*\// ? 0 : inside || comment ~ /^\/\*/
				line = substr(line, 1, at - 1)
			}
			while (match(line, /tl_[a-z0-9_]+/)) { is[substr(line, RSTART, RLENGTH)] = 1; line = substr(line, RSTART + RLENGTH) }
			while (match(comment, /tl_[a-z0-9_]+|[a-z_]+\.[ch][^a-z]/)) {
				word = substr(comment, RSTART, RLENGTH)
				sub(/[^a-z0-9_]$/, "", word)
				says[word] = FILENAME ":" FNR
				comment = substr(comment, RSTART + RLENGTH)
			}
		}
		FNR == 1 { n = split(FILENAME, part, "/"); is[part[n]] = 1 }
		END {
			for (word in says)
				if (!(word in is) && word !~ /_$/) { print says[word] ": " word " is not there"; bad = 1 }
			exit bad
		}' "${sources[@]}"
}
manuals() {
	mandoc -T lint -W warning share/man/*.[15] >/tmp/tl-mandoc.$$ 2>&1
	# mandoc cannot see pages that are not installed
	grep -vE 'STYLE|referenced manual not found|outdated mandoc.db|skipping paragraph' /tmp/tl-mandoc.$$ && return 1
	rm -f /tmp/tl-mandoc.$$
	return 0
}
long_functions() {
	awk '/^[a-z].*\)$/ { start = NR; name = $0 } /^}/ && start { if (NR - start > 50) { print FILENAME ": " name ": " NR - start " lines"; bad = 1 } start = 0 } END { exit bad }' "${units[@]}"
}

check clang-format format
check clang clang_build
check clang-tidy tidy
check cppcheck cpp
check shellcheck shellcheck -x "$@"
check floors floors
check names names
check circles circles
check comments comments
check manuals manuals
check function-length long_functions
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
