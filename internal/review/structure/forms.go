package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// maxDefinition is the most bytes of a line with a definition.
const maxDefinition = 500

// defined is what a line defines: a function, a method or a type.
type defined struct {
	owner, name string // owner is the type that the line itself names, or ""
	kind        Kind
	certain     bool // the line has a word that only definitions have
}

// full returns the name behind that of the owner.
func (d defined) full() string {
	if d.owner == "" {
		return d.name
	}
	return d.owner + "." + d.name
}

// The forms of definitions, with the name as the last group and the type before it, if there is one, as the
// group before.
var (
	// typeForm matches the words that only types use.
	typeForm = regexp.MustCompile(`^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:(?:export|default|declare|public|private|protected|internal|abstract|` +
		`sealed|final|static|partial|open|data|inline|inner|value|annotation|unsafe|async|readonly|typedef|pub(?:\([^)]*\))?|case|` +
		`override)\s+)*` +
		`(?:enum\s+(?:class|struct)|record\s+(?:class|struct)|class|interface|trait|struct|enum|object|module|namespace|protocol|extension|` +
		`record|impl(?:<[^>]*>)?|type|contract|defmodule|mod|union)\s+([A-Za-z_$][\w$.:]*)(.*)`)
	// wordForm matches the words that only functions use.
	wordForm = regexp.MustCompile(`^\s*(?:[\w@()\s"]*?\b)?(?:def|defp|defmacro|fn|func|fun|function\*?|sub|proc|method)\s+` +
		`(?:<[^>]*>\s*)?[&*]?(?:self\.)?(?:([A-Za-z_]\w*)(?:<[^>]*>)?[.:])?([A-Za-z_$][\w$]*[?!]?)`)
	// otherForm matches macros of Rust, and constructors of Kotlin and Swift.
	otherForm = regexp.MustCompile(`^\s*macro_rules!\s*([A-Za-z_]\w*)|^\s*(?:[a-z@]+\s+)*(init|deinit|constructor|subscript)[?!]?\s*[({]`)
	// callForm matches a name before parentheses, which may also be a call.
	callForm = regexp.MustCompile(`^\s*(?:[\w$<>\[\],.&*:~?@]+\s+)*[*&]?(?:([A-Za-z_]\w*)(?:<[^<>]*>)?::)?(~?[A-Za-z_$][\w$]*)\s*` +
		`(?:<[^<>()]*>)?\s*(\(.*)$`)
	// implements matches the type behind that of a trait.
	implements = regexp.MustCompile(`^(?:<.*>)?\s+for\s+(?:&\s*)?(?:mut\s+)?(?:\w+::)*([A-Za-z_]\w*)`)
	// variableOf matches the name of a variable or function behind its type.
	variableOf = regexp.MustCompile(`^\s*[*&]*\s*[A-Za-z_]\w*\s*[(=;\[,]|^\s*\(\s*\*|^\s*;`)
)

// notNames are words of statements that look like the last form.
var notNames = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "else": true,
	"elif":  true,
	"match": true, "with": true, "try": true, "do": true, "when": true, "foreach": true, "until": true, "unless": true, "case": true,
	"new":   true,
	"await": true, "yield": true, "throw": true, "sizeof": true, "assert": true, "print": true, "using": true, "lock": true,
	"synchronized": true, "raise": true, "except": true, "del": true, "not": true, "in": true, "and": true, "or": true, "lambda": true,
	"extends": true, "implements": true, "typeof": true, "delete": true, "guard": true, "super": true, "defer": true, "go": true,
}

// statementWord are words before parentheses and a block that no function has as its name.
var statementWord = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "else": true,
	"elif": true, "elsif": true, "match": true, "with": true, "try": true, "do": true, "foreach": true, "until": true, "unless": true,
	"case": true, "using": true, "lock": true, "synchronized": true, "when": true, "super": true}

// operator are words behind a variable whose name is a word of definitions: "if method in x".
var operator = map[string]bool{"in": true, "is": true, "not": true, "and": true, "or": true, "of": true, "as": true, "if": true}

// worded are languages in which a word begins each function, so that a name before parentheses is a call.
var worded = map[string]bool{"Python": true, "Ruby": true, "Elixir": true, "Lua": true, "Rust": true, "Crystal": true, "Julia": true,
	"Nim": true, "Perl": true, "R": true, "Haskell": true, "PHP": true, "Kotlin": true, "Swift": true, "Scala": true}

// definitionIn returns what a line defines. language is "" if it is unknown.
func definitionIn(language, line string) defined {
	if len(line) > maxHeadBytes {
		return defined{}
	}
	if m := typeForm.FindStringSubmatch(line); m != nil && !notNames[m[1]] && !(m[1] == "class" || m[1] == "struct") {
		if of := implements.FindStringSubmatch(m[2]); of != nil && strings.Contains(line, "impl") {
			m[1] = of[1]
		}
		if !(strings.Contains(line, "struct") || strings.Contains(line, "enum") || strings.Contains(line, "union")) ||
			!variableOf.MatchString(m[2]) {
			return defined{name: strings.TrimRight(m[1], ":."), kind: KindType, certain: true}
		}
	}
	if m := wordForm.FindStringSubmatch(line); m != nil && !operator[m[2]] && !notNames[strings.Fields(line)[0]] {
		return defined{m[1], m[2], KindFunc, true}
	}
	if m := otherForm.FindStringSubmatch(line); m != nil && worded[language] {
		return defined{"", m[1] + m[2], KindFunc, true}
	}
	if language == "" || IsScript(language) {
		if owner, name := assignedFunction(line); name != "" && !notNames[name] {
			return defined{owner, name, KindFunc, true}
		}
	}
	if worded[language] {
		return defined{}
	}
	return calledForm(language, line)
}

