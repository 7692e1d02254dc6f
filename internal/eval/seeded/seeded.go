// Package seeded is the set of cases written for this project: small programs in Go, TypeScript, Python and
// Java with changes. Half of the changes bring in a defect at known lines, and half are correct.
//
// The folder programs has a file for each program; docs/evaluation.md says how to add one. A hash of the
// program's name selects a third of the programs, which are not used for tuning.
package seeded

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
)

// setName is the name of the set.
const setName = "seeded"

//go:embed programs/*.txtar
var embedded embed.FS

// Set is the set of cases. It is safe for concurrent use.
type Set struct {
	cases    []eval.Case
	versions map[string]versions // by the case's id
}

// versions are the files of a case before and after its change.
type versions struct{ base, head cases.Files }

var _ eval.Set = (*Set)(nil)

// New reads the programs. An error names the invalid file. The tests of this package ensure that all files
// are valid.
func New() (*Set, error) {
	entries, err := embedded.ReadDir("programs")
	if err != nil {
		return nil, fmt.Errorf("list the programs: %w", err)
	}
	s := &Set{versions: map[string]versions{}}
	for _, e := range entries {
		raw, err := embedded.ReadFile(path.Join("programs", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read a program: %w", err)
		}
		p, err := parse(strings.TrimSuffix(e.Name(), path.Ext(e.Name())), raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		if err := s.add(p); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	slices.SortFunc(s.cases, func(a, b eval.Case) int { return cmp.Compare(a.ID, b.ID) })
	return s, nil
}

// add makes the cases of a program.
func (s *Set) add(p program) error {
	for _, c := range p.changes {
		made, err := c.apply(p.base)
		if err != nil {
			return fmt.Errorf("change %s: %w", c.name, err)
		}
		one := eval.Case{
			ID: p.name + "-" + c.name, Set: setName, Repository: p.name, Language: p.language, Kind: eval.Clean,
			Title: c.title, Body: c.body, Golden: made.golden, Definitions: made.definitions,
			Held: isHeld(p.name), Licence: "Apache-2.0", Origin: "written for this set",
		}
		if len(c.defects) > 0 {
			one.Kind = eval.Defect
		}
		if err := one.Check(); err != nil {
			return fmt.Errorf("change %s: %w", c.name, err)
		}
		if _, double := s.versions[one.ID]; double {
			return fmt.Errorf("change %s: there are two of that name", c.name)
		}
		s.cases = append(s.cases, one)
		s.versions[one.ID] = versions{p.base, made.head}
	}
	return nil
}

// isHeld reports whether a program is excluded from tuning: about every third is.
func isHeld(program string) bool {
	sum := sha256.Sum256([]byte(program))
	return binary.BigEndian.Uint32(sum[:])%3 == 0
}

// Cases lists the cases in the order of their ids.
func (s *Set) Cases(context.Context) ([]eval.Case, error) { return slices.Clone(s.cases), nil }

// Open makes the two versions of a case readable. It returns [eval.ErrNoCode] for a case of another set.
func (s *Set) Open(ctx context.Context, c eval.Case) (heads []eval.Change, done func(), err error) {
	v, ok := s.versions[c.ID]
	if !ok {
		return nil, nil, fmt.Errorf("case %s: %w", c.ID, eval.ErrNoCode)
	}
	return cases.OpenFiles(ctx, v.base, v.head)
}
