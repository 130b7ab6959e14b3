# Where C can be changed in one operator or constant: lines of file, line, column, length, what to put
# there, separated by tabs, in an order chosen by -v seed=N (all there are; the caller takes the first).
# Comments, strings, directives and sizes of arrays are left alone; of a #define the value may change.
# usage: awk -v seed=N -f tests/mutants.awk FILE.c...

function below(n) { # minimal standard generator of Park and Miller
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * n)
}
function either(a, b) { return below(2) ? a : b }

# The line with blanks for what is comment or text; `inside` lasts from line to line.
function code(s,   out, i, c, two) {
	out = ""
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		two = substr(s, i, 2)
		if (inside == "*") {
			if (two == "*/") { inside = ""; out = out " "; i++ }
			c = " "
		} else if (inside != "") {
			if (c == "\\") { out = out " "; i++ }
			else if (c == inside) inside = ""
			c = " "
		} else if (two == "/*") { inside = "*"; out = out " "; i++; c = " " }
		else if (two == "//") break
		else if (c == "\"" || c == "'") { inside = c; c = " " }
		out = out c
	}
	return out
}

function found(col, len, to) { list[++n] = FILENAME "\t" FNR "\t" col "\t" len "\t" to }

function number(col, text) {
	if (text == "0") found(col, 1, "1")
	else if (text == "1") found(col, 1, either("0", "2"))
	else if (length(text) < 3) found(col, length(text), text + either(1, -1))
	else found(col, length(text), "0")
}

function operator(col, two, c, before) {
	if (two == "<=") found(col, 2, either("<", ">"))
	else if (two == ">=") found(col, 2, either(">", "<"))
	else if (two == "==") found(col, 2, "!=")
	else if (two == "!=") found(col, 2, "==")
	else if (two == "&&") found(col, 2, "||")
	else if (two == "||") found(col, 2, "&&")
	else if (two == "+=" || two == "-=") found(col, 1, c == "+" ? "-" : "+")
	else if (two ~ /^(->|<<|>>|\+\+|--)$/) ;
	else if (c == "<") found(col, 1, either("<=", ">="))
	else if (c == ">") found(col, 1, either(">=", "<="))
	else if (c == "!") found(col, 1, "")
	else if (c ~ /[+-]/ && before ~ /[A-Za-z0-9_)\]] $/) found(col, 1, c == "+" ? "-" : "+")
}

BEGIN { state = seed % 2147483646 + 1; below(2) }
FNR == 1 { inside = ""; continued = 0 }
{
	line = code($0)
	from = 1
	directive = continued || line ~ /^[ \t]*#/
	continued = directive && $0 ~ /\\$/
	if (directive) {
		if (!match(line, /^[ \t]*#[ \t]*define[ \t]+[A-Z0-9_]+[ \t]+\(?[0-9]+/)) next
		from = RSTART + RLENGTH - 1
		while (substr(line, from - 1, 1) ~ /[0-9]/) from--
	}
	sizes = line ~ /^[ \t]*(static |const |struct |enum |extern |unsigned |char |bool |u?int|size_t |double )/
	for (i = from; i <= length(line); i++) {
		c = substr(line, i, 1)
		two = substr(line, i, 2)
		if (c ~ /[A-Za-z_]/) {
			match(substr(line, i), /^[A-Za-z0-9_]+/)
			i += RLENGTH - 1
		} else if (c ~ /[0-9]/) {
			match(substr(line, i), /^[A-Za-z0-9_.]+/)
			text = substr(line, i, RLENGTH)
			before = substr(line, 1, i - 1)
			if (text ~ /^[0-9]+$/ && !(sizes && before ~ /\[$/) && before ~ /[^{]$/)
				number(i, text)
			i += RLENGTH - 1
		} else if (c ~ /[<>=!&|+-]/) {
			operator(i, two, c, substr(line, 1, i - 1))
			if (two ~ /^(<=|>=|==|!=|&&|\|\||->|<<|>>|\+\+|--|\+=|-=)$/) i++
		}
	}
}
END {
	for (; n > 0; n--) {
		k = 1 + below(n)
		print list[k]
		list[k] = list[n]
	}
}
