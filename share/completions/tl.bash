# bash completion for the tl tools: options are read from --help, so that they cannot be stale.
_tl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} tool=${COMP_WORDS[0]} share
	share=${TL_SHARE:-$(dirname "$(command -v "$tool")")/../share/tl}
	case $prev in
	-r | --report)
		mapfile -t COMPREPLY < <(compgen -W "$(cd "$share/reports" 2>/dev/null && ls -- *.jq | sed 's/\.jq$//')" -- "$cur")
		return
		;;
	--arch)
		mapfile -t COMPREPLY < <(compgen -W "auto $(cd "$share/rules/arch" 2>/dev/null && ls -- *.json | sed 's/\.json$//')" -- "$cur")
		return
		;;
	-f | --format)
		mapfile -t COMPREPLY < <(compgen -W 'chrome pftrace md table csv tsv' -- "$cur")
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$tool" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*')" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o filenames -F _tl tl tl-extract tl-tree tl-synth tl-sourcemap tl-overlap tl-reliability tl-collective tl-render
