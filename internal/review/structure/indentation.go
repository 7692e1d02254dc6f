package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// tabWidth is the width of a tab in indentation; only comparisons matter.
const tabWidth = 4

// maxDefinition is the most bytes of a line with a definition.
const maxDefinition = 500

// definition matches the names in definitions of common languages, most reliable first: words that only
// definitions use, then "name(…) {" at the end of a line.
var definition = []*regexp.Regexp{
	regexp.MustCompile(`^\s*(?:(?:export|default|declare|public|private|protected|internal|abstract|sealed|final|static|partial|` +
		`open|data|inline|unsafe|async|pub(?:\([^)]*\))?|case|override)\s+)*` +
		`(?:class|interface|trait|struct|enum|object|module|namespace|protocol|extension|record|impl(?:<[^>]*>)?|type|contract|defmodule)` +
		`\s+([A-Za-z_$][\w$.:]*)`),
	regexp.MustCompile(`^\s*(?:[\w@()\s]*?\b)?(?:def|defp|fn|func|fun|function\*?|sub|proc|` +
		`method)\s+(?:self\.)?(?:[\w<>]+\.)?([A-Za-z_$][\w$]*[?!]?)`),
	regexp.MustCompile(`^\s*(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|` +
		`\([^)]*\)\s*(?::[^=]*)?=>|[A-Za-z_$][\w$]*\s*=>)`),
	regexp.MustCompile(`^\s*(?:[\w$<>\[\],.&*:~?@]+\s+)*[*&]?(?:[A-Za-z_]\w*::)?(~?[A-Za-z_$][\w$]*)\s*\([^;]*\)?[^;]*\{?\s*$`),
}

// notNames are words of statements that look like the last form.
var notNames = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "else": true,
	"elif":  true,
	"match": true, "with": true, "try": true, "do": true, "when": true, "foreach": true, "until": true, "unless": true, "case": true,
	"new":   true,
	"await": true, "yield": true, "throw": true, "sizeof": true, "assert": true, "print": true, "using": true, "lock": true,
	"synchronized": true, "raise": true, "except": true, "del": true, "not": true, "in": true, "and": true, "or": true, "lambda": true}

// definedName returns the name that a line defines, or "".
func definedName(line string) string {
	if len(line) > maxDefinition {
		return ""
	}
	for i, re := range definition {
		m := re.FindStringSubmatch(line)
		if m == nil || notNames[m[1]] {
			continue
		}
		if i == len(definition)-1 {
			// A call looks the same: a definition opens a block, or has a type before its name.
			t := strings.TrimSpace(line)
			first, _, _ := strings.Cut(t, "(")
			if !strings.HasSuffix(t, "{") && (!strings.Contains(strings.TrimSpace(first), " ") || strings.ContainsAny(first, "=.")) ||
				notNames[strings.Fields(first)[0]] {
				continue
			}
			if strings.ContainsAny(first, "=!+\"'") {
				continue
			}
		}
		return strings.TrimRight(m[1], ":.") // the colon after a name in Python
	}
	return ""
}

// isCertainDefinition reports whether a line has a word that only definitions have.
func isCertainDefinition(line string) bool {
	return len(line) <= maxDefinition && slices.ContainsFunc(definition[:len(definition)-1],
		func(re *regexp.Regexp) bool { return re.MatchString(line) })
}

// Defines returns the name that a line defines by the words of common languages other than Go, or "".
func Defines(line string) string { return definedName(line) }

// Code returns a line without the comment at its end, "" for a line that is a comment. Outside quotes, it
// takes every comment sign for a comment.
func Code(language, line string) string {
	sign := "//"
	switch language {
	case "Python", "Ruby", "Shell", "Perl", "R", "Elixir", "Julia", "Nim", "PowerShell", "Makefile", "Dockerfile", "Crystal":
		sign = "#"
	case "SQL", "Lua", "Haskell", "Ada", "Elm":
		sign = "--"
	}
	t := strings.TrimSpace(line)
	if strings.HasPrefix(t, sign) || sign == "//" && (strings.HasPrefix(t, "*") || strings.HasPrefix(t, "/*")) {
		return ""
	}
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.HasPrefix(line[i:], sign):
			return line[:i]
		}
	}
	return line
}

func indent(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += tabWidth
		default:
			return n
		}
	}
	return -1 // blank
}

// onlyCloses reports whether a line only ends a block or a parameter list.
func onlyCloses(line string) bool {
	t := strings.TrimSpace(line)
	return t != "" && strings.Trim(t, "{})];, \t:") == "" || strings.HasPrefix(t, ")")
}
