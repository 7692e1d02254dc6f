package cases

import (
	"fmt"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/regexp"
)

// places returns the changed lines of a diff's source files as places of one defect. From each run of
// changed lines it takes the added lines, or the removed ones if the run adds none. Blank lines, comments, lone
// brackets and imports at the ends of a run do not count, and a run of only such lines gives no place.
func places(set *diff.Set) []eval.Golden {
	var out []eval.Golden
	for _, f := range set.Files {
		if f.Class != diff.ClassSource {
			continue
		}
		for _, h := range f.Hunks {
			for _, run := range runs(h) {
				if g, ok := place(f, run); ok {
					g.Defect = "d1"
					out = append(out, g)
				}
			}
		}
	}
	return out
}

// runs returns the parts of a hunk between its context lines.
func runs(h *diff.Hunk) [][]diff.Line {
	var out [][]diff.Line
	var run []diff.Line
	for _, l := range h.Lines {
		if l.Op != diff.Context {
			run = append(run, l)
			continue
		}
		if len(run) > 0 {
			out = append(out, run)
		}
		run = nil
	}
	if len(run) > 0 {
		out = append(out, run)
	}
	return out
}

func place(f *diff.File, run []diff.Line) (eval.Golden, bool) {
	for _, op := range []diff.Op{diff.Add, diff.Delete} {
		g := eval.Golden{Path: f.Path, Side: domain.Right}
		if op == diff.Delete {
			g.Path, g.Side = f.BasePath(), domain.Left
		}
		for _, l := range run {
			if l.Op != op || trivial(l.Text, f.Language) {
				continue
			}
			n := l.New
			if op == diff.Delete {
				n = l.Old
			}
			if g.StartLine == 0 {
				g.StartLine = n
			}
			g.EndLine = n
		}
		if g.StartLine > 0 {
			return g, true
		}
	}
	return eval.Golden{}, false
}

var (
	brackets   = regexp.MustCompile(`^[\s(){}\[\];,]*$`)
	comment    = regexp.MustCompile(`^\s*(//|/\*|\*/|\* |\*$|<!--)`)
	hash       = regexp.MustCompile(`^\s*#`)
	hashed     = regexp.MustCompile(`^(Python|Ruby|Shell|Perl|R|Elixir|Docker|Dockerfile|Makefile|YAML|TOML)$`)
	imported   = regexp.MustCompile(`^\s*(import\b|from\s+\S+\s+import\b|package\s|use\s+[\w:\\]+|require\s|#include\b|using\s+[\w.]+;)`)
	goImported = regexp.MustCompile(`^\s*([\w.]+\s+)?"[^"]+"\s*$`)
)

// trivial reports whether a line has no effect: it is blank, a comment, brackets or an import.
func trivial(line, language string) bool {
	return brackets.MatchString(line) || comment.MatchString(line) || imported.MatchString(line) ||
		hashed.MatchString(language) && hash.MatchString(line) ||
		language == "Go" && goImported.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), "return ")
}

// describe sets the title of a case, which reveals nothing, and the language of most of its changed lines.
func describe(c *eval.Case, set *diff.Set) {
	var bases []string
	lines := map[string]int{}
	for _, f := range set.Files {
		bases = append(bases, path.Base(f.Path))
		lines[f.Language] += f.Additions + f.Deletions
	}
	c.Title = title(bases)
	most := 0
	for l, n := range lines {
		if n > most || n == most && l < c.Language {
			c.Language, most = l, n
		}
	}
}

func title(names []string) string {
	switch n := len(names); n {
	case 0:
		return "Update files"
	case 1:
		return "Update " + names[0]
	case 2:
		return "Update " + names[0] + " and " + names[1]
	default:
		return fmt.Sprintf("Update %s, %s and %d more", names[0], names[1], n-2)
	}
}

// Bounds of a change for a case: small enough for a reviewer, and for all its lines to belong to the
// defect.
const (
	minLines  = 2
	maxLines  = 80
	maxSource = 4 // source files
)

// rejectionReason returns the reason against a change of source files as a case, or "".
func rejectionReason(files, lines int) string {
	switch {
	case files == 0:
		return "no source file changed"
	case files > maxSource:
		return fmt.Sprintf("more than %d source files", maxSource)
	case lines < minLines:
		return fmt.Sprintf("fewer than %d lines", minLines)
	case lines > maxLines:
		return fmt.Sprintf("more than %d lines", maxLines)
	}
	return ""
}

// subjectKind is the kind of a commit according to its subject.
type subjectKind int

const (
	otherSubject  subjectKind = iota
	repairSubject             // it repairs a defect
	revertSubject             // it reverts a commit, or merges
)

var (
	conventional = regexp.MustCompile(`^(\w+)(\([^)]*\))?!?:\s*`)
	reverts      = regexp.MustCompile(`(?i)^(revert|reapply|merge|bump|release|version)\b|^v?\d+\.\d+`)
	repairs      = regexp.MustCompile(`(?i)\b(fix|fixe[sd]|fixing|bug|bugs|bugfix|hotfix|regression|panics?|crash(es)?|` +
		`races?|racy|leaks?|deadlocks?|overflows?|` +
		`off[- ]by[- ]one|nil pointer|null pointer|npe|segfault|infinite loop|incorrect(ly)?|wrong(ly)?|broken|corrupt(s|ed|ion)?|` +
		`vulnerabilit(y|ies)|cve-\d+-\d+|double[- ]free|use[- ]after[- ]free)\b`)
	noRepairs = regexp.MustCompile(`(?i)\b(typos?|spelling|lint(er|ing)?|vet|docs?|documentation|readme|comments?|changelog|` +
		`tests?|flaky?|ci|builds?|compil(e|ation)|formatting|gofmt|whitespace|imports?|style|warnings?|dependenc(y|ies)|deps)\b`)
	noCode = map[string]bool{"docs": true, "doc": true, "test": true, "tests": true, "chore": true, "ci": true, "style": true,
		"build": true, "deps": true}
)

// classify returns the kind of a commit's subject, in the form of conventional commits
// (conventionalcommits.org) or in plain words.
func classify(subject string) subjectKind {
	if reverts.MatchString(subject) {
		return revertSubject
	}
	if m := conventional.FindStringSubmatch(subject); m != nil {
		switch kind := strings.ToLower(m[1]); {
		case kind == "revert":
			return revertSubject
		case kind == "fix", kind == "bugfix", kind == "hotfix":
			if noRepairs.MatchString(subject) {
				return otherSubject
			}
			return repairSubject
		case noCode[kind], kind == "feat", kind == "refactor", kind == "perf":
			return otherSubject
		}
	}
	if repairs.MatchString(subject) && !noRepairs.MatchString(subject) {
		return repairSubject
	}
	return otherSubject
}

var families = []struct {
	words *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`(?i)\b(race|racy|deadlock|concurren\w*|data race|lock(ing)?|mutex)\b`), "concurrency"},
	{regexp.MustCompile(`(?i)\b(leak|leaks|memory|goroutine|descriptor|oom)\b`), "resource"},
	{regexp.MustCompile(`(?i)\b(cve|xss|csrf|ssrf|injection|traversal|security|vulnerab\w*|redos|bypass)\b`), "security"},
}

// family returns the topic of a repair from its subject.
func family(subject string) string {
	for _, f := range families {
		if f.words.MatchString(subject) {
			return f.name
		}
	}
	return "correctness"
}
