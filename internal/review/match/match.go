// Package match finds the places in code that a pattern describes: lines by a regular expression, and parts of Go programs by
// their syntax. Patterns of other languages are checked for their form; ast-grep matches them.
//
// Patterns come from people of a tenant and code from outside, so both have bounds. Package check decides about the places
// that a change has added.
package match

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// The kinds of patterns.
const (
	Regex = "regex" // an expression in RE2 syntax, for single lines
	AST   = "ast"   // a piece of code with wildcards
)

// Bounds of patterns and of the text that they are matched against (design choices). Each step of the expression is done for each
// byte in the worst case, and a line cannot be interrupted. maxLineWork is about a second then.
const (
	maxPattern   = 1000       // characters of a pattern
	maxProgram   = 5000       // steps of a compiled expression
	MaxLine      = 10_000     // bytes of a line; longer ones are not matched
	maxLineWork  = 10_000_000 // bytes of a line times steps of the expression; longer lines are not matched
	MaxHits      = 1000       // per file
	maxASTSteps  = 1 << 22    // comparisons of nodes in one file
	bytesPerStep = 16         // bytes of a hit that are as much work as a comparison
	maxAbout     = 1 << 10    // bytes of [Hit.About] before it is shortened
)

// Spec is a pattern as it is stored.
type Spec struct {
	Kind     string // Regex or AST
	Pattern  string
	Language string // for AST: go, java, javascript, python or typescript
}

// Error says what is wrong with a pattern. It never repeats the pattern.
type Error struct {
	Field   string // kind, pattern or language
	At      int    // character of the pattern with the fault, from 1; 0 if the fault has no place
	Message string // the rest of a sentence that begins with the name of the field
}

// Error returns the sentence.
func (e *Error) Error() string { return "the matcher's " + e.Field + " " + e.Message }

// Pattern is a compiled pattern. It is safe for concurrent use.
type Pattern struct {
	expression *regexp.Regexp
	longest    int // bytes of a line that the expression is matched against
	code       *goPattern
	languages  []string // of files, for patterns of code
	program    bool     // ast-grep matches it
}

// Hit is a place that a pattern describes.
type Hit struct {
	First, Last int // lines, from 1, inclusive
	// About identifies the code without the parts that $$$ stands for: the code with its spaces joined, or a hash of it.
	About string
}

// ErrBroken means that a file has faults of syntax, so that no syntax pattern was matched.
var ErrBroken = errors.New("the file has faults of syntax")

// ErrMore means that a file has more to match than the bounds allow. The hits up to there are returned with it.
var ErrMore = errors.New("more than is matched in one file")

// Compile prepares a pattern. The error is an [*Error].
func Compile(s Spec) (*Pattern, error) {
	switch {
	case s.Kind != Regex && s.Kind != AST:
		return nil, &Error{Field: "kind", Message: "must be regex or ast"}
	case !utf8.ValidString(s.Pattern) || strings.TrimSpace(s.Pattern) == "" || utf8.RuneCountInString(s.Pattern) > maxPattern:
		return nil, &Error{Field: "pattern", Message: fmt.Sprintf("must have 1 to %d characters", maxPattern)}
	case s.Kind == AST:
		return compileCode(s)
	}
	return compileExpression(s.Pattern)
}

// IsSyntax reports whether the pattern is matched against the syntax of whole files, not against lines.
func (p *Pattern) IsSyntax() bool { return p.languages != nil }

// TooLong reports whether a line, given without its end, is longer than the expression can be matched against in time.
func (p *Pattern) TooLong(line string) bool { return p.expression != nil && len(line) > p.longest }

// MatchesLine reports whether a regular expression matches a line, given without its end. It returns false for lines that are
// [Pattern.TooLong].
func (p *Pattern) MatchesLine(line string) bool {
	return p.expression != nil && !p.TooLong(line) && p.expression.MatchString(line)
}