// calledForm returns the function that a line with a name before parentheses defines. A call looks the same: a
// definition opens a block, or has a type before its name.
func calledForm(language, line string) defined {
	m, at := callForm.FindStringSubmatch(line), callForm.FindStringSubmatchIndex(line)
	if m == nil || statementWord[m[2]] {
		return defined{}
	}
	t := strings.TrimSpace(line)
	behind := strings.TrimSpace(m[3][balanced(m[3], '(', ')'):])
	matched := strings.Count(t, "(") == strings.Count(t, ")")
	if behind == "" && !matched { // the list goes on
		behind = m[3]
	}
	before := line[:at[4]]
	words := strings.Fields(before)
	opens := strings.HasSuffix(t, "{") || strings.HasSuffix(t, "}")
	switch {
	case strings.Contains(behind, ";") && !opens, strings.ContainsAny(before, "=!+\"'"):
		return defined{}
	case !opens && (notNames[m[2]] || len(words) == 0):
		return defined{}
	case opens && !matched: // the block belongs to an argument
		return defined{}
	case len(words) > 0 && (notNames[words[0]] || notNames[words[len(words)-1]]):
		return defined{}
	case !opens && IsScript(language) && !slices.Contains(words, "abstract") && !slices.Contains(words, "declare"):
		return defined{}
	case IsScript(language) && slices.Contains(words, "default"):
		return defined{}
	}
	return defined{owner: m[1], name: m[2], kind: KindFunc}
}

// definedName returns the name of the function, method or type that a line defines, or "".
func definedName(line string) string {
	if len(line) > maxDefinition {
		return ""
	}
	return definitionIn("", line).name
}

// isCertainDefinition reports whether a line has a word that only definitions have.
func isCertainDefinition(line string) bool {
	return len(line) <= maxDefinition && definitionIn("", line).certain
}

// Defines returns the name that a line defines by the words of common languages other than Go, or "".
func Defines(line string) string { return definedName(line) }

// The parts of an assignment of JavaScript.
var (
	// assignment matches the left side of an assignment or property, and the rest from its sign.
	assignment = regexp.MustCompile(`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:(?:public|private|protected|readonly|static|` +
		`override|accessor)\s+)*((?:const|let|var)\s+)?((?:[A-Za-z_$][\w$]*\.)*)#?([A-Za-z_$][\w$]*)\s*[?!]?\s*([:=].*)$`)
	// wrapped matches a call whose first argument may be the function.
	wrapped = regexp.MustCompile(`^(?:await\s+)?(?:React\.)?[A-Za-z_$][\w$]*\s*(?:<[^()]*>)?(?:\(\))?\(\s*`)
	// arrow matches the beginning of a function without parentheses around its parameter.
	arrow = regexp.MustCompile(`^(?:[A-Za-z_$][\w$]*\s*=>|function\b)`)
	// result matches what stands between the parameters of a function and its arrow.
	result = regexp.MustCompile(`^\s*(?::.*)?=>`)
)

// maxWrapped bounds the calls around a function.
const maxWrapped = 2

// assignedFunction returns the name to which a line of JavaScript or TypeScript assigns a function, and the
// type before its dot.
func assignedFunction(line string) (owner, name string) {
	m := assignment.FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	t := strings.TrimRight(m[4], " \t")
	value, is := assignedText(t)
	if !is { // a property
		value = strings.TrimSpace(t[1:])
		open := strings.HasSuffix(t, "{") || strings.HasSuffix(t, "(") || strings.HasSuffix(t, "=>")
		if t[0] != ':' || m[1] != "" || m[2] != "" || !open || !isFunctionText(value) {
			return "", ""
		}
		return "", m[3]
	}
	for range maxWrapped {
		if isFunctionText(value) {
			return ownerOf(m[2]), m[3]
		}
		at := wrapped.FindStringIndex(value)
		if at == nil || m[1] == "" {
			return "", ""
		}
		value = value[at[1]:]
	}
	if !isFunctionText(value) {
		return "", ""
	}
	return ownerOf(m[2]), m[3]
}

// ownerOf returns the type in the path before a name: Order of "Order.prototype.", "" of "exports." and "this.".
func ownerOf(path string) string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(path, "."), ".prototype"), ".")
	switch last := parts[len(parts)-1]; last {
	case "exports", "module", "this", "self", "window", "globalThis":
		return ""
	default:
		return last
	}
}

// assignedText returns the text behind the sign of an assignment, which may stand behind a type. It returns
// false for a property.
func assignedText(t string) (string, bool) {
	depth := 0
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case '=':
			switch {
			case strings.HasPrefix(t[i:], "=>"), strings.HasPrefix(t[i:], "=="):
				i++
			case depth <= 0:
				return strings.TrimSpace(t[i+1:]), true
			}
		}
	}
	return "", false
}

// isFunctionText reports whether a text begins with a function.
func isFunctionText(t string) bool {
	if rest, is := strings.CutPrefix(t, "async"); is {
		t = strings.TrimSpace(rest)
	}
	if arrow.MatchString(t) {
		return true
	}
	if strings.HasPrefix(t, "<") {
		t = strings.TrimSpace(t[balanced(t, '<', '>'):])
	}
	return strings.HasPrefix(t, "(") && result.MatchString(t[balanced(t, '(', ')'):])
}

// balanced returns the length of the beginning of a text up to the bracket that closes its first one.
func balanced(t string, open, end byte) int {
	depth := 0
	for i := range len(t) {
		switch {
		case t[i] == open:
			depth++
		case t[i] == end && (end != '>' || i == 0 || t[i-1] != '='):
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(t)
}
