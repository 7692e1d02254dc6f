package cases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/snapshot"
)

// MineOptions bounds the search of a history. The zero value is usable.
type MineOptions struct {
	Name    string        // name of the repository in ids; "" is the folder's name
	Licence string        // licence of the code, for the record
	Commits int           // commits to search, from HEAD on; 0 means 5,000
	Defects int           // cases with a defect; 0 means 100
	Clean   int           // clean cases; 0 means as many as with a defect, less than 0 none
	Settled int           // commits that must follow a clean one, so that a repair had time to appear; 0 means 50
	Traces  int           // files of repairs whose lines are traced for clean cases; 0 means 500
	Time    time.Duration // time for tracing; 0 means two minutes
	Seed    uint64        // selects among more cases than wanted

	Progress Progress // receives the progress of the search, and later of the writing; may be nil
}

// Progress receives the present step, in a word or two, and its progress as done of total units. It is
// called often, by one goroutine at a time, and must be quick.
type Progress func(step string, done, total int)

func (p Progress) report(step string, done, total int) {
	if p != nil {
		p(step, done, total)
	}
}

func (o MineOptions) filled(repo string) MineOptions {
	o.Name = cmp.Or(o.Name, strings.TrimSuffix(filepath.Base(repo), ".git"))
	o.Commits, o.Defects = cmp.Or(o.Commits, 5000), cmp.Or(o.Defects, 100)
	o.Clean, o.Settled = cmp.Or(o.Clean, o.Defects), cmp.Or(o.Settled, 50)
	o.Traces, o.Time = cmp.Or(o.Traces, 500), cmp.Or(o.Time, 2*time.Minute)
	return o
}

// MineReport counts the results of a search.
type MineReport struct {
	Looked   int            // commits, or pairs of releases
	Defects  int            // cases with a defect
	Clean    int            // clean cases
	Reversed int            // reversed cases among Clean
	Left     map[string]int // excluded candidates by reason
	Traced   int            // files of repairs whose lines were traced
	Untraced int            // files not traced for lack of time or number: commits that touch them are not clean
}

// Mined is a set made from histories, with a report.
type Mined struct {
	set
	Report    MineReport
	reversed  map[string]bool // by id: the case is reversed
	maxBundle int64           // bytes of a written case's code
	save      map[string]func(ctx context.Context, dir string, c eval.Case) error
	progress  Progress
}

// Write writes all cases into a folder for [Folder]. It skips complete, equal cases, so that it can be
// repeated after an early end. It leaves out cases that are too large and subtracts them from the Report,
// which other goroutines must not read meanwhile.
func (m *Mined) Write(ctx context.Context, dir string) error {
	list, err := m.Cases(ctx)
	if err != nil {
		return err
	}
	for i, c := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.progress.report("cases written", i, len(list))
		if written(dir, c) {
			continue
		}
		switch err := m.save[c.ID](ctx, dir, c); {
		case errors.Is(err, errLarge):
			m.Report.exclude(c, m.reversed[c.ID])
		case err != nil:
			return fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	return nil
}

// exclude subtracts a case from the numbers.
func (r *MineReport) exclude(c eval.Case, turned bool) {
	r.Left["its code or case.json is too large to be written"]++
	if c.Kind != eval.Clean {
		r.Defects--
		return
	}
	r.Clean--
	if turned {
		r.Reversed--
	}
}

func newMined(told Progress) *Mined {
	return &Mined{progress: told, Report: MineReport{Left: map[string]int{}}, reversed: map[string]bool{}, maxBundle: maxBundleFile,
		save: map[string]func(context.Context, string, eval.Case) error{}}
}

func (m *Mined) finished() (*Mined, error) {
	var err error
	m.entries, err = sorted(m.entries)
	m.known = true
	return m, err
}

// writeBundle writes a case into a folder, with its two versions as a bundle without their history.
func (m *Mined) writeBundle(ctx context.Context, dir string, c eval.Case, s *snapshot.Scratch, base, head string) error {
	commits, err := s.Commit(ctx, snapshot.Version{From: base}, snapshot.Version{From: head})
	if err != nil {
		return err
	}
	return writeCase(dir, c, func(own string) error {
		file := filepath.Join(own, bundleFile)
		if err := s.Bundle(ctx, file, map[string]string{"base": commits[0], "head": commits[1]}); err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err == nil && info.Size() > m.maxBundle {
			err = fmt.Errorf("%w: its files need more than %d bytes", errLarge, m.maxBundle)
		}
		return err
	})
}
