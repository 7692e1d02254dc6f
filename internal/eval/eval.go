// Package eval measures the review engine on changes with and without known defects. It holds
// the types that the parts of the harness share: cases, the outcome of a review, and the report of a run.
//
// The packages below find cases, compare findings with the known defects, replace models by scripts, and
// run the reviews. The harness uses only the engine: no host, no database, and no network except a model's.
package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
)

// Kind is the kind of a case.
type Kind string

// The kinds of cases.
const (
	Defect Kind = "defect" // it brings in the defects of its golden findings
	Clean  Kind = "clean"  // it has no known defect
)

// Golden is a place where a reviewer should find a defect, or a wrong finding that people rejected.
type Golden struct {
	Path string `json:"path"`
	// Side is [domain.Right] for lines of the head, [domain.Left] for lines of the base that the change
	// removed.
	Side      domain.Side `json:"side"`
	StartLine int         `json:"startLine"` // from 1; 0 if the set gives no line
	EndLine   int         `json:"endLine"`
	// Defect names the defect. Places of one case with the same name are one defect, and a finding at any
	// of them finds it. A place with "" is a separate defect.
	Defect   string `json:"defect,omitempty"`
	Category string `json:"category,omitempty"` // the set's own word
	Severity string `json:"severity,omitempty"` // the set's own word
	Text     string `json:"text,omitempty"`     // description of the defect, for people and judges
	// False marks a finding that people rejected.
	False bool `json:"false,omitempty"`
	Head  int  `json:"head,omitempty"` // head with the defect, from 0
}

// Definition is a declaration that the changed lines use and the hunks do not show, so a reviewer must look
// it up.
type Definition struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Line int    `json:"line"` // at the head, from 1
}

// Useful is unchanged code at the head that a reviewer of the change needs to see.
type Useful struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"` // from 1
	EndLine   int    `json:"endLine"`
}

// Case is a change with its known facts.
type Case struct {
	ID          string       `json:"id"`  // unique in its set
	Set         string       `json:"set"` // seeded, mined, list, folder, martian, aacr, reviewbench
	Repository  string       `json:"repository"`
	Language    string       `json:"language,omitempty"` // of most changed lines, as in [diff.File.Language]
	Kind        Kind         `json:"kind"`
	Title       string       `json:"title,omitempty"` // shown to the reviewer
	Body        string       `json:"body,omitempty"`  // shown to the reviewer
	Golden      []Golden     `json:"golden,omitempty"`
	Definitions []Definition `json:"definitions,omitempty"`
	Useful      []Useful     `json:"useful,omitempty"` // all of it: other code that prompts show counts as useless
	Heads       int          `json:"heads,omitempty"`  // number of pushes; 0 means 1
	Held        bool         `json:"held,omitempty"`   // not used for tuning
	Licence     string       `json:"licence,omitempty"`
	Origin      string       `json:"origin,omitempty"` // source of the change, for people
}

// Bounds of a case (design choices: a larger file is a mistake).
const (
	maxGolden = 1000
	maxUseful = 1000
	MaxHeads  = 50
	maxText   = 64 << 10
)

// Check returns an error that names the invalid field of a case.
func (c Case) Check() error {
	switch {
	case c.ID == "" || len(c.ID) > 200 || strings.ContainsFunc(c.ID, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fmt.Errorf("id must have 1 to 200 characters without spaces")
	case c.Kind != Defect && c.Kind != Clean:
		return fmt.Errorf("kind must be defect or clean")
	case c.Heads < 0 || c.Heads > MaxHeads:
		return fmt.Errorf("heads must be at most %d", MaxHeads)
	case len(c.Golden) > maxGolden:
		return fmt.Errorf("golden must have at most %d entries", maxGolden)
	case len(c.Useful) > maxUseful:
		return fmt.Errorf("useful must have at most %d entries", maxUseful)
	case len(c.Title) > maxText || len(c.Body) > maxText:
		return fmt.Errorf("title and body must have at most %d bytes each", maxText)
	}
	for i, g := range c.Golden {
		if err := g.check(max(c.Heads, 1)); err != nil {
			return fmt.Errorf("golden[%d]: %w", i, err)
		}
	}
	return nil
}

func (g Golden) check(heads int) error {
	switch {
	case g.Side != domain.Left && g.Side != domain.Right && (g.Side != "" || g.StartLine != 0):
		return fmt.Errorf("side must be LEFT or RIGHT")
	case g.StartLine < 0 || g.EndLine < g.StartLine:
		return fmt.Errorf("startLine and endLine must be lines from 1, the first before the last")
	case g.StartLine > 0 && g.Path == "":
		return fmt.Errorf("path must name the file of the lines")
	case g.Head < 0 || g.Head >= heads:
		return fmt.Errorf("head must be one of the case's heads, from 0")
	case len(g.Text) > maxText:
		return fmt.Errorf("text must have at most %d bytes", maxText)
	}
	return nil
}

// Change is one head of a case with its code.
type Change struct {
	BaseSHA, HeadSHA string
	Diff             []byte // unified, base to head, with renames
	// Source reads both sides. It may implement [snapshot.Searcher], for context from files outside the
	// change.
	Source change.Source
}

// Set is a source of cases. Implementations are safe for concurrent use.
type Set interface {
	// Cases lists the cases in the order of their ids.
	Cases(ctx context.Context) ([]Case, error)
	// Open makes the code of a case readable: one change for each head, in their order. The caller must
	// call done, which releases the changes. It returns [ErrNoCode] if the code is not available, and
	// [ErrLabel] if the code shows that the label is wrong.
	Open(ctx context.Context, c Case) (heads []Change, done func(), err error)
}