// File is one version of a file, for any number of patterns. Its syntax is read once.
type File struct {
	content []byte
	code    *goFile
	err     error
}

// NewFile returns a file for matching.
func NewFile(content []byte) *File { return &File{content: content} }

// Hits returns the places of a file that a pattern describes, in the order of their first lines. The error is ErrMore, ErrBroken,
// [github.com/assay-dev/assay/internal/review/structure.ErrBound], or that of the context, which is looked at often. ErrMore
// comes with hits. A line that is [Pattern.TooLong] is skipped and also leads to ErrMore.
func (p *Pattern) Hits(ctx context.Context, f *File) (out []Hit, err error) {
	switch {
	case p.program:
		return nil, nil
	case p.code != nil:
		return p.code.hits(ctx, f)
	}
	number := 0
	for line := range bytes.Lines(f.content) {
		if number++; ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if p.TooLong(text) {
			err = ErrMore
			continue
		}
		if !p.expression.MatchString(text) {
			continue
		}
		if len(out) == MaxHits {
			return out, ErrMore
		}
		out = append(out, Hit{number, number, AboutLine(text)})
	}
	return out, err
}

// AboutLine returns [Hit.About] of a line.
func AboutLine(line string) string { return strings.Join(strings.Fields(line), " ") }

// shortened returns a long text as its beginning and a hash of all of it.
func shortened(about string) string {
	if len(about) <= maxAbout {
		return about
	}
	sum := sha256.Sum256([]byte(about))
	return about[:maxAbout] + hex.EncodeToString(sum[:])
}

// unlikeLines are lines without a common character. An expression that matches all of them matches every line that has text.
var unlikeLines = []string{"\u2603", "}", "x", "7", "_"}

// compileExpression compiles a regular expression that does not match every line.
func compileExpression(pattern string) (*Pattern, error) {
	if at := strings.IndexAny(pattern, "\r\n"); at >= 0 {
		at = utf8.RuneCountInString(pattern[:at]) + 1
		return nil, &Error{Field: "pattern", At: at,
			Message: fmt.Sprintf("must be one line, because it is matched against single lines. Character %d ends the line", at)}
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, expressionError(pattern, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return nil, &Error{Field: "pattern", Message: fmt.Sprintf("is too large: it has more than %d steps. Use smaller repetitions", maxProgram)}
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, expressionError(pattern, err)
	}
	if !slices.ContainsFunc(unlikeLines, func(line string) bool { return !expression.MatchString(line) }) {
		return nil, &Error{Field: "pattern", Message: "matches every line. Let it name what must not be there"}
	}
	return &Pattern{expression: expression, longest: min(MaxLine, maxLineWork/len(program.Inst))}, nil
}

// expressionError explains a fault of an expression, with its place.
func expressionError(pattern string, err error) error {
	fault, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return &Error{Field: "pattern", Message: "must be a regular expression in RE2 syntax"}
	}
	at := strings.Index(pattern, fault.Expr)
	switch fault.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		at = wrongParen(pattern)
	case syntax.ErrTrailingBackslash:
		at = len(pattern) - 1
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return &Error{Field: "pattern", Message: "is too large or nested too deeply for a regular expression"}
	}
	at = utf8.RuneCountInString(pattern[:max(at, 0)]) + 1
	return &Error{Field: "pattern", At: at,
		Message: fmt.Sprintf("must be a regular expression in RE2 syntax. Character %d: %s", at, fault.Code)}
}

// wrongParen returns the place of the parenthesis that has no partner.
func wrongParen(pattern string) int {
	var open []int
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && strings.HasPrefix(pattern[i:], `\Q`):
			end := strings.Index(pattern[i:], `\E`)
			if end < 0 {
				end = len(pattern)
			}
			i += end + 1
		case c == '\\':
			i++
		case class:
			class = c != ']' || pattern[i-1] == '[' || strings.HasSuffix(pattern[:i], "[^")
		case c == '[':
			class = true
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) == 0:
			return i
		case c == ')':
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return 0
}
