package analysers

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/analysers/rules"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/sarif"
)

// Bounds of matching patterns (design choices).
const (
	maxPatterns    = 100  // of one request; later ones are not matched
	maxPatternHits = 5000 // of one request; a file whose places exceed them is not matched
)

// Pattern is a pattern of code in ast-grep's syntax (https://ast-grep.github.io/guide/pattern-syntax.html). It is data: it reaches
// ast-grep as a quoted text in a rule file, and nothing in it can name another part of a rule.
type Pattern struct {
	Language string // java, javascript, python or typescript
	Code     string
}

// grammars are the languages of patterns, as ast-grep names them. A pattern of TypeScript is matched with and without JSX.
var grammars = map[string][]string{"java": {"Java"}, "javascript": {"JavaScript"}, "python": {"Python"},
	"typescript": {"TypeScript", "Tsx"}}

// PatternEnding returns the end of a file's name by which ast-grep chooses the grammar of a file, such as ".py". language is a name of
// [diff.Language].
func PatternEnding(language, path string) string {
	switch language {
	case "Java":
		return ".java"
	case "Python":
		return ".py"
	case "TypeScript":
		if strings.EqualFold(filepath.Ext(path), ".tsx") {
			return ".tsx"
		}
		return ".ts"
	}
	return ".jsx"
}

// PatternRequest asks where patterns match.
type PatternRequest struct {
	Patterns []Pattern
	// Files have paths that the caller chooses, with the ends of [PatternEnding]. They are not those of a repository.
	Files []File
	Read  func(ctx context.Context, path string) ([]byte, error) // as in [Request]
	Time  time.Duration                                          // for all patterns, at most
}

// PatternHit is a place that a pattern matches.
type PatternHit struct {
	Pattern     int    // its place in the request
	Path        string // of the request
	First, Last int    // lines, from 1, inclusive
	About       string // a hash of the code without the parts that $$$ stands for
}

// PatternOutcome says where patterns match.
type PatternOutcome struct {
	// Failures has a reason for each pattern that was matched against no file, and "" for the others. [Exit] means that ast-grep refuses
	// the pattern.
	Failures []Reason
	Hits     []PatternHit
	Left     []LeftOut // files that were not read, or that some pattern was not matched against
}

// MatchesPatterns reports whether the operator has configured ast-grep.
func (r *Runner) MatchesPatterns() bool {
	_, ok := r.astGrep()
	return ok
}

// keepFailure is how long [Runner.CannotMatch] keeps its answer (design choice).
const keepFailure = time.Minute

// CannotMatch returns why ast-grep cannot run in its sandbox, "" if it can: [Absent] without it, or the reason of a program that was
// asked for its version within the last minute. The first of several callers asks, for at most 20 seconds, and the others wait. It
// returns [Time] if the context ends.
func (r *Runner) CannotMatch(ctx context.Context) Reason {
	a, ok := r.astGrep()
	if !ok {
		return Absent
	}
	r.matching.Lock()
	defer r.matching.Unlock()
	if time.Since(r.asked) > keepFailure {
		found, err := r.find(ctx, &a)
		if err != nil {
			return Time
		}
		r.cannot, r.asked = found.failure, time.Now()
	}
	return r.cannot
}

// patternHits returns the most places of one request.
func (r *Runner) patternHits() int {
	return cmp.Or(r.maxHits, maxPatternHits)
}

// astGrep returns the first analyser with the profile ast-grep.
func (r *Runner) astGrep() (Analyser, bool) {
	if r == nil {
		return Analyser{}, false
	}
	i := slices.IndexFunc(r.Analysers, func(a Analyser) bool { return a.OwnRules })
	if i < 0 {
		return Analyser{}, false
	}
	return r.Analysers[i], true
}

// Match matches patterns against files with the ast-grep that the operator has configured. One pattern that ast-grep refuses does not
// affect the others, and neither does a file that makes it fail: [PatternOutcome.Left] names it. The errors are those of [Runner.Run].
func (r *Runner) Match(ctx context.Context, q PatternRequest) (out PatternOutcome, err error) {
	out.Failures = make([]Reason, len(q.Patterns))
	a, ok := r.astGrep()
	if !ok {
		for i := range out.Failures {
			out.Failures[i] = Absent
		}
		return out, nil
	}
	for i := maxPatterns; i < len(out.Failures); i++ {
		out.Failures[i] = Output
	}
	s := newPatternSearch(r, a, q)
	if err := s.run(ctx); err != nil {
		return out, err
	}
	copy(out.Failures, s.failures())
	out.Hits, out.Left = s.hits, s.left
	return out, nil
}

// writePatterns writes a configuration and a rule file for each grammar of each pattern with a place in places.
func writePatterns(folder string, all []Pattern, places []int) error {
	put := func(name, text string) error {
		return os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644) //nolint:gosec // the folder is handed to the sandbox
	}
	if err := put(rules.Config, "ruleDirs: [rules]\n"); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(folder, "rules"), 0o755); err != nil { //nolint:gosec // as above
		return err
	}
	for _, i := range places {
		p := all[i]
		for _, grammar := range grammars[p.Language] {
			id := fmt.Sprintf("p%d-%s", i, strings.ToLower(grammar))
			// The escapes of strconv.QuoteToASCII are escapes of double-quoted YAML with the same meaning.
			text := fmt.Sprintf("id: %s\nlanguage: %s\nseverity: hint\nmessage: match\nrule:\n  pattern: %s\n",
				id, grammar, strconv.QuoteToASCII(namedGaps(p.Code)))
			if err := put(filepath.Join("rules", id+".yml"), text); err != nil {
				return err
			}
		}
	}
	sandbox.Hand(folder)
	return nil
}

// namedGaps gives each $$$ without a name one, because ast-grep reports the code of named ones only.
func namedGaps(code string) string {
	const gap = "$$$"
	parts := strings.Split(code, gap)
	for i, part := range parts[1:] {
		if part == "" || part[0] != '_' && (part[0] < 'A' || part[0] > 'Z') {
			parts[i+1] = fmt.Sprintf("ASSAY_%d%s", i, part)
		}
	}
	return strings.Join(parts, gap)
}

// patternOf returns the place of the pattern whose result it is, and false if it is of another rule.
func patternOf(v sarif.Result, places []int) (int, bool) {
	name, _, ok := strings.Cut(v.RuleID, "-")
	i, err := strconv.Atoi(strings.TrimPrefix(name, "p"))
	return i, ok && err == nil && slices.Contains(places, i)
}
