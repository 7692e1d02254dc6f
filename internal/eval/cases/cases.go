// Package cases finds changes to measure the review engine with: in a folder, in a list of commits, in the
// history of a repository, between releases of Go modules, and in public sets. It opens no connections:
// code comes from files and git copies on this machine.
//
// Strangers wrote its input. So the input is bounded in size and number, paths stay inside their folder,
// and git runs without the configuration, hooks and filters of any repository. Other packages review and
// compare the cases.
package cases

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
)

// maxCases is the most cases of a set.
const maxCases = 10_000

// maxUsefulLines is the most lines of one useful piece (design choice: no reviewer reads a longer one).
const maxUsefulLines = 10_000

// entry is a case with a function that opens its code.
type entry struct {
	eval.Case
	open func(ctx context.Context) ([]eval.Change, func(), error)
}

// set is an [eval.Set] that is read once, at the first use.
type set struct {
	read func(ctx context.Context) ([]entry, error)

	mu      sync.Mutex
	known   bool
	entries []entry // in the order of their ids
}

func (s *set) load(ctx context.Context) ([]entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known {
		return s.entries, nil
	}
	entries, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	if s.entries, err = sorted(entries); err != nil {
		return nil, err
	}
	s.known = true
	return s.entries, nil
}

// sorted orders entries by id, and returns an error for a duplicate id.
func sorted(entries []entry) ([]entry, error) {
	if len(entries) > maxCases {
		return nil, fmt.Errorf("a set must have at most %d cases", maxCases)
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(entries); i++ {
		if entries[i].ID == entries[i-1].ID {
			return nil, fmt.Errorf("id must be unique: %q is there twice", entries[i].ID)
		}
	}
	return entries, nil
}

// Cases implements [eval.Set].
func (s *set) Cases(ctx context.Context) ([]eval.Case, error) {
	entries, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]eval.Case, len(entries))
	for i, e := range entries {
		out[i] = e.Case
	}
	return out, nil
}

// Open implements [eval.Set].
func (s *set) Open(ctx context.Context, c eval.Case) ([]eval.Change, func(), error) {
	entries, err := s.load(ctx)
	if err != nil {
		return nil, nil, err
	}
	i, ok := slices.BinarySearchFunc(entries, c.ID, func(e entry, id string) int { return strings.Compare(e.ID, id) })
	if !ok {
		return nil, nil, fmt.Errorf("the set has no case %q", c.ID)
	}
	return entries[i].open(ctx)
}

// check returns an error that names the invalid field of a case.
func check(c eval.Case) error {
	if err := c.Check(); err != nil {
		return err
	}
	for i, g := range c.Golden {
		if g.Path != "" && diff.CheckPath(g.Path) != nil {
			return fmt.Errorf("golden[%d]: path must stay inside the repository", i)
		}
	}
	for i, u := range c.Useful {
		if diff.CheckPath(u.Path) != nil || u.StartLine < 1 || u.EndLine < u.StartLine || u.EndLine-u.StartLine >= maxUsefulLines {
			return fmt.Errorf("useful[%d]: path, startLine and endLine must be at most %d lines of the repository, from 1", i, maxUsefulLines)
		}
	}
	for i, d := range c.Definitions {
		if diff.CheckPath(d.Path) != nil || d.Line < 1 || d.Name == "" {
			return fmt.Errorf("definitions[%d]: name, path and line (from 1) must say where the definition is in the repository", i)
		}
	}
	return nil
}

// noCodeError returns an [eval.ErrNoCode] that names the missing thing.
func noCodeError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", eval.ErrNoCode, fmt.Errorf(format, args...))
}
