package analysers

import (
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
	maxPatternHits = 5000 // of one request; patterns beyond them fail with [Output]
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
	// Failures has a reason for each pattern, "" if it was matched. [Exit] means that ast-grep refuses the pattern.
	Failures []Reason
	Hits     []PatternHit
	Left     []LeftOut // files that were not read
}

// MatchesPatterns reports whether the operator has configured ast-grep.
func (r *Runner) MatchesPatterns() bool {
	_, ok := r.astGrep()
	return ok
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

// Match matches patterns against files with the ast-grep that the operator has configured. One pattern that ast-grep refuses, or that
// makes it fail, does not affect the others. The errors are those of [Runner.Run].
func (r *Runner) Match(ctx context.Context, q PatternRequest) (out PatternOutcome, err error) {
	out.Failures = make([]Reason, len(q.Patterns))
	fail := func(from int, why Reason) {
		for i := from; i < len(out.Failures); i++ {
			out.Failures[i] = why
		}
	}
	a, ok := r.astGrep()
	if !ok {
		fail(0, Absent)
		return out, nil
	}
	until := time.Now().Add(min(a.Time, q.Time))
	patterns := q.Patterns[:min(len(q.Patterns), maxPatterns)]
	fail(len(patterns), Output)
	got, err := r.match(ctx, a, until, 0, patterns, q)
	if err != nil {
		return out, err
	}
	out.Left = got.left
	if got.failure == "" {
		out.Hits = got.hits
		return out, nil
	}
	for i := range patterns { // each alone, because one of them has failed
		if len(patterns) > 1 && !got.total {
			if got, err = r.match(ctx, a, until, i, patterns[i:i+1], q); err != nil {
				return out, err
			}
		}
		if got.failure == "" && len(out.Hits)+len(got.hits) > maxPatternHits {
			got.failure = Output
		}
		if out.Failures[i] = got.failure; got.failure == "" {
			out.Hits = append(out.Hits, got.hits...)
		}
	}
	return out, nil
}

// matched is the end of one start of ast-grep.
type matched struct {
	failure Reason
	total   bool // every other start would end like this
	hits    []PatternHit
	left    []LeftOut
}

// match starts ast-grep once, for patterns whose places in the request begin with first.
func (r *Runner) match(ctx context.Context, a Analyser, until time.Time, first int, patterns []Pattern, q PatternRequest) (
	out matched, err error) {
	if a.Time = time.Until(until); a.Time < time.Second/10 {
		return matched{failure: Time, total: true}, nil
	}
	folder, err := os.MkdirTemp("", workspacePrefix)
	if err != nil {
		return out, fmt.Errorf("make a folder for patterns: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := writePatterns(folder, first, patterns); err != nil {
		return out, fmt.Errorf("write patterns: %w", err)
	}
	a.Rules, a.Format, a.Codes = folder, FormatMatches, nil
	a.Command = []string{"scan", "--config", placeRules + "/" + rules.Config, "--json=stream", placeFiles}
	ended, err := r.analyse(ctx, a, q.Files, Request{Read: q.Read})
	if err != nil {
		return out, err
	}
	out.failure, out.left = ended.Failure, ended.Left
	out.total = slices.Contains([]Reason{NoProgram, Version, Sandbox, Time}, ended.Failure)
	if ended.Failure != "" {
		return out, nil
	}
	for _, run := range ended.Document.Runs {
		if run.CutResults > 0 || len(run.Results) > maxPatternHits {
			return matched{failure: Output, left: out.left}, nil
		}
		for _, v := range run.Results {
			if i, ok := patternOf(v, first, len(patterns)); ok {
				out.hits = append(out.hits, PatternHit{Pattern: i, Path: v.Path, First: v.StartLine, Last: v.EndLine, About: v.Message})
			}
		}
	}
	return out, nil
}

// writePatterns writes a configuration and a rule file for each grammar of each pattern.
func writePatterns(folder string, first int, patterns []Pattern) error {
	put := func(name, text string) error {
		return os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644) //nolint:gosec // the folder is handed to the sandbox
	}
	if err := put(rules.Config, "ruleDirs: [rules]\n"); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(folder, "rules"), 0o755); err != nil { //nolint:gosec // as above
		return err
	}
	for i, p := range patterns {
		for _, grammar := range grammars[p.Language] {
			id := fmt.Sprintf("p%d-%s", first+i, strings.ToLower(grammar))
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
func patternOf(v sarif.Result, first, n int) (int, bool) {
	name, _, ok := strings.Cut(v.RuleID, "-")
	i, err := strconv.Atoi(strings.TrimPrefix(name, "p"))
	return i, ok && err == nil && i >= first && i < first+n
}
