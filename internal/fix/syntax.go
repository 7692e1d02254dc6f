package fix

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/scanner"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/python"
	"github.com/assay-dev/assay/internal/review/structure"
)

// faults counts the faults of syntax in a document. known is false if it is beyond what the parser of its language reads, or
// if no parser reads the language.
func faults(d *document) (n int, known bool) {
	switch d.language {
	case "Go":
		_, _, err := structure.ParseGo(d.raw, parser.AllErrors|parser.DeclarationErrors)
		var list scanner.ErrorList
		switch {
		case errors.Is(err, structure.ErrBound):
			return 0, false
		case errors.As(err, &list):
			return len(list), true
		}
		return 0, true
	case "Python":
		valid, known := python.Valid(d.raw)
		return count(!valid), known
	case "JSON":
		return count(!json.Valid(d.raw)), true
	case "YAML":
		valid, known := check.ValidYAML(d.raw)
		return count(!valid), known
	}
	if _, ok := structure.SignsOf(d.language); !ok {
		return 0, false
	}
	lines := structure.Bare(d.language, d.lines)
	n = brackets(d.bareLines())
	if inSemicolons(d.language) {
		n += brokenForms(lines)
	}
	if d.language == "Java" || d.language == "C#" {
		n += openStatements(lines)
	}
	return n, true
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// inSemicolons reports whether a language has the statements of C.
func inSemicolons(language string) bool {
	return structure.IsScript(language) || language == "Java" || language == "C#"
}

// brackets counts brackets without their partner.
func brackets(lines []string) (n int) {
	var open []byte
	for _, line := range lines {
		for i := range len(line) {
			switch c := line[i]; c {
			case '(', '[', '{':
				open = append(open, c)
			case ')', ']', '}':
				if k := len(open) - 1; k >= 0 && strings.IndexByte("([{", open[k]) == strings.IndexByte(")]}", c) {
					open = open[:k]
				} else {
					n++
				}
			}
		}
	}
	return n + len(open)
}

// Forms that no statement of C's relatives has, in lines without comments and the text of literals.
var (
	missingOperand = regexp.MustCompile(`(?:[^=!<>+\-*/%&|^?]=|&&|\|\||[^+]\+|[^-]-)\s*[;)\]]|[^.]\.\s*[;)\]]|` +
		`\breturn\s*[*/%=&|]\s*[;)]|\(\s*,|,\s*;`)
	missingBracket = regexp.MustCompile(`(?:^|[^.\w$])(?:if|while|switch)\s+[^(\s]|(?:^|[^.\w$])(?:const|let|var)\s+(?:const|let|var|=)`)
)

// twoNames matches a statement of scripts that begins with two names.
var twoNames = regexp.MustCompile(`^\s*([a-z]\w*)[ \t]+[A-Za-z_$][\w$]*\s*(?:=[^>]|;|\()`)

// statementWords may stand before a name.
var statementWords = wordSet(`const let var function class return throw new typeof async await import export default if else for while do
	case type interface enum declare abstract public private protected readonly static get set of in as extends implements namespace module
	yield delete void
	break continue keyof infer is asserts override accessor unique constructor from with try final synchronized native transient
	volatile int long
	boolean double float char byte short package record sealed instanceof goto strictfp super this static assert throws bool string
	object
	using out ref internal virtual event decimal uint ulong dynamic partial operator explicit implicit where select join`)

// brokenForms counts them, and lines with a string that does not end.
func brokenForms(lines []string) (n int) {
	for _, l := range lines {
		if m := twoNames.FindStringSubmatch(l); m != nil && !statementWords[m[1]] {
			n++
		}
		n += strings.Count(l, `"`) % 2
		n += len(missingOperand.FindAllStringIndex(l, -1)) + len(missingBracket.FindAllStringIndex(l, -1))
	}
	return n
}

var (
	statementEnd  = regexp.MustCompile(`[\w)\]"']\s*$`)
	statementGoes = regexp.MustCompile(`^\s*(?:[.?:+\-*/%&|^=<>,)\]{};]|throws\b|extends\b|implements\b|instanceof\b|` +
		`permits\b|where\b|else\b|` +
		`catch\b|finally\b)`)
	notStatement = regexp.MustCompile(`^\s*(?:@|case\b|default\b|(?:if|for|while|switch|catch|synchronized|try|using|` +
		`lock)\s*\(|else\b|do\b|try\b|` +
		`finally\b|(?:public|private|protected|static|final|abstract|sealed|internal)\s*$|#)`)
)

// openStatements counts lines of Java or C# that end as a statement does, without a semicolon, before a line that begins another
// one. Lines within round or square brackets do not count.
func openStatements(lines []string) (n int) {
	depth := 0
	for i, l := range lines {
		for j := range len(l) {
			switch l[j] {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			}
		}
		if depth > 0 || !statementEnd.MatchString(l) || notStatement.MatchString(l) {
			continue
		}
		next := slices.IndexFunc(lines[i+1:], func(l string) bool { return strings.TrimSpace(l) != "" })
		if next < 0 || statementGoes.MatchString(lines[i+1+next]) && !strings.HasPrefix(strings.TrimSpace(lines[i+1+next]), "}") {
			continue
		}
		n++
	}
	return n
}

// breaks reports whether the parser of a language accepts a file less than before, and whether it could tell.
func breaks(p pair) (broken, unknown bool) {
	before, was := faults(p.before)
	after, is := faults(p.after)
	return was && is && after > before, was && !is
}
